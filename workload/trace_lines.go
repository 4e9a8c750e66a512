package workload

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow bounds the memory that unpacking zstd takes, and so what packed files are
// accepted. It is enough for every level of the zstd command, except --ultra -21 and
// up, and --long of 27 and up.
const maxZstdWindow = 64 << 20

// traceLines reads a text line by line in bounded memory, and unpacks gzip and zstd, which
// it knows by content.
type traceLines struct {
	in     *bufio.Reader
	zstd   *zstd.Decoder
	long   []byte // line that does not fit the buffer of in
	held   []byte // line that was put back
	back   bool
	number int // of the last line, from 1
}

func newLines(r io.Reader, name string) (traceLines, error) {
	in, z, err := unpack(r)
	switch {
	case errors.Is(err, errPacked):
		return traceLines{}, fmt.Errorf("unpacking trace %s: %w", name, cut(err))
	case err != nil:
		return traceLines{}, fmt.Errorf("reading trace %s: %w", name, err)
	}
	return traceLines{in: in, zstd: z}, nil
}

// errPacked is what errors about the packing wrap.
var errPacked = errors.New("not packed well")

// unpack unpacks gzip and zstd; what is neither it leaves. The decoder is nil unless it is zstd.
func unpack(r io.Reader) (*bufio.Reader, *zstd.Decoder, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	magic, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		gz, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, errors.Join(errPacked, err)
		}
		return bufio.NewReaderSize(gz, 1<<16), nil, nil
	case isZstd(magic):
		// With a concurrency of 1 the decoder has no goroutines.
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, nil, errors.Join(errPacked, err)
		}
		return bufio.NewReaderSize(z, 1<<16), z, nil
	}
	return in, nil, nil
}

// Unpacked returns what r holds, unpacked if it is gzip or zstd, which it knows by content. Call
// release when it has been read.
func Unpacked(r io.Reader) (in *bufio.Reader, release func(), err error) {
	in, z, err := unpack(r)
	if err != nil {
		return nil, nil, cut(err)
	}
	release = func() {}
	if z != nil {
		release = z.Close
	}
	return in, release, nil
}

// isZstd knows a frame of zstd (RFC 8878, section 3.1), or one to skip before it.
func isZstd(magic []byte) bool {
	return bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(magic) == 4 && magic[0]>>4 == 5 && bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18})
}

// close frees what unpacking holds.
func (l *traceLines) close() {
	if l.zstd != nil {
		l.zstd.Close()
		l.zstd = nil
	}
}

// next returns the next line that is not blank.
func (l *traceLines) next() ([]byte, error) {
	if l.back {
		l.back = false
		return l.held, nil
	}
	line, err := l.read()
	for err == nil && len(bytes.TrimSpace(line)) == 0 {
		line, err = l.read()
	}
	return line, err
}

// first returns the first line that is not blank, without a byte order mark.
func (l *traceLines) first() ([]byte, error) {
	line, err := l.read()
	if err == nil {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		if len(bytes.TrimSpace(line)) == 0 {
			line, err = l.next()
		}
	}
	if err == io.EOF {
		return nil, errors.New("the file is empty")
	}
	return bytes.TrimSpace(line), err
}

// putBack makes next return a line again.
func (l *traceLines) putBack(line []byte) { l.held, l.back = line, true }

// read returns the next line without its end. What it returns is valid until the next
// call. A last line counts although it has no end, unless reading failed.
func (l *traceLines) read() ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		if err == io.EOF && len(l.long)+len(part) == 0 {
			return nil, io.EOF
		}
		if len(l.long)+len(part) > maxRow {
			l.number++
			return nil, fmt.Errorf("the row is longer than %d bytes", maxRow)
		}
		switch err {
		case nil, io.EOF:
			l.number++
			if len(l.long) > 0 {
				l.long = append(l.long, part...)
				part = l.long
			}
			return bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r")), nil
		case bufio.ErrBufferFull:
			l.long = append(l.long, part...)
		default:
			l.number++
			return nil, cut(err)
		}
	}
}

// cut explains the error of a file that ends too early.
func cut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("the packed data is truncated: %w", io.ErrUnexpectedEOF)
	}
	return err
}
