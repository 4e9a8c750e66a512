package catalog

import (
	"errors"
	"fmt"
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

func (in *filePrice) parse() (p Price, err error) {
	if p.Input, err = ParsePrice(in.Input); err != nil {
		return p, fmt.Errorf("input: %w", err)
	}
	if p.Output, err = ParsePrice(in.Output); err != nil {
		return p, fmt.Errorf("output: %w", err)
	}
	p.Cached = p.Input
	if in.Cached != "" {
		if p.Cached, err = ParsePrice(in.Cached); err != nil {
			return p, fmt.Errorf("cached: %w", err)
		}
	}
	return p, nil
}
