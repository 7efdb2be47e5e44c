package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"tv/internal/source"
)

// Forget removes campaigns, or batches, from a server: those with the ids, and where ended is set all in which each range has a result. It returns
// the ids of what it removed, also where it fails half way. Workers of theirs end with an error.
// Errors: *source.Error with code cluster-server, or cluster-forgotten for an id that the server does not keep.
func Forget(ctx context.Context, s Server, ids []string, ended bool, log func(text string)) (gone []string, err error) {
	v, err := View(s, log)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	there, err := v.ids(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !slices.Contains(there, id) || !v.ours(ctx, id) {
			return nil, &source.Error{Name: s.String(), Code: CodeForgotten, Msg: fmt.Sprintf("keeps no campaign %.60q", id)}
		}
	}
	if ended {
		list, err := v.Status(ctx)
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			if one.Left == 0 && !slices.Contains(ids, one.Campaign) {
				ids = append(ids, one.Campaign)
			}
		}
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if err := v.forget(ctx, id); err != nil {
			return gone, s.own(ctx, err)
		}
		gone = append(gone, id)
	}
	return gone, nil
}

// ours tells the bucket of a campaign, of any version, from those of others with a like name.
func (v *Viewer) ours(ctx context.Context, id string) bool {
	bucket, err := v.js.KeyValue(ctx, bucketPrefix+id)
	if err != nil {
		return false
	}
	start, err := bucket.Get(ctx, keyStart)
	var d struct{ Campaign string }
	return err == nil && decodeLoosely(start.Value(), &d) && d.Campaign == id
}

// forget removes a campaign. Its bucket is last: what was begun can be ended by the same command.
func (v *Viewer) forget(ctx context.Context, id string) error {
	for _, remove := range []func(ctx context.Context) error{
		func(ctx context.Context) error { return v.js.DeleteStream(ctx, streamPrefix+id) },
		func(ctx context.Context) error { return v.js.DeleteObjectStore(ctx, objectPrefix+id) },
		func(ctx context.Context) error { return v.js.DeleteKeyValue(ctx, bucketPrefix+id) },
	} {
		err := again(ctx, remove)
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, jetstream.ErrBucketNotFound) {
			return err
		}
	}
	return nil
}
