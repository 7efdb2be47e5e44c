package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"tv/internal/source"
)

// headroom is what a message has beside its data, in bytes: its subject and headers.
const headroom = 4 << 10

// shorten returns a value that fits into a message: itself, or where it is in pieces, which are written. They are entries of the
// same bucket, and so of the same stream: where a disk loses its last writes, no entry is there without its pieces.
func (l *ledger) shorten(ctx context.Context, value []byte) ([]byte, error) {
	piece := int(l.js.Conn().MaxPayload()) - headroom
	if len(value) <= piece {
		return value, nil
	}
	if piece < headroom || len(value) > maxLong {
		return nil, &source.Error{Code: CodeServer, Msg: fmt.Sprintf("takes %d bytes in a message: %d are too long for it", piece+headroom, len(value))}
	}
	out := long{envelope: l.envelope, Digest: fmt.Sprintf("%x", sha256.Sum256(value)), Bytes: int64(len(value))}
	for start := 0; start < len(value); start += piece {
		err := again(ctx, func(ctx context.Context) error { // the same bytes, whoever writes them
			_, err := l.bucket.Put(ctx, out.piece(out.Pieces), value[start:min(start+piece, len(value))])
			return err
		})
		if err != nil {
			return nil, err
		}
		out.Pieces++
	}
	return encode(out), nil
}

// piece is the key of a piece.
func (l *long) piece(n int64) string { return fmt.Sprintf("%s%s.%d", keyPiece, l.Digest, n) }

// value is what an entry holds, put together from its pieces where it is long. Errors: what is wrong with it; the server's.
func (l *ledger) value(ctx context.Context, e jetstream.KeyValueEntry) ([]byte, error) {
	var there long
	if len(e.Value()) > maxOrder || !bytes.Contains(e.Value(), []byte(`"pieces":`)) || decode(e.Value(), &there) != nil {
		return e.Value(), nil
	}
	if err := there.check(l.envelope); err != nil {
		return nil, err
	}
	var out []byte
	for n := range there.Pieces {
		p, err := l.bucket.Get(ctx, there.piece(n))
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil, fmt.Errorf("lacks piece %d of %d", n, there.Pieces)
		}
		if err != nil {
			return nil, err
		}
		if out = append(out, p.Value()...); int64(len(out)) > there.Bytes {
			break
		}
	}
	if int64(len(out)) != there.Bytes || fmt.Sprintf("%x", sha256.Sum256(out)) != there.Digest {
		return nil, errors.New("is not what its digest says")
	}
	return out, nil
}
