package mockupstream

import (
	"encoding/binary"
	"math/bits"
)

// digest takes bytes into a hash, eight at a time: a rotation, an exclusive or and a multiplication by an odd
// number lose nothing of either side, so texts that differ in one word never meet. mix ends it.
func digest(h uint64, b []byte) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		h = absorb(h, binary.LittleEndian.Uint64(b))
	}
	last := uint64(len(b)) << 56
	for i, v := range b {
		last |= uint64(v) << (8 * i)
	}
	return mix(absorb(h, last))
}

func absorb(h, word uint64) uint64 {
	return (bits.RotateLeft64(h, 23) ^ word) * golden
}

// draw is how many tokens the model would say to a prompt with this hash; see [Codec.Read].
func draw(hash uint64) int64 {
	quarters := [...]int64{1000, 1189, 1414, 1682} // thousandths of 2^(i/4)
	k := bits.OnesCount32(uint32(hash))
	return 200 * quarters[k%4] << (k / 4) / 16_000
}
