package workload

import (
	"slices"
	"strings"
	"testing"
)

// Ensure a row's session decides its profile ahead of its model, in every format that has
// sessions, and that the others are as without.
func TestSessionsMapToProfiles(t *testing.T) {
	profiles := []Profile{{Name: "any"}, {Name: "chat"}, {Name: "batch"}, {Name: "mine"}}
	for _, tt := range []struct {
		name, text string
		sessions   []TraceSession
		want       []int
	}{
		{
			"burstgpt", "Timestamp,Session ID,Model,Request tokens,Response tokens\n0,17,GPT-4,1,1\n1,18,GPT-4,1,1\n2,,GPT-4,1,1\n3,\"a b\",x,1,1\n",
			[]TraceSession{{"17", 2}, {"a b", 3}},
			[]int{2, 1, 1, 3},
		},
		{
			"mooncake", `{"timestamp":0,"input_length":1,"output_length":1,"session_id":"a"}` + "\n" + `{"timestamp":1,"input_length":1,"output_length":1,"session_id":7}` + "\n" + `{"timestamp":2,"input_length":1,"output_length":1}`,
			[]TraceSession{{"a", 2}, {"7", 3}},
			[]int{2, 3, 0},
		},
		{
			"events", strings.Join([]string{
				`{"intended_s":0,"tokens_in":1,"tokens_out":1,"agent":0,"profile":"chat"}`,
				`{"intended_s":1,"tokens_in":1,"tokens_out":1,"agent":49,"profile":"chat"}`,
				`{"intended_s":2,"tokens_in":1,"tokens_out":1,"agent":50,"profile":"chat"}`,
				`{"intended_s":3,"tokens_in":1,"tokens_out":1,"agent":51}`,
			}, "\n"),
			[]TraceSession{{"51", 3}, {"0-49", 2}, {"7", 1}},
			[]int{2, 2, 1, 3},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := textTrace(tt.text)
			set.Sessions, set.Models = tt.sessions, []TraceModel{{"GPT-*", 1}}
			ds, _, err := replayed(t, set, profiles...)
			var got []int
			for _, d := range ds {
				got = append(got, d.Profile)
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("profiles %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestParseAgents(t *testing.T) {
	for text, want := range map[string][2]uint64{"7": {7, 7}, "0-49": {0, 49}, "3-3": {3, 3}} {
		if from, to, err := ParseAgents(text); err != nil || from != want[0] || to != want[1] {
			t.Errorf("%q is %d to %d, %v", text, from, to, err)
		}
	}
	for _, text := range []string{"", "-", "-3", "3-", "9-3", "a", "1-2-3", "99999999999999999999", "1.5"} {
		if _, _, err := ParseAgents(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
