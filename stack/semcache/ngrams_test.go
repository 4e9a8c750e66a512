package semcache_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/stack/semcache"
	"pgregory.net/rapid"
)

func cosine(a, b string) float64 {
	return semcache.Cosine(semcache.NGrams{}.Embed(a), semcache.NGrams{}.Embed(b))
}

// The table of the package comment.
func TestNearnessIsAsDocumented(t *testing.T) {
	const question = "What were the main findings of the 2019 trial on statins in patients over 70?"
	for _, c := range []struct {
		other string
		want  string
	}{
		{question, "1.00"},
		{" what were the  main findings of the 2019\n\ntrial on STATINS in patients over 70?", "1.00"},
		{"What were the main findngs of the 2019 trial on statins in patients over 70?", "0.96"},
		{"What were the main findings of the 2019 trial on statins in patients over 40?", "0.96"},
		{"Please, what were the main findings of the 2019 trial on statins in patients over 70?", "0.95"},
		{"What were not the main findings of the 2019 trial on statins in patients over 70?", "0.95"},
		{"In patients over 70, what were the main findings of the 2019 trial on statins?", "0.93"},
		{"What were the main findings of the 2019 trial on aspirin in patients over 70?", "0.86"},
		{"What did the 2019 statin study find in the elderly?", "0.35"},
		{"Which side effects of statins are known in older patients?", "0.29"},
		{"How many moons has Jupiter, and which of them did Galileo see in 1610?", "0.08"},
		{"", "0.00"},
	} {
		if got := fmt.Sprintf("%.2f", cosine(question, c.other)); got != c.want {
			t.Errorf("cosine to %q is %s, want %s", c.other, got, c.want)
		}
	}
}

// Hashing into 256 cells is near to the cosine of the grams themselves, here counted in a
// map: without bias, and with a root mean square error of 1/sqrt(256) at most.
func TestHashingIsNearToTheGramsThemselves(t *testing.T) {
	grams := func(text string) map[string]float64 {
		m := map[string]float64{}
		r := []rune(" " + strings.ToLower(text) + " ")
		for n := 3; n <= 5; n++ {
			for i := 0; i+n <= len(r); i++ {
				m[string(r[i:i+n])]++
			}
		}
		return m
	}
	var bias, square float64
	const pairs = 500
	for n := range pairs {
		a, b := prompt(n), prompt(n+1+n%5)
		var ab, aa, bb float64
		inB := grams(b)
		for g, x := range grams(a) {
			ab, aa = ab+x*inB[g], aa+x*x
		}
		for _, x := range inB {
			bb += x * x
		}
		d := cosine(a, b) - ab/math.Sqrt(aa*bb)
		bias, square = bias+d/pairs, square+d*d/pairs
	}
	t.Logf("bias %.4f, root mean square error %.4f", bias, math.Sqrt(square))
	if math.Abs(bias) > 0.01 || math.Sqrt(square) > 1/math.Sqrt(semcache.Dimensions) {
		t.Errorf("bias %v, root mean square error %v", bias, math.Sqrt(square))
	}
}

func checkEmbedding(t testing.TB, text string) {
	t.Helper()
	v := semcache.NGrams{}.Embed(text)
	if len(v) != semcache.Dimensions || !slices.Equal(v, semcache.NGrams{}.Embed(text)) {
		t.Fatalf("%d dimensions, or not the same twice", len(v))
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.Abs(sum-1) > 1e-5 && sum != 0 {
		t.Fatalf("the square of the length is %v", sum)
	}
	if s := semcache.Cosine(v, v); sum != 0 && math.Abs(s-1) > 1e-5 {
		t.Fatalf("similar to itself by %v", s)
	}
	if !slices.Equal(v, semcache.NGrams{}.Embed("\t "+text+" \n")) {
		t.Fatal("outer blanks count")
	}
}

func FuzzEmbed(f *testing.F) {
	for _, s := range []string{"", " ", "a", "ab", "Hello, world", "\xff\xfe", "\x00", "数学的証明", "ſſſ İ", strings.Repeat("ab ", 1000)} {
		f.Add(s, "other")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		checkEmbedding(t, a)
		s := cosine(a, b)
		if s != cosine(b, a) || !(s >= -1 && s <= 1) {
			t.Fatalf("cosine %v, the other way round %v", s, cosine(b, a))
		}
	})
}

func TestEmbeddingsHaveLengthOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { checkEmbedding(t, rapid.String().Draw(rt, "text")) })
}

// Case and runs of blanks do not count, whatever the words.
func TestEmbeddingFoldsCaseAndBlanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-z0-9?]{1,8}`)).Draw(t, "words")
		blanks := rapid.SliceOfN(rapid.StringMatching(`[ \t\n\r]{1,3}`), len(words), len(words)).Draw(t, "blanks")
		var other strings.Builder
		for i, w := range words {
			other.WriteString(blanks[i] + strings.ToUpper(w))
		}
		plain := strings.Join(words, " ")
		if !slices.Equal(semcache.NGrams{}.Embed(plain), semcache.NGrams{}.Embed(other.String())) {
			t.Fatalf("%q and %q differ", plain, other.String())
		}
	})
}
