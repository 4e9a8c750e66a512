package report

import (
	"slices"
	"strings"
)

// selectable is a set of selector keys.
type selectable uint8

const (
	byProfile selectable = 1 << iota
	byClass
	byModel
	byKey
)

// selections are the sets of selector keys by which a metric is measured together, none of
// which is part of another; parts of them will do, too.
type selections []selectable

var (
	bySetup   selections                                         // by nothing
	byWho     = selections{byProfile | byClass}                  // what is counted for requests
	byGroup   = selections{byProfile | byClass, byModel}         // and by the last attempt's model
	byLatency = selections{byProfile | byClass, byModel, byKey}  // and by its key
	byAttempt = selections{byProfile | byClass, byModel | byKey} // what the provider counts, too
	byQuota   = selections{byModel | byKey}
)

// any returns all keys that can be selected.
func (s selections) any() (all selectable) {
	for _, set := range s {
		all |= set
	}
	return all
}

// together reports whether the metric is measured by all of these keys at once.
func (s selections) together(keys selectable) bool {
	return keys == 0 || slices.ContainsFunc(s, func(set selectable) bool { return keys&^set == 0 })
}

// String names what goes together: "profile and class, or model, or key".
func (s selections) String() string {
	out := make([]string, len(s))
	for i, set := range s {
		var names []string
		for _, k := range selectorKeys {
			if set&selectorBit(k) != 0 {
				names = append(names, k)
			}
		}
		out[i] = strings.Join(names, " and ")
	}
	return strings.Join(out, ", or ")
}

func selectorBit(key string) selectable {
	switch key {
	case "profile":
		return byProfile
	case "class":
		return byClass
	case "model":
		return byModel
	case "key":
		return byKey
	}
	return 0
}
