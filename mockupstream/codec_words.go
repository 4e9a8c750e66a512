package mockupstream

// words is what models say: 64 tokens of four bytes each, which need no escapes.
const words = "the map and his old red fox ran far out too see who has won one " +
	"day she let her own big dog run off not far and now all six try " +
	"can you say why our new car was put far off the way but not yet " +
	"for two ten men sat ate hot pie had tea got wet did nod saw him "

const (
	wordBytes  = 4
	wordTokens = len(words) / wordBytes
	briefMost  = 64 // tokens of text at once, of a call with a CallHeader
)

// words appends the text of the tokens from (inclusive) to (exclusive). Each call starts at a place of its own.
func (r response) words(dst []byte, from, to int64) []byte {
	if r.ask.brief {
		to = min(to, from+briefMost)
	}
	at := int(r.ask.Call.ID%uint64(wordTokens)+uint64(from)) % wordTokens
	for n := to - from; n > 0; {
		k := int(min(n, int64(wordTokens-at)))
		dst = append(dst, words[at*wordBytes:(at+k)*wordBytes]...)
		n -= int64(k)
		at = 0
	}
	return dst
}
