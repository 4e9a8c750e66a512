package wire

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient: a vendor's slip that changes nothing is none of ours. Names are told apart by case, as
// JSON means them.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// decode reads an answer or an event, by what is to become encoding/json/v2: a chunk of a stream takes
// it less than half of the time of encoding/json, and a sixth of the allocations.
func decode(data []byte, v any) error { return json.Unmarshal(data, v, lenient) }
