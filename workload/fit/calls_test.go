package fit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Ensure a byte order mark and blank lines before the first line are no part of it, in a log and in a table,
// and lines are counted with them.
func TestReadCallsBegins(t *testing.T) {
	const (
		event  = `{"profile":"p","ending":"succeeded","used_in":5,"used_out":6,"steps":[{"model":"m","sent_s":1,"first_token_s":1.5,"ended_s":2,"outcome":"success"}]}` + "\n"
		table  = "in,out,first_token_s,total_s\n1,2,0.5,1\n"
		quoted = "\"in\",\"out\",\"first_token_s\",\"total_s\"\n1,2,0.5,1\n"
	)
	for name, text := range map[string]string{"event": event, "table": table, "quoted": quoted} {
		for _, before := range []string{"", "\ufeff", "\n", "\r\n \t\n", "\ufeff\n", " "} {
			calls, _, err := ReadCalls(strings.NewReader(before+text), "c")
			if err != nil || len(calls) != 1 || calls[0].Total.Seconds() != 1 {
				t.Errorf("%s after %q: %v, %v", name, before, calls, err)
			}
		}
	}
	for text, want := range map[string]string{
		"\ufeff":                    "reading calls c: the file is empty",
		" \n\n":                     "reading calls c: the file is empty",
		"\n\n" + event + "{\n":      "reading calls c:4: not a line of an events log: ",
		"\n\n" + table + "1,2,0,1":  "reading calls c:5: first_token_s is 0, ",
		"\n" + table + "1,2,0.5":    "reading calls c:4:1: wrong number of fields",
		"\n\nin,out,total_s\n1,2,3": "reading calls c:3: column first_token_s is missing ",
		"\nin,o\"ut\n":              "reading calls c:2:5: bare \" in non-quoted",
	} {
		if _, _, err := ReadCalls(strings.NewReader(text), "c"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Ensure requests of a log that tell no call are counted.
func TestReadCallsCountsTheRest(t *testing.T) {
	const good = `{"ending":"succeeded","used_in":5,"used_out":6,"steps":[{"sent_s":1,"first_token_s":1.5,"ended_s":2,"outcome":"success"}]}` + "\n"
	log := good + strings.Replace(good, "succeeded", "failed", 1) + strings.Replace(good, `"first_token_s":1.5,`, "", 1) + "\n" + good
	calls, rest, err := ReadCalls(strings.NewReader(log), "c")
	if err != nil || len(calls) != 2 || rest != 2 {
		t.Errorf("%d calls, %d others, %v", len(calls), rest, err)
	}
}

// callsOf are twenty calls whose times are multiples of some seconds.
func callsOf(model string, seconds float64) string {
	var b strings.Builder
	for i := range MinRows {
		fmt.Fprintf(&b, "%d,%d,%v,%v,%s\n", 100*i, 10+i, seconds*(1+0.01*float64(i)), seconds*(2+0.1*float64(i)), model)
	}
	return b.String()
}

// Ensure one latency is that of one model: the one that is asked for, the only one there is, or none.
func TestFitLatencyOf(t *testing.T) {
	fast, slow, none := callsOf("fast", 0.1), callsOf(" slow ", 0.5), callsOf("", 0.3)
	for name, c := range map[string]struct {
		calls, model string
		base         float64 // about, in seconds
		others       int
		err          error
		text         string
	}{
		"named":       {calls: fast + slow, model: "slow", base: 0.5, others: 20},
		"the only":    {calls: slow, model: "gpt", base: 0.5},
		"without":     {calls: none, model: "gpt", base: 0.3},
		"neither":     {calls: fast + slow + slow, model: "gpt", err: ErrModels, text: `measured calls of several models: "slow" (40), "fast" (20)`},
		"some unsaid": {calls: fast + none, model: "gpt", err: ErrModels, text: `"" (20), "fast" (20)`},
		"few":         {calls: "1,1,1,1,fast\n" + slow, model: "fast", err: ErrCalls, text: `of model "fast", at least 20 are needed`},
		"no calls":    {model: "gpt", err: ErrCalls, text: `too few measured calls: 0 of model "gpt", at least 20 are needed`},
		"milli":       {calls: callsOf("m", 9e6), model: "m", err: ErrTimes, text: "for an empty prompt, at most 1h0m0s"},
		"many":        {calls: "1,1,1,1,a\n1,1,1,1,b\n1,1,1,1,c\n1,1,1,1,d\n1,1,1,1,e\n1,1,1,1,f\n1,1,1,1,g\n", err: ErrModels, text: `"f" (1) and 1 more`},
	} {
		t.Run(name, func(t *testing.T) {
			calls, _, err := ReadCalls(strings.NewReader("in,out,first_token_s,total_s,model\n"+c.calls), "c")
			if err != nil {
				t.Fatal(err)
			}
			l, others, err := FitLatencyOf(c.model, calls)
			if c.err != nil {
				if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.text) {
					t.Errorf("%v, want %s", err, c.text)
				}
				return
			}
			if err != nil || others != c.others || l.Base.Seconds() < 0.8*c.base || l.Base.Seconds() > 1.2*c.base {
				t.Errorf("%+v, %d others, %v", l, others, err)
			}
		})
	}
}
