package htmlpage

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestVendored: uPlot is what its NOTICE says it is.
func TestVendored(t *testing.T) {
	notice, err := files.ReadFile("uplot/NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for s := bufio.NewScanner(bytes.NewReader(notice)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) != 3 || f[0] != "sha256" {
			continue
		}
		seen++
		b, err := files.ReadFile("uplot/" + f[2])
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(b)); got != f[1] {
			t.Errorf("%s: sha256 %s, the notice says %s", f[2], got, f[1])
		}
	}
	if seen != 3 || !bytes.Contains(notice, []byte("1.6.32")) {
		t.Errorf("the notice names %d files", seen)
	}
}

// TestPolicyCoversThePage: every inline script and style of the page is one that its policy names by its hash, and
// nothing in them ends the element early.
func TestPolicyCoversThePage(t *testing.T) {
	var b bytes.Buffer
	hostile := "</script><script>alert(1)</script>\u2028'\"&"
	p := &Page{Title: hostile, Tool: hostile, Charts: []Chart{{Lines: []Line{{Name: hostile, Values: []int{1}}}}}, Reports: []Report{{
		ID: "r1", Name: hostile, Facts: []string{hostile}, Variants: []Variant{{ID: "r1v1", Name: hostile}},
	}}}
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range regexp.MustCompile(`(?s)<(script|style)>(.*?)</(?:script|style)>`).FindAllStringSubmatch(b.String(), -1) {
		sum := sha256.Sum256([]byte(m[2]))
		if hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(Policy(), hash) {
			t.Errorf("the policy does not name %s, of the %s %.60q", hash, m[1], m[2])
		}
		found++
	}
	if found != 3 {
		t.Errorf("%d inline elements, want a style and two scripts", found)
	}
	if strings.Contains(b.String(), "alert(1)</script>") || strings.Contains(Policy(), "unsafe") {
		t.Error("a name became markup, or the policy is unsafe")
	}
	var again bytes.Buffer
	if err := Write(&again, p); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("two pages of the same differ (%v)", err)
	}
}

// TestFolding: rows beyond the fold are hidden, and all are there.
func TestFolding(t *testing.T) {
	for _, c := range []struct{ rows, fold, shown int }{{5, 0, 5}, {5, 3, 3}, {5, 5, 5}, {5, 9, 5}, {0, 3, 0}} {
		table := Table{Rows: make([]Row, c.rows), Fold: c.fold}
		if len(table.Shown()) != c.shown || len(table.Hidden()) != c.rows-c.shown {
			t.Errorf("%d rows folded at %d: %d shown, %d hidden", c.rows, c.fold, len(table.Shown()), len(table.Hidden()))
		}
	}
}
