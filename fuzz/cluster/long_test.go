package cluster

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tv/fuzz/cluster/server"
)

// small starts a server that takes messages of at most 64 KiB.
func small(t *testing.T) *server.Server {
	t.Helper()
	config := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(config, []byte("max_payload: 65536\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Store: t.TempDir(), Config: config, Log: func(text string) { t.Log("server:", text) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// TestLongFindings: findings that are longer than a message go in pieces, and the report is that of one machine.
func TestLongFindings(t *testing.T) {
	const cases, length = 200, 1 << 20
	s := small(t)
	want := text(t, undisturbed(t, &toy{length: length}, cases))
	for range 2 { // the second reads what the first wrote
		got, err := campaign(t, &toy{length: length}, cases).Run(context.Background(), Server{URL: s.URL()})
		if err != nil {
			t.Fatal(err)
		}
		if text(t, got) != want {
			t.Error("the report is another")
		}
	}
}

// TestLong: a value that is put together from pieces is what was written, or an error that says what is wrong.
func TestLong(t *testing.T) {
	s := small(t)
	nc, js, err := (Server{URL: s.URL()}).connect(func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	ctx := context.Background()
	l, err := open(ctx, js, description{envelope: own, Cases: 16, Size: 16}, patience, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	piece := int(nc.MaxPayload()) - headroom
	for _, n := range []int{1, piece, piece + 1, 3 * piece} {
		value := bytes.Repeat([]byte("x"), n)
		short, err := l.shorten(ctx, value)
		if err != nil || len(short) > piece || (n <= piece) != bytes.Equal(short, value) {
			t.Fatalf("%d bytes become %d: %v", n, len(short), err)
		}
		if _, err := l.bucket.Put(ctx, "k", short); err != nil {
			t.Fatal(err)
		}
		if got, err := readValue(t, l); err != nil || !bytes.Equal(got, value) {
			t.Errorf("%d bytes come back as %d: %v", n, len(got), err)
		}
	}
	there, err := l.bucket.Get(ctx, "k")
	if err != nil {
		t.Fatal(err)
	}
	right := string(there.Value())
	for _, test := range []struct{ old, new, want string }{
		{`"pieces":3`, `"pieces":4`, "lacks piece 3 of 4"},
		{`"pieces":3`, `"pieces":2`, "is not what its digest says"},
		{`"pieces":3`, `"pieces":0`, "describes no value"},
		{`"bytes":`, `"bytes":9`, "is not what its digest says"},
		{`"bytes":`, `"bytes":999999`, "describes no value"},
		{`"build":"b"`, `"build":"c"`, "is of build"},
		{`"digest":"`, `"digest":"../`, "describes no value"},
	} {
		if _, err := l.bucket.Put(ctx, "k", []byte(strings.Replace(right, test.old, test.new, 1))); err != nil {
			t.Fatal(err)
		}
		if _, err := readValue(t, l); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s in place of %s: %v", test.new, test.old, err)
		}
	}
	if _, err := l.bucket.Put(ctx, "k", []byte(right)); err != nil {
		t.Fatal(err)
	}
	var d long
	if err := decode([]byte(right), &d); err != nil {
		t.Fatal(err)
	}
	if _, err := l.bucket.Put(ctx, d.piece(1), bytes.Repeat([]byte("y"), piece)); err != nil {
		t.Fatal(err)
	}
	if _, err := readValue(t, l); err == nil || !strings.Contains(err.Error(), "is not what its digest says") {
		t.Errorf("another piece: %v", err)
	}
}

// readValue reads the value of entry k.
func readValue(t *testing.T, l *ledger) ([]byte, error) {
	t.Helper()
	e, err := l.bucket.Get(context.Background(), "k")
	if err != nil {
		t.Fatal(err)
	}
	return l.value(context.Background(), e)
}
