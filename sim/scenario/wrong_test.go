package scenario

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestWrongScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/wrong/*.yaml")
	if err != nil || len(files) != len(wrong) {
		t.Fatalf("%d files, %d cases (%v): each file needs its case", len(files), len(wrong), err)
	}
	for _, c := range wrong {
		t.Run(c.name, func(t *testing.T) {
			path := "testdata/wrong/" + c.name + ".yaml"
			s, err := Load(path, nil)
			if err == nil {
				for _, v := range s.Variants() {
					if _, berr := v.Build(1); berr != nil {
						err = berr
					}
				}
			}
			got := errorsOf(t, err)
			for i := range c.want {
				c.want[i].File = path
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n%v\nwant\n%v", got, c.want)
			}
			for _, e := range got {
				if e.Line == 0 || e.Column == 0 || e.Problem == "" || e.Found == "" || e.Allowed == "" || e.Hint == "" {
					t.Errorf("incomplete: %+v", e)
				}
				if strings.Contains(e.Error(), "%!") {
					t.Errorf("bad format: %v", e)
				}
			}
		})
	}
}
