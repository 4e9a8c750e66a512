package semcache

import (
	"math"
	"unicode"
)

// Embedder turns a text into a vector whose direction says what the text is about.
type Embedder interface {
	// Embed returns the vector of a text. It must be deterministic, and all
	// vectors must have one length; they need not be normalised. The cache reads the result
	// before the next call and keeps a copy. A vector that is zero, not finite
	// or of another length than the first one is no error: that text is found by its bytes only.
	Embed(text string) []float32
}

// Dimensions is the length of the vectors of NGrams.
const Dimensions = 256

// The lengths of the n-grams, in characters.
const shortest, longest = 3, 5

// NGrams is the built-in Embedder: a text's character n-grams of 3 to 5 runes, counted in
// 256 cells by signed feature hashing (Weinberger et al., "Feature Hashing for Large
// Scale Multitask Learning", 2009): one bit of the hash says whether a gram adds to its cell or
// subtracts, so that grams which share a cell cancel out on average. The cosine of
// two texts is then near to that of their full n-gram counts, give or take
// 1/sqrt(256) = 0.06.
//
// Letters are lowered, runs of blanks count as one, and blanks are thought before and
// behind the text, so that the rims of words count alike everywhere. The result is normalised
// to length 1 (L2), or zero for a text without grams.
type NGrams struct{}

// Embed returns the vector of a text, of length Dimensions. Bytes that are not UTF-8 count as
// U+FFFD each.
func (NGrams) Embed(text string) []float32 {
	var w window
	w.add(' ')
	for _, r := range text {
		if unicode.IsSpace(r) {
			r = ' '
		}
		if r == ' ' && w.latest() == ' ' {
			continue
		}
		w.add(unicode.ToLower(r))
	}
	if w.latest() != ' ' {
		w.add(' ')
	}
	return w.vector()
}

// window holds the latest runes of a text and the cells of the grams that ended so far.
type window struct {
	runes [8]rune // ring, a power of two above longest
	seen  int
	cells [Dimensions]int64
}

func (w *window) latest() rune { return w.runes[(w.seen-1)&7] }

// add takes the next rune and counts the grams that end with it. They are hashed
// backwards, so that one pass over the longest yields the shorter ones on the way.
func (w *window) add(r rune) {
	w.runes[w.seen&7] = r
	w.seen++
	const offset, prime = 14695981039346656037, 1099511628211 // of FNV-1a
	h := uint64(offset)
	for n := 1; n <= min(longest, w.seen); n++ {
		h = (h ^ uint64(w.runes[(w.seen-n)&7])) * prime
		if n >= shortest {
			w.count(h)
		}
	}
}

// count mixes the hash by the finaliser of SplitMix64 (Steele, Lea, Flood 2014), since the
// upper bits of so short an FNV are hardly mixed, and counts it.
func (w *window) count(h uint64) {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	h ^= h >> 31
	w.cells[h>>56] += 1 - 2*int64(h&1)
}

func (w *window) vector() []float32 {
	v := make([]float32, Dimensions)
	var sum int64
	for _, c := range w.cells {
		sum += c * c
	}
	if sum == 0 {
		return v
	}
	norm := math.Sqrt(float64(sum))
	for i, c := range w.cells {
		v[i] = float32(float64(c) / norm)
	}
	return v
}
