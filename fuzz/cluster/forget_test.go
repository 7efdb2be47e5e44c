package cluster

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tv/internal/source"
)

// coded tells an error with a code.
func coded(err error, code string) bool {
	var e *source.Error
	return errors.As(err, &e) && e.Code == code
}

// TestForget: what is forgotten leaves nothing on the server, its workers end and say so, it can begin anew, and nothing else is touched.
func TestForget(t *testing.T) {
	s := serve(t, t.TempDir(), "127.0.0.1:0")
	defer s.Stop()
	at, ctx := Server{URL: s.URL()}, context.Background()
	log := func(text string) { t.Log(text) }
	first, second := campaign(t, &toy{}, 100), campaign(t, &toy{}, 200)
	second.Corpus = t.TempDir()
	for _, c := range []*Campaign{first, second} {
		if _, err := c.Run(ctx, at); err != nil {
			t.Fatal(err)
		}
	}
	nc, js, err := at.connect(log)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	foreign, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucketPrefix + "foreign"})
	if err == nil {
		_, err = foreign.Put(ctx, keyStart, []byte(`{"campaign":"another"}`))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"none", "foreign", "queue-" + first.ID(), "", "../x"} {
		if gone, err := Forget(ctx, at, []string{second.ID(), id}, false, log); !coded(err, CodeForgotten) || len(gone) > 0 {
			t.Errorf("%q is forgotten: %v, %v", id, gone, err)
		}
	}
	// One that is under way: its worker waits in a case until the campaign is gone.
	var once sync.Once
	held, gone := make(chan bool), make(chan bool)
	third := campaign(t, &toy{before: func(context.Context, int64) { once.Do(func() { close(held); <-gone }) }}, 300)
	failed := make(chan error)
	go func() { _, err := third.Run(ctx, at); failed <- err }()
	<-held
	if ids, err := Forget(ctx, at, nil, true, log); err != nil || len(ids) != 2 {
		t.Errorf("what has ended: %v, %v", ids, err)
	}
	if ids, err := Forget(ctx, at, []string{third.ID(), third.ID()}, false, log); err != nil || strings.Join(ids, " ") != third.ID() {
		t.Errorf("what is under way: %v, %v", ids, err)
	}
	close(gone)
	if err := <-failed; !coded(err, CodeForgotten) {
		t.Errorf("the worker of what was forgotten: %v", err)
	}
	var names []string
	for name := range js.StreamNames(ctx).Name() {
		names = append(names, name)
	}
	if strings.Join(names, " ") != "KV_"+bucketPrefix+"foreign" {
		t.Errorf("there still are %v", names)
	}
	if got, err := first.Run(ctx, at); err != nil || text(t, got) != text(t, undisturbed(t, &toy{}, 100)) {
		t.Errorf("anew: %v", err)
	}
}
