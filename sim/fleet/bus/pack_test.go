package bus

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// Ensure what is packed is unpacked to the same bytes, and equal data is packed alike.
func TestPackRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		got, hash, err := unpack(pack(data))
		if err != nil || hash != "" || !bytes.Equal(got, data) {
			t.Fatalf("got %x, %q, %v", got, hash, err)
		}
		if !bytes.Equal(pack(data), pack(data)) {
			t.Fatal("packed differently twice")
		}
	})
	if data, hash, err := unpack(reference("abc123")); data != nil || hash != "abc123" || err != nil {
		t.Errorf("reference: %x, %q, %v", data, hash, err)
	}
}

func FuzzUnpack(f *testing.F) {
	for _, seed := range [][]byte{nil, []byte("z"), []byte("b"), []byte("babc"), pack([]byte("hello")), []byte("b../x"), []byte("x1")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		data, hash, err := unpack(value)
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("another error: %v", err)
		}
		if err != nil && (data != nil || hash != "") || hash != "" && !plain(hash) {
			t.Errorf("data %x, hash %q, error %v", data, hash, err)
		}
	})
}
