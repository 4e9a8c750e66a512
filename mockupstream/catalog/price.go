package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// MaxPrice is the highest price that ParsePrice takes, in USD per million tokens. A bill of
// 10^9 tokens at this price is past what 64 bits of pico-USD hold; at today's
// highest prices 10^11 tokens are not.
const MaxPrice = 10_000

const decimals = 6 // of a price in USD per million tokens: 10^-6 USD is one pico-USD a token

// ErrPrice is what every error of ParsePrice wraps.
var ErrPrice = errors.New("price must be a plain decimal number of USD per million tokens, from 0 to 10000, with at most 6 digits after the point")

// ParsePrice reads a price in USD per million tokens, such as "0.42", and returns it in
// pico-USD per token, exactly: "0.42" is 420 000. Signs, exponents, blanks and a seventh
// decimal other than 0 are errors.
func ParsePrice(usdPerMTok string) (picoPerToken int64, err error) {
	whole, fraction, point := strings.Cut(usdPerMTok, ".")
	fraction = strings.TrimRight(fraction, "0")
	badPoint := point && strings.HasSuffix(usdPerMTok, ".")
	if len(whole) > 10 || len(fraction) > decimals || badPoint || !digits(whole) || whole == "" || !digits(fraction) {
		return 0, fmt.Errorf("parsing price %q: %w", usdPerMTok, ErrPrice)
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	if err != nil || n > MaxPrice*1_000_000 {
		return 0, fmt.Errorf("parsing price %q: %w", usdPerMTok, ErrPrice)
	}
	return n, nil
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// parse reads the prices. What is left out is understood: cached and written tokens cost what
// others do; above LongFrom they cost in the same proportion to input as below.
func (in *filePrice) parse() (p Price, err error) {
	p.LongFrom = in.LongFrom
	for _, f := range []struct {
		name, text string
		to         *int64
	}{
		{"input", in.Input, &p.Input},
		{"output", in.Output, &p.Output},
		{"cached", cmp.Or(in.Cached, in.Input), &p.Cached},
		{"cache_write", cmp.Or(in.CacheWrite, in.Input), &p.CacheWrite},
		{"long_input", cmp.Or(in.LongInput, "0"), &p.Long.Input},
		{"long_output", cmp.Or(in.LongOutput, "0"), &p.Long.Output},
	} {
		if *f.to, err = ParsePrice(f.text); err != nil {
			return p, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	long := in.LongInput != "" && in.LongOutput != ""
	if in.LongFrom < 0 || long != (in.LongFrom > 0) || !long && (in.LongInput != "" || in.LongOutput != "") {
		return p, fmt.Errorf("long_from, long_input and long_output: found %d, %q and %q, need all three or none", in.LongFrom, in.LongInput, in.LongOutput)
	}
	if long {
		p.Long.Cached = scale(p.Cached, p.Long.Input, p.Input)
		p.Long.CacheWrite = scale(p.CacheWrite, p.Long.Input, p.Input)
	}
	return p, nil
}

// scale returns price * num / den, rounded to the nearest; prices are at most 10^10, so a price without a base is 0.
func scale(price, num, den int64) int64 {
	if den == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(price), uint64(num))
	lo, carry := bits.Add64(lo, uint64(den/2), 0)
	q, _ := bits.Div64((hi+carry)%uint64(den), lo, uint64(den))
	return int64(q)
}
