package mockupstream

import "strings"

// Tasks, in the words of OpenAI's objection.
const (
	toSample = "sample"
	toEmbed  = "generate embeddings"
)

// vectors are the models that embed, and how many numbers their vectors have if a request names none, which is
// also the most it may name: developers.openai.com/api/docs/guides/embeddings and ai.google.dev/gemini-api/docs/embeddings.
var vectors = map[string]int64{
	"text-embedding-3-small": 1536,
	"text-embedding-3-large": 3072,
	"text-embedding-ada-002": 1536,
	"gemini-embedding-001":   3072,
}

// speakers are how the names of models begin that speak and do not embed.
var speakers = []string{"gpt-", "chatgpt-", "o1", "o3", "o4-", "claude-", "gemini-", "deepseek-"}

// unable is the task that a model of this name does not do; "": it does whatever it is asked, as models that nobody
// knows do.
func unable(model string) string {
	name := model[strings.LastIndexByte(model, '/')+1:]
	if strings.Contains(name, "embed") {
		return toSample
	}
	for _, s := range speakers {
		if strings.HasPrefix(name, s) {
			return toEmbed
		}
	}
	return ""
}

// able objects to a model that does not do what it is asked, and to vectors that it does not have.
func (c *Codec) able(a *Ask, q *prompt, f Form) *objection {
	face, task := &c.faces[a.Call.Model], toSample
	if f == FormEmbeddings {
		task = toEmbed
	}
	switch {
	case face.unable == task:
		return &objection{reason: wrongTask, param: task, detail: face.model}
	case q.inputs.size > face.vector && face.vector > 0:
		return &objection{reason: invalid, param: "dimensions", detail: "must be at most " + number(face.vector)}
	}
	return nil
}
