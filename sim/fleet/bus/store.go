package bus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Store holds values that are written once under their keys, and blobs under their hashes. Values are compressed; those
// that no message can hold are blobs. Both go after [Config.Keep].
type Store struct {
	bus     *Bus
	kv      jetstream.KeyValue
	objects jetstream.ObjectStore
}

// Store opens the store of a name, and makes it if it is not there.
func (b *Bus) Store(ctx context.Context, name string) (*Store, error) {
	s := &Store{bus: b}
	err := b.Insist(ctx, "opening the bucket "+b.Name(name), func(ctx context.Context) (err error) {
		n, err := b.replicas(ctx, "KV_"+b.Name(name))
		if err != nil {
			return err
		}
		s.kv, err = b.JS.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: b.Name(name), History: 1, TTL: b.cfg.Keep, Replicas: n, Storage: jetstream.FileStorage,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	err = b.Insist(ctx, "opening the object store "+b.Name(name), func(ctx context.Context) (err error) {
		n, err := b.replicas(ctx, "OBJ_"+b.Name(name))
		if err != nil {
			return err
		}
		s.objects, err = b.JS.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: b.Name(name), TTL: b.cfg.Keep, Replicas: n, Storage: jetstream.FileStorage,
		})
		return err
	})
	return s, err
}

// Create writes a value under a key that has none. [ErrExists]: it has one. Keys are tokens with dots between them.
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	value := pack(data)
	if len(value) > s.inlineMax() {
		hash, err := s.PutBlob(ctx, data)
		if err != nil {
			return err
		}
		value = reference(hash)
	}
	return s.bus.Insist(ctx, "writing "+key, func(ctx context.Context) error {
		_, err := s.kv.Create(ctx, key, value)
		if errors.Is(err, jetstream.ErrKeyExists) {
			return ErrExists
		}
		return err
	})
}

// inlineMax is the largest value that goes into a message, in bytes: the server says what it takes, headers included.
func (s *Store) inlineMax() int { return int(s.bus.Conn.MaxPayload()) * 15 / 16 }

// slowest is the speed, in bytes a second, below which a blob that comes or goes is given up.
const slowest = 256 << 10

// forBytes is how long a call with so many bytes may take.
func (s *Store) forBytes(n int) time.Duration {
	return s.bus.cfg.Timeout + time.Duration(n)*time.Second/slowest
}

// Get returns the value of a key, or [ErrNotFound].
func (s *Store) Get(ctx context.Context, key string) (data []byte, err error) {
	var value []byte
	err = s.bus.Insist(ctx, "reading "+key, func(ctx context.Context) error {
		e, err := s.kv.Get(ctx, key)
		if err == nil {
			value = e.Value()
		}
		return missing(err)
	})
	if err != nil {
		return nil, err
	}
	return s.Unpack(ctx, value)
}

// Unpack returns what a value of the bucket stands for, which may be a blob.
func (s *Store) Unpack(ctx context.Context, value []byte) ([]byte, error) {
	data, hash, err := unpack(value)
	if err != nil || hash == "" {
		return data, err
	}
	return s.Blob(ctx, hash)
}

// Watch tells every key below a prefix that has a value, then those that get one: a nil entry comes between them. Values are
// for [Store.Unpack].
func (s *Store) Watch(ctx context.Context, prefix string) (w jetstream.KeyWatcher, err error) {
	err = s.bus.Insist(ctx, "watching "+prefix, func(context.Context) error {
		w, err = s.kv.Watch(ctx, prefix+".>", jetstream.IgnoreDeletes()) // lives as long as the caller's ctx
		return err
	})
	return w, err
}

// PutBlob writes data under its hash (SHA-256, in hex), unless it is there. [ErrTooLarge]: it has more bytes than a blob may.
func (s *Store) PutBlob(ctx context.Context, data []byte) (hash string, err error) {
	if err := tooLarge("data to write", uint64(len(data))); err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	hash = hex.EncodeToString(sum[:])
	packed := pack(data)
	return hash, s.bus.insist(ctx, "writing blob "+hash[:12], s.forBytes(len(packed)), func(ctx context.Context) error {
		if _, err := s.objects.GetInfo(ctx, hash); !errors.Is(err, jetstream.ErrObjectNotFound) {
			return err
		}
		_, err := s.objects.Put(ctx, jetstream.ObjectMeta{Name: hash}, bytes.NewReader(packed))
		return err
	})
}

// tooLarge is an error if something has more bytes than [unpack] would give back.
func tooLarge(what string, n uint64) error {
	if n <= unpackedMax {
		return nil
	}
	return fmt.Errorf("%s: %w: %d bytes (at most %d; use a shorter trace)", what, ErrTooLarge, n, unpackedMax)
}

// Blob returns what has a hash, and checks that it has it: else it is [ErrDamaged]. [ErrNotFound]: it is not there, and does not come
// within a few seconds. [ErrTooLarge]: it has more bytes than a blob may, and was not read.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	what := "reading blob " + hash
	var size uint64
	err := patiently(ctx, func() error {
		return s.bus.Insist(ctx, what, func(ctx context.Context) error {
			info, err := s.objects.GetInfo(ctx, hash)
			if err == nil {
				size = info.Size
			}
			return missing(err)
		})
	})
	if err != nil {
		return nil, err
	}
	if err := tooLarge("blob "+hash, size); err != nil {
		return nil, err
	}
	var packed []byte
	err = patiently(ctx, func() error {
		return s.bus.insist(ctx, what, s.forBytes(int(size)), func(ctx context.Context) (err error) {
			packed, err = s.objects.GetBytes(ctx, hash)
			return missing(err)
		})
	})
	if err != nil {
		return nil, err
	}
	data, _, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("blob %s has another hash: %w", hash, ErrDamaged)
	}
	return data, nil
}

// missing says ErrNotFound in our words.
func missing(err error) error {
	if errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrKeyNotFound) {
		return ErrNotFound
	}
	return err
}
