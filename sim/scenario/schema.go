package scenario

import (
	"encoding/json"
	"reflect"

	"github.com/invopop/jsonschema"
)

// Schema returns the JSON Schema (draft 2020-12) of scenario files, for editors. It
// checks form: keys, types, words and numbers. What values must be to each other is
// checked by [Load] alone.
func Schema() []byte {
	defs := jsonschema.Definitions{
		"duration": {
			Type: "string", Pattern: `^([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))*$`,
			Description: "A Go duration, such as 20s, 1h30m, 150ms or 16us.",
		},
		"count": {
			AnyOf:       []*jsonschema.Schema{{Type: "integer", Minimum: "0"}, {Type: "string", Pattern: tokensText.String()}},
			Description: "A whole number, with k (1000) or M (1 000 000) if wished.",
		},
		"amount": {
			AnyOf:       []*jsonschema.Schema{{Type: "number", Minimum: "0"}, {Type: "string", Pattern: tokensText.String()}},
			Description: "A sum of money, with k (1000) or M (1 000 000) if wished.",
		},
		"price": {
			AnyOf:       []*jsonschema.Schema{{Type: "number", Minimum: "0"}, {Type: "string", Pattern: priceText.String()}},
			Description: "USD per million tokens.",
		},
		"share": {
			AnyOf: []*jsonschema.Schema{
				{Type: "number", Minimum: "0", Maximum: "1"},
				{Type: "string", Pattern: `^([0-9]{1,2}(\.[0-9]+)?|100(\.0+)?)%$`},
			},
			Description: "A share, written as 5% or 0.05.",
		},
		"durations": distSchema[Duration](),
		"counts":    distSchema[Tokens](),
	}
	defs["durations-patch"] = loosen(distSchema[Duration]())
	defs["counts-patch"] = loosen(distSchema[Tokens]())
	defs["overlay"] = loosen(reflected(reflect.TypeFor[Overlay]()))
	root := reflected(reflect.TypeFor[Spec]())
	root.Version = jsonschema.Version
	root.Title = "simload scenario"
	root.Description = "A run of simload: workload, providers, client stack, and what is expected of them."
	root.Definitions = defs
	if variants, ok := root.Properties.Get("variants"); ok {
		variants.AdditionalProperties = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{ref("overlay"), {Type: "null"}}}
	}
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("scenario: schema: " + err.Error()) // the types are fixed: a test reads them all
	}
	return append(out, '\n')
}

func ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

// reflected is the schema of a type of ours, with everything in place but the values
// that [mapped] refers to.
func reflected(t reflect.Type) *jsonschema.Schema {
	r := jsonschema.Reflector{
		Anonymous: true, DoNotReference: true, FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true,
		Mapper: mapped, LookupComment: comment,
	}
	s := r.ReflectFromType(t)
	s.Version = ""
	return s
}

// comment takes the descriptions of fields from their doc tags.
func comment(t reflect.Type, field string) string {
	if field == "" || t.Kind() != reflect.Struct {
		return ""
	}
	f, _ := t.FieldByName(field)
	return f.Tag.Get("doc")
}

// mapped gives the schema of types that read themselves, and nil for others.
func mapped(t reflect.Type) *jsonschema.Schema {
	if elem := elemOf(t); elem != nil {
		if elem == reflect.TypeFor[Overlay]() {
			return &jsonschema.Schema{Type: "object"} // filled in by Schema
		}
		return &jsonschema.Schema{Type: "object", AdditionalProperties: reflected(elem)}
	}
	switch t {
	case reflect.TypeFor[Duration]():
		return ref("duration")
	case reflect.TypeFor[Tokens]():
		return ref("count")
	case reflect.TypeFor[Amount]():
		return ref("amount")
	case reflect.TypeFor[Price]():
		return ref("price")
	case reflect.TypeFor[Share](), reflect.TypeFor[Percent]():
		return ref("share")
	case reflect.TypeFor[Number]():
		return &jsonschema.Schema{Type: "number", Minimum: "0"}
	case reflect.TypeFor[Dist[Duration]]():
		return ref("durations")
	case reflect.TypeFor[Dist[Tokens]]():
		return ref("counts")
	case reflect.TypeFor[Instant]():
		return &jsonschema.Schema{Type: "string", Pattern: instantPattern}
	case reflect.TypeFor[Rate]():
		return anyOf(&jsonschema.Schema{Type: "number", ExclusiveMinimum: "0", Maximum: "1000000"}, reflected(reflect.TypeFor[[]RatePoint]()))
	case reflect.TypeFor[Loop]():
		return anyOf(&jsonschema.Schema{Type: "integer", Minimum: "1"}, &jsonschema.Schema{Enum: []any{"forever"}})
	case reflect.TypeFor[Capacity]():
		return anyOf(&jsonschema.Schema{Type: "integer", Minimum: "1"}, reflected(reflect.TypeFor[[]CapacityStep]()))
	case reflect.TypeFor[Noise]():
		return anyOf(&jsonschema.Schema{Type: "number", Minimum: "0", Maximum: "5"}, reflected(reflect.TypeFor[noiseForm]()))
	case reflect.TypeFor[PromptCache]():
		return anyOf(&jsonschema.Schema{Enum: []any{false, "off", true, "on"}}, reflected(reflect.TypeFor[promptCacheForm]()))
	case reflect.TypeFor[Cache]():
		return anyOf(&jsonschema.Schema{Enum: []any{false, "off", true, "on"}}, reflected(reflect.TypeFor[cacheForm]()))
	case reflect.TypeFor[Shared]():
		return anyOf(&jsonschema.Schema{Enum: []any{true, false, "on", "off"}}, reflected(reflect.TypeFor[sharedForm]()))
	case reflect.TypeFor[Summaries]():
		return anyOf(&jsonschema.Schema{Enum: []any{false, "off"}}, reflected(reflect.TypeFor[summariesForm]()))
	case reflect.TypeFor[RetryAfter]():
		return anyOf(&jsonschema.Schema{Enum: []any{"none", "wrong"}}, ref("duration"))
	case reflect.TypeFor[Stack]():
		return anyOf(&jsonschema.Schema{Enum: []any{"none"}}, reflected(reflect.TypeFor[stackForm]()))
	case reflect.TypeFor[RouteStep]():
		return anyOf(&jsonschema.Schema{Type: "string"}, reflected(reflect.TypeFor[routeStepForm]()))
	}
	return nil
}

func anyOf(options ...*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: options}
}

// distSchema is the schema of a distribution: a value, or a map with one form.
func distSchema[T quantity]() *jsonschema.Schema {
	one := uint64(1)
	form := reflected(reflect.TypeFor[distForm[T]]())
	form.MinProperties, form.MaxProperties = &one, &one
	s := anyOf(mapped(reflect.TypeFor[T]()), form)
	s.Description = "A distribution: a constant, or a map with one form."
	return s
}

// loosen turns a schema into that of a patch: nothing is required, and null removes.
// Lists are replaced whole, so their items stay as they are.
func loosen(s *jsonschema.Schema) *jsonschema.Schema {
	switch s.Ref {
	case "#/$defs/durations", "#/$defs/counts":
		s.Ref += "-patch"
	}
	s.Required, s.MinProperties, s.MaxProperties = nil, nil, nil
	for _, option := range s.AnyOf {
		loosen(option)
	}
	if s.Properties != nil {
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			p.Value = orNull(p.Value)
		}
	}
	if a := s.AdditionalProperties; a != nil && a != jsonschema.FalseSchema {
		s.AdditionalProperties = orNull(a)
	}
	return s
}

func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	out := anyOf(loosen(s), &jsonschema.Schema{Type: "null"})
	out.Description, s.Description = s.Description, ""
	return out
}
