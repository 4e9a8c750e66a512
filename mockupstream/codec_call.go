package mockupstream

import (
	"fmt"
	"strconv"
	"strings"
)

// callFields are the fields of a call's text, in their order.
var callFields = [...]struct {
	name string
	base int // 16: an id. 10: a count
	most uint64
}{
	{"id", 16, 1<<64 - 1},
	{"try", 10, 1<<31 - 1},
	{"in", 10, maxLimit},
	{"max", 10, maxLimit},
	{"out", 10, maxLimit},
	{"est", 10, maxLimit},
	{"conv", 16, 1<<64 - 1},
	{"prefix", 10, maxLimit},
	{"shared", 10, 1},
	{"write", 10, 1},
	{"wid", 16, 1<<64 - 1},
	{"idem", 16, 1<<64 - 1},
}

// always is how many fields are written even if they are 0.
const always = 2

// callFigures are the values of callFields.
type callFigures [len(callFields)]uint64

func (c *Call) figures() callFigures {
	return callFigures{
		c.ID, uint64(min(max(0, c.Attempt), 1<<31-1)),
		uint64(count(c.In)), uint64(count(c.MaxOut)), uint64(count(c.Out)), uint64(count(c.EstIn)),
		c.Conversation, uint64(count(c.Prefix)), bit(c.Shared), bit(c.Write), c.WriteID, c.IdempotencyKey,
	}
}

func (f *callFigures) call() Call {
	return Call{
		ID: f[0], Attempt: int(f[1]), In: int64(f[2]), MaxOut: int64(f[3]), Out: int64(f[4]), EstIn: int64(f[5]),
		Conversation: f[6], Prefix: int64(f[7]), Shared: f[8] == 1, Write: f[9] == 1, WriteID: f[10], IdempotencyKey: f[11],
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Text returns what [CallHeader] says of the call, such as "id=1f;try=1;in=800;out=120;write=1":
// ids in hexadecimal, numbers in decimal, in a fixed order, those that are 0 left out (but id and try). Token counts
// are held to what [Provider.Admit] holds them to. Key and Model are not in it.
func (c *Call) Text() string {
	b := make([]byte, 0, 160)
	for i, v := range c.figures() {
		if v == 0 && i >= always {
			continue
		}
		if i > 0 {
			b = append(b, ';')
		}
		b = append(append(b, callFields[i].name...), '=')
		b = strconv.AppendUint(b, v, callFields[i].base)
	}
	return string(b)
}

// ParseCall reads the text of a CallHeader. It takes what [Call.Text] writes and nothing else.
func ParseCall(text string) (Call, error) {
	var figures callFigures
	next := 0
	for rest, more := text, true; more; {
		var field string
		field, rest, more = strings.Cut(rest, ";")
		name, value, _ := strings.Cut(field, "=")
		i := next
		for i < len(callFields) && callFields[i].name != name {
			i++
		}
		if i == len(callFields) || next < always && i != next {
			return Call{}, fmt.Errorf("reading call: found %.40q, allowed: id, try, and in this order %s", field, callOrder())
		}
		v, ok := figure(value, callFields[i].base)
		if !ok || v > callFields[i].most || v == 0 && i >= always {
			return Call{}, fmt.Errorf("reading call: %s: found %.40q, allowed: a number in base %d up to %s, left out if 0",
				name, value, callFields[i].base, strconv.FormatUint(callFields[i].most, callFields[i].base))
		}
		figures[i] = v
		next = i + 1
	}
	if next < always {
		return Call{}, fmt.Errorf("reading call: found %.40q, must have id and try", text)
	}
	return figures.call(), nil
}

// figure reads a number that is written as strconv writes it.
func figure(s string, base int) (uint64, bool) {
	v, err := strconv.ParseUint(s, base, 64)
	var space [20]byte
	return v, err == nil && string(strconv.AppendUint(space[:0], v, base)) == s
}

func callOrder() string {
	var names []string
	for _, f := range callFields[always:] {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}
