package bus

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// A value begins with a byte that says what follows it.
const (
	packedData = 'z' // data, compressed by zstd
	packedBlob = 'b' // the hash of a blob
)

// unpackedMax bounds what a value may grow to, in bytes.
const unpackedMax = 1 << 30

// The encoder is one for all: EncodeAll may be called by many at once, and equal data gives equal bytes.
var (
	encoder, encoderErr = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	decoder, decoderErr = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(unpackedMax))
)

// pack compresses data.
func pack(data []byte) []byte {
	if encoderErr != nil {
		panic(encoderErr) // wrong constants above
	}
	return encoder.EncodeAll(data, []byte{packedData})
}

// reference stands for a blob.
func reference(hash string) []byte { return append([]byte{packedBlob}, hash...) }

// unpack is the reverse of pack and reference: the data, or the hash of a blob. The error is [ErrDamaged].
func unpack(value []byte) (data []byte, hash string, err error) {
	if decoderErr != nil {
		panic(decoderErr)
	}
	switch {
	case len(value) == 0:
		return nil, "", fmt.Errorf("an empty value: %w", ErrDamaged)
	case value[0] == packedBlob && plain(string(value[1:])):
		return nil, string(value[1:]), nil
	case value[0] == packedData:
		data, err = decoder.DecodeAll(value[1:], nil)
		if err != nil {
			return nil, "", fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return data, "", nil
	}
	return nil, "", fmt.Errorf("a value of an unknown kind %q: %w", value[0], ErrDamaged)
}
