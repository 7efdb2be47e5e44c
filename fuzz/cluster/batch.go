package cluster

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tv/fuzz"
	"tv/internal/source"
)

// A Batch is a command line over many files whose parts many machines work on. What a part leaves are hints for who asks, such as
// proofs that it looks at again: nothing that comes from a server is believed.
type Batch struct {
	Command string // "check" or "certify"
	Flags   []string
	Files   []BatchFile // in the order of the command line
	ByFile  bool        // a part asks about the files alone whose number is its own modulo Parts, not about a part of the questions of all
	Parts   int64
}

// Of are the files of a part.
func (b *Batch) Of(part int64) (out []BatchFile) {
	for i, f := range b.Files {
		if !b.ByFile || int64(i)%b.Parts == part {
			out = append(out, f)
		}
	}
	return out
}

// A BatchFile is a file, by a name that has nothing of who asks but its extension: "f3.txtar".
type BatchFile struct{ Name, Text string }

// BatchName is the name of file i of a batch.
func BatchName(i int, extension string) string { return fmt.Sprintf("f%d%s", i, extension) }

// MostParts is how many parts a batch has at most.
const MostParts = mostRanges

// What a batch may be.
const (
	maxFiles    = 100_000
	maxFile     = 64 << 20 // bytes
	maxManifest = 16 << 20
	maxHint     = 64 << 20
)

// A Hint is what a part of a batch leaves.
type Hint struct {
	Name string // of 64 hexadecimal digits
	Data []byte
}

// isKept tells the name of a hint.
func isKept(name string) bool {
	return len(name) == 64 && strings.Trim(name, "0123456789abcdef") == ""
}

// isBatchFile tells a name that [BatchName] makes.
func isBatchFile(name string) bool {
	number, extension, ok := strings.Cut(name, ".")
	digits, isFile := strings.CutPrefix(number, "f")
	letter := func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	return ok && isFile && digits != "" && len(digits) <= 6 && strings.Trim(digits, "0123456789") == "" &&
		extension != "" && len(extension) <= 16 && strings.TrimFunc(extension, letter) == ""
}

// A Crew is how this process works on batches.
type Crew struct {
	Build   string        // see [Build]; it says too what else an answer depends on
	Jobs    int           // parts at a time; 0 means 1
	AckWait time.Duration // a part whose worker says nothing for so long goes to another; 0 means 30 seconds
	Log     func(text string)
	// Work runs a part and returns what it leaves. Errors: the context's; that a batch is not one that this process works on.
	Work func(ctx context.Context, b *Batch, part int64) ([]Hint, error)
}

// A manifest is the object "manifest" of a batch: what it is, but for the texts of files.
type manifest struct {
	Command string         `json:"command"`
	Flags   []string       `json:"flags"`
	Files   []manifestFile `json:"files"`
	ByFile  bool           `json:"byFile"`
	Parts   int64          `json:"parts"`
}

// A manifestFile is a file; its text is the object "file.SHA256".
type manifestFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// object is the name of the object with the text.
func (f manifestFile) object() string { return "file." + f.SHA256 }

const manifestObject = "manifest"

func (b *Batch) manifest() *manifest {
	m := &manifest{Command: b.Command, Flags: b.Flags, ByFile: b.ByFile, Parts: b.Parts}
	for _, f := range b.Files {
		m.Files = append(m.Files, manifestFile{f.Name, fmt.Sprintf("%x", sha256.Sum256([]byte(f.Text)))})
	}
	return m
}

// describe is the description of a batch with so encoded a manifest.
func (c *Crew) describe(b *Batch, encoded []byte) description {
	sum := fmt.Sprintf("%x", sha256.Sum256(encoded))
	return description{envelope{Schema, digest("batch", sum, c.Build), c.Build},
		fuzz.Start{Schema: fuzz.Schema, Line: "start", Target: b.Command, ID: sum, Shards: 1, Budget: fmt.Sprintf("%dx", b.Parts)}, b.Parts, 1, true}
}

// Ask puts a batch on a server, unless it is there, works on it together with all who serve there, and returns what all parts left, by
// its name. What cannot be read is left out and said: it was a hint.
// Errors: the context's; *source.Error with code cluster-server, cluster-build or cluster-message.
func (c *Crew) Ask(ctx context.Context, s Server, b *Batch) (map[string][]byte, error) {
	nc, js, err := s.connect(c.Log)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	out, err := c.ask(ctx, js, b)
	return out, s.own(ctx, err)
}

func (c *Crew) ask(ctx context.Context, js jetstream.JetStream, b *Batch) (map[string][]byte, error) {
	encoded := encode(b.manifest())
	if len(encoded) > maxManifest || len(b.Files) > maxFiles || b.Parts > MostParts {
		return nil, &source.Error{Code: CodeServer, Msg: "these are too many files at once"}
	}
	l := newLedger(js, c.Log)
	l.description = c.describe(b, encoded)
	store, err := l.objects(ctx) // texts are there before anybody hears of the batch
	if err != nil {
		return nil, err
	}
	for i, f := range b.manifest().Files {
		if len(b.Files[i].Text) > maxFile {
			return nil, &source.Error{Code: CodeServer, Msg: fmt.Sprintf("a file of %d bytes is longer than %d", len(b.Files[i].Text), maxFile)}
		}
		if err := putOnce(ctx, store, f.object(), []byte(b.Files[i].Text)); err != nil {
			return nil, err
		}
	}
	if err := putOnce(ctx, store, manifestObject, encoded); err != nil {
		return nil, err
	}
	l, err = open(ctx, js, l.description, c.wait(), c.Log)
	if err != nil {
		return nil, err
	}
	if err := c.work(ctx, l, b, store); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, r := range l.results {
		for _, name := range r.Kept {
			names[name] = true
		}
	}
	out := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		data, err := readObject(ctx, store, name, maxHint)
		switch {
		case err == nil:
			out[name] = data
		case errors.Is(err, errObject), errors.Is(err, jetstream.ErrObjectNotFound):
			c.Log(refused(name, "%v", err).Error())
		default:
			return nil, err
		}
	}
	return out, nil
}

func (c *Crew) wait() time.Duration { return cmp.Or(c.AckWait, defaultAckWait) }

// putOnce writes an object unless there is one by its name, which says what is in it.
func putOnce(ctx context.Context, store jetstream.ObjectStore, name string, data []byte) error {
	err := again(ctx, func(ctx context.Context) error {
		_, err := store.GetInfo(ctx, name)
		return err
	})
	if !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	return putObject(ctx, store, name, data)
}

// work works on a batch until each part has a result.
func (c *Crew) work(ctx context.Context, l *ledger, b *Batch, store jetstream.ObjectStore) error {
	w := &worker{ledger: l, name: workerName(), beat: c.wait() / 3, seen: func(*fuzz.Finding) {}, looked: func(_, _, _ int64) {}}
	w.runner = func() func(context.Context, int64) error {
		return func(ctx context.Context, n int64) error {
			hints, err := c.Work(ctx, b, n)
			if err != nil {
				return err
			}
			r := &result{Range: n, Cases: 1, Worker: w.name}
			for _, h := range hints {
				if !isKept(h.Name) || len(h.Data) > maxHint {
					continue // it was a hint
				}
				if err := putOnce(ctx, store, h.Name, h.Data); err != nil {
					return err
				}
				r.Kept = append(r.Kept, h.Name)
			}
			_, err = l.store(ctx, r)
			return err
		}
	}
	return w.drive(ctx, c.Jobs)
}

// serveEvery is how often a server is asked for batches.
const serveEvery = 500 * time.Millisecond

// Serve works on the batches of a server, one after the other, until the context ends. Those of other builds are said once and left alone, and
// so are those that are not right.
// Errors: the context's; *source.Error with code cluster-server.
func (c *Crew) Serve(ctx context.Context, s Server) error {
	v, err := View(s, c.Log)
	if err != nil {
		return err
	}
	defer v.Close()
	done := map[string]time.Time{} // batches that ended or were left alone, by when they began
	for {
		ids, err := v.ids(ctx)
		if err != nil && !transient(err) {
			return err
		}
		for _, id := range ids {
			began, err := c.serveOne(ctx, v.js, id, done[id])
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && began.IsZero(): // it is being made, or forgotten
			case err != nil:
				c.Log(err.Error())
			}
			if !began.IsZero() {
				done[id] = began
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(serveEvery):
		}
	}
}

// serveOne works on a batch to its end, unless it is the one that began then. began is zero where it is not known yet whether it is one.
func (c *Crew) serveOne(ctx context.Context, js jetstream.JetStream, id string, then time.Time) (began time.Time, err error) {
	l, err := read(ctx, js, id, func(string) {})
	if err != nil {
		return time.Time{}, err
	}
	if began = l.created; began.Equal(then) || !l.Batch {
		return began, nil
	}
	l.log = c.Log
	if l.Build != c.Build {
		return began, &source.Error{Name: bucketPrefix + id, Code: CodeBuild, Msg: fmt.Sprintf("is of build %.40q of tv and its solvers, and this is %s: it is left alone", l.Build, c.Build)}
	}
	store, err := l.objects(ctx)
	if err != nil {
		return began, err
	}
	b, err := c.fetch(ctx, l, store)
	if err != nil {
		return began, err
	}
	return began, c.work(ctx, l, b, store)
}

// fetch reads a batch. Errors: what is wrong with it; the server's.
func (c *Crew) fetch(ctx context.Context, l *ledger, store jetstream.ObjectStore) (*Batch, error) {
	encoded, err := readObject(ctx, store, manifestObject, maxManifest)
	if err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := decode(encoded, m); err != nil {
		return nil, refused(manifestObject, "%v", err)
	}
	b := &Batch{Command: m.Command, Flags: m.Flags, ByFile: m.ByFile, Parts: m.Parts}
	if c.describe(b, encoded) != l.description || len(m.Files) > maxFiles {
		return nil, refused(manifestObject, "is that of another batch")
	}
	names := map[string]bool{}
	for _, f := range m.Files {
		if !isBatchFile(f.Name) || names[f.Name] {
			return nil, refused(manifestObject, "has a file %.40q", f.Name)
		}
		names[f.Name] = true
		text, err := readObject(ctx, store, f.object(), maxFile)
		if err != nil {
			return nil, err
		}
		if fmt.Sprintf("%x", sha256.Sum256(text)) != f.SHA256 {
			return nil, refused(f.object(), "is not what its digest says")
		}
		b.Files = append(b.Files, BatchFile{f.Name, string(text)})
	}
	return b, nil
}
