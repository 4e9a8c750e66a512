package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// MaxValues bounds the values of one axis, and MaxPoints those of a grid.
const (
	MaxValues = 10_000
	MaxPoints = 10_000
)

// Axis is a value of the scenario that is varied.
type Axis struct {
	Path   string   `json:"path"`  // as --set takes it
	Range  string   `json:"range"` // as written
	Values []string `json:"values"`
}

// fromVary stands in place of a file in errors about --vary, and fromSLO in those about --slo.
const (
	fromVary = "--vary"
	fromSLO  = "--slo"
)

// ParseAxis reads PATH=RANGE. A range is one of
//
//	4..40   4..40:2      whole numbers, and with a step; k and M are suffixes for 1000 and 1 000 000
//	0.5..1:0.05          decimals, which need a step
//	10%..50%:5%          shares; 1s..10s:1s  times
//	a,b,c                a list, in its own order
//	tier1..tier5, tiers  usage tiers of the provider, from the catalogue, where the path ends in .tier
//
// The scenario is asked for what a path of tiers belongs to. The error is of type [scenario.Errors].
func ParseAxis(arg string, sc *scenario.Scenario) (Axis, error) {
	path, text, ok := strings.Cut(arg, "=")
	a := Axis{Path: strings.TrimSpace(path), Range: strings.TrimSpace(text)}
	if !ok || a.Path == "" || a.Range == "" {
		return a, wrong(fromVary, "", "not a path and a range", arg, "PATH=RANGE", "write for example --vary upstreams.openai.keys.main.count=4..40")
	}
	var err error
	switch {
	case strings.HasSuffix(a.Path, ".tier"):
		a.Values, err = tierRange(a.Path, a.Range, sc)
	case strings.Contains(a.Range, ".."):
		a.Values, err = numberRange(a.Path, a.Range)
	default:
		a.Values, err = listRange(a.Path, a.Range)
	}
	if err == nil && len(a.Values) < 2 {
		err = single(a.Path, a.Range)
	}
	return a, err
}

// single says what is wrong with a range that is one value.
func single(path, text string) error {
	if from, to, ok := strings.Cut(text, "-"); ok {
		if _, ok1 := parseDecimal(from); ok1 {
			if _, ok2 := parseDecimal(to); ok2 {
				return wrong(fromVary, path, "not a range", text, rangesAllowed, "did you mean "+from+".."+to+"?")
			}
		}
	}
	if _, ok := parseDecimal(text); !ok && !strings.Contains(text, "..") && !strings.HasSuffix(path, ".tier") {
		return wrong(fromVary, path, "neither a range nor a list", text, rangesAllowed, "values that are no numbers are listed, with commas between them")
	}
	return wrong(fromVary, path, "nothing to choose from", text, "a range of two values or more", "widen it, or use --set for a single value")
}

// rangesAllowed are the forms of a range of numbers.
const rangesAllowed = "FROM..TO or FROM..TO:STEP, with one unit, such as 4..40, 0.5..1:0.05, 10%..50%:5% or 1s..10s:1s"

// wrong is one error of the command line, as the scenario's are.
func wrong(place, path, what, found, allowed, hint string) error {
	return scenario.Errors{{File: place, Path: path, Problem: what, Found: found, Allowed: allowed, Hint: hint}}
}

func listRange(path, text string) ([]string, error) {
	values := strings.Split(text, ",")
	for i := range values {
		if values[i] = strings.TrimSpace(values[i]); values[i] == "" {
			return nil, wrong(fromVary, path, "an empty value", text, "values with commas between them", "leave the comma out")
		}
		if slices.Contains(values[:i], values[i]) {
			return nil, wrong(fromVary, path, "a value twice", values[i], "different values", "leave one of them out")
		}
	}
	return values, nil
}

// decimal is a number as written: digits/10^places, with a unit behind it.
type decimal struct {
	digits int64
	places int
	unit   string
}

func parseDecimal(text string) (decimal, bool) {
	num := strings.TrimRight(text, "%abcdefghijklmnopqrstuvwxyzM")
	d := decimal{unit: text[len(num):]}
	whole, frac, _ := strings.Cut(num, ".")
	d.places = len(frac)
	if num == "" || whole == "" || strings.HasSuffix(num, ".") || len(num) > 15 || strings.ContainsAny(num, "eE+") {
		return d, false
	}
	n, err := strconv.ParseInt(whole+frac, 10, 64)
	d.digits = n
	return d, err == nil && n >= 0
}

// at says the number with more places; not one that is too large to count with.
func (d decimal) at(places int) (int64, bool) {
	n := d.digits
	for range places - d.places {
		if n > math.MaxInt64/100 {
			return 0, false
		}
		n *= 10
	}
	return n, true
}

// text writes digits/10^places with as many decimals as they need.
func (d decimal) text() string {
	if d.places == 0 {
		return strconv.FormatInt(d.digits, 10) + d.unit
	}
	s := fmt.Sprintf("%0*d", d.places+1, d.digits)
	s = s[:len(s)-d.places] + "." + s[len(s)-d.places:]
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") + d.unit
}

// numberRange reads FROM..TO[:STEP].
func numberRange(path, text string) ([]string, error) {
	bounds, stepText, stepped := strings.Cut(text, ":")
	fromText, toText, _ := strings.Cut(bounds, "..")
	from, ok1 := parseDecimal(fromText)
	to, ok2 := parseDecimal(toText)
	step, ok3 := decimal{digits: 1, unit: to.unit}, true
	if stepped {
		step, ok3 = parseDecimal(stepText)
	}
	if !ok1 || !ok2 || !ok3 {
		return nil, wrong(fromVary, path, "not a range", text, rangesAllowed, "lists have commas: 4,8,16")
	}
	if from.unit == "" && from.digits == 0 {
		from.unit = to.unit // 0..30%
	}
	if from.unit != to.unit || step.unit != to.unit {
		return nil, wrong(fromVary, path, "a range of different units", text, rangesAllowed, "write the unit at each number")
	}
	places := max(from.places, to.places, step.places)
	if places > 0 && !stepped {
		return nil, wrong(fromVary, path, "a range of decimals without a step", text, rangesAllowed, "write "+text+":0.05"+to.unit+", say")
	}
	low, fits1 := from.at(places)
	high, fits2 := to.at(places)
	by, fits3 := step.at(places)
	switch {
	case !fits1 || !fits2 || !fits3:
		return nil, wrong(fromVary, path, "too many digits", text, "up to 17 digits, of the largest number and the finest step together", "write a wider step")
	case by == 0:
		return nil, wrong(fromVary, path, "a step of 0", text, "a step above 0", "leave it out for steps of 1")
	case low > high:
		return nil, wrong(fromVary, path, "the range ends before it begins", text, "the smaller number first", "exchange them; --max looks for the largest")
	case (high-low)/by >= MaxValues:
		return nil, wrong(fromVary, path, "too many values", fmt.Sprint((high-low)/by+1), fmt.Sprintf("up to %d", MaxValues), "write "+bounds+":"+decimal{wider(low, high, by), places, to.unit}.text()+", say")
	}
	var values []string
	for n := low; n <= high; n += by {
		values = append(values, decimal{n, places, to.unit}.text())
	}
	return values, nil
}

// wider is a step with which a range has some fifty values: the old one times a round number.
func wider(low, high, by int64) int64 {
	times := int64(1)
	for (high-low)/by/times > 50 {
		times *= 10
	}
	return by * times
}

// tierRange reads tiers of the provider that the path belongs to: a list, FROM..TO, or "tiers".
func tierRange(path, text string, sc *scenario.Scenario) ([]string, error) {
	known, err := tiersAt(path, sc)
	if err != nil {
		return nil, err
	}
	allowed := strings.Join(known, ", ")
	if len(known) == 0 {
		return nil, wrong(fromVary, path, "no tiers are known of these models", text, "keys of a provider in the catalogue", "`simload models` lists the tiers; vary a limit instead")
	}
	if text == "tiers" {
		return known, nil
	}
	from, to, ranged := strings.Cut(text, "..")
	if !ranged {
		values, err := listRange(path, text)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			if !slices.Contains(known, v) {
				return nil, wrong(fromVary, path, "no such tier", v, allowed, "`simload models` lists the tiers")
			}
		}
		return values, nil
	}
	i, j := slices.Index(known, from), slices.Index(known, to)
	switch {
	case i < 0:
		return nil, wrong(fromVary, path, "no such tier", from, allowed, "`simload models` lists the tiers")
	case j < 0:
		return nil, wrong(fromVary, path, "no such tier", to, allowed, "`simload models` lists the tiers")
	case i > j:
		return nil, wrong(fromVary, path, "the range ends before it begins", text, allowed, "exchange them; --max looks for the largest")
	}
	return known[i : j+1], nil
}

// tiersAt lists the tiers of the provider whose keys the path is about, in the order of the
// catalogue: those that all of its models in the scenario have that have any.
func tiersAt(path string, sc *scenario.Scenario) ([]string, error) {
	parts := segments(path)
	i := slices.Index(parts, "upstreams")
	if i < 0 || len(parts) < i+5 {
		return nil, wrong(fromVary, path, "not the tier of a pool of keys", path, "upstreams.VENDOR.keys.POOL.tier", "")
	}
	up := sc.Spec.Upstreams.Get(parts[i+1])
	if up == nil {
		return nil, wrong(fromVary, path, "no such name", parts[i+1], strings.Join(sc.Spec.Upstreams.Names, ", "), "name an upstream of the scenario")
	}
	return tiersOf(up)
}

// tiersOf lists the tiers that all models of a vendor have that have any.
func tiersOf(up *scenario.Upstream) ([]string, error) {
	c, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	var known []string
	for i, name := range up.Models.Names {
		if entry := up.Models.Values[i].Catalogue; entry != "" {
			name = entry
		}
		m, ok := c.Model(name)
		if !ok || len(m.Tiers) == 0 {
			continue
		}
		var names []string
		for _, t := range m.Tiers {
			names = append(names, t.Name)
		}
		if known == nil {
			known = names
			continue
		}
		known = slices.DeleteFunc(known, func(t string) bool { return !slices.Contains(names, t) })
	}
	return known, nil
}

// set is the override that puts the axis to its value i.
func (a *Axis) set(i int) string { return a.Path + "=" + a.Values[i] }

// Name is the last two names of the path, which tell it from others: oa.count.
func (a *Axis) Name() string {
	parts := segments(a.Path)
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

// segments are the names of a path of --set, for people and to find a pool by. A dot between two digits is of a name, as models' names
// have them: which names the scenario has is not known here. What is no path is one name.
func segments(path string) []string {
	parts, ok := scenario.SplitPath(path)
	if !ok {
		return []string{path}
	}
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	names := parts[:1]
	for _, part := range parts[1:] {
		if last := &names[len(names)-1]; digit((*last)[len(*last)-1]) && digit(part[0]) {
			*last += "." + part
		} else {
			names = append(names, part)
		}
	}
	return names
}

// noun says what a value of the axis is, for sentences: "13 keys of oa", "tier tier3 of oa".
func (a *Axis) noun(value string) string {
	parts := segments(a.Path)
	n := len(parts)
	owner := parts[max(0, n-2)]
	switch what := a.counted(); {
	case what != "" && !a.several(value):
		return value + " " + strings.TrimSuffix(what, "s") + " of " + owner
	case what != "":
		return value + " " + what + " of " + owner
	case parts[n-1] == "tier" && n > 1:
		return value + " for the keys of " + owner
	}
	return a.Name() + " = " + value
}

// counted is what the axis is a number of: keys or agents, "" if it is something else.
func (a *Axis) counted() string {
	parts := segments(a.Path)
	if n := len(parts); n >= 3 && parts[n-1] == "count" && (parts[n-3] == "keys" || parts[n-3] == "agents") {
		return parts[n-3]
	}
	return ""
}

// several reports whether a value is a number of keys or agents, and not of one.
func (a *Axis) several(value string) bool { return a.counted() != "" && value != "1" }
