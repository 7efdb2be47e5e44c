package cluster

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"tv/fuzz"
)

// Schema is that of messages and entries.
const Schema = "tv.fuzz.cluster/v2"

// maxOrder is the length of the longest message of a queue, in bytes.
const maxOrder = 1 << 10

// envelope is what every message and entry says of where it belongs.
type envelope struct {
	Schema   string `json:"schema"`
	Campaign string `json:"campaign"`
	Build    string `json:"build"`
}

// An order is a message of the queue.
type order struct {
	envelope
	Range int64 `json:"range"`
}

// A description is the entry "start".
type description struct {
	envelope
	Start fuzz.Start `json:"start"`
	Cases int64      `json:"cases"`
	Size  int64      `json:"size"`            // cases of a range
	Batch bool       `json:"batch,omitempty"` // cases are parts of a [Batch]; Start has its command and the digest of its manifest
}

// check says what is wrong with the description of campaign id.
func (d *description) check(id string) error {
	switch {
	case d.belongs(envelope{Schema, id, d.Build}) != nil:
		return fmt.Errorf("is of version %.40q, not %q", d.Schema, Schema)
	case d.Cases < 1, !d.Batch && d.Size != sizeOf(d.Cases), d.Batch && (d.Size != 1 || d.Cases > mostRanges):
		return errors.New("describes no campaign")
	}
	return nil
}

// A mark is the entry "mark": ranges below it were published, and those without a result were put back so many times.
type mark struct {
	envelope
	Next  int64 `json:"next"`
	Round int64 `json:"round"`
}

// A result is the entry "range.N".
type result struct {
	envelope
	Range  int64  `json:"range"`
	Cases  int64  `json:"cases"`
	Worker string `json:"worker"`
	// Covered is what the range covered, each with the least of its cases that did, but for what results that the same worker wrote
	// before have of an earlier case. The least case of all results is then that of the campaign: of a range that two
	// workers ran, the result of one is there.
	Covered map[string]int64 `json:"covered,omitempty"`
	// Kept are the names of the objects that the part of a batch left.
	Kept []string `json:"kept,omitempty"`
}

// A found is the entry "finding.DIGEST", the digest being that of its key.
type found struct {
	envelope
	Finding fuzz.Finding `json:"finding"`
}

// A setAside is the entry "refused.N": a message of the queue that no worker of the campaign wrote.
type setAside struct {
	envelope
	Reason string `json:"reason"`
}

// A long is an entry whose value is longer than a message: it is in pieces, each an entry "piece.DIGEST.N" that was written before.
type long struct {
	envelope
	Digest string `json:"digest"` // SHA-256 of the value
	Bytes  int64  `json:"bytes"`
	Pieces int64  `json:"pieces"`
}

// maxLong is the length of the longest value in bytes.
const maxLong = 256 << 20

// check says what is wrong with the description of a long value.
func (l *long) check(of envelope) error {
	if err := l.belongs(of); err != nil {
		return err
	}
	if l.Bytes < 1 || l.Bytes > maxLong || l.Pieces < 1 || l.Pieces > l.Bytes || len(l.Digest) != 2*sha256.Size || strings.Trim(l.Digest, "0123456789abcdef") != "" {
		return errors.New("is not one of tv's: describes no value")
	}
	return nil
}

// encode writes a message or an entry.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // structs of texts and numbers
	}
	return data
}

// decode reads a message or an entry that has what into has, and no more.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return errors.New("is not one of tv's: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("is not one of tv's: there is more after it")
	}
	return nil
}

// belongs says what is wrong with an envelope in a campaign.
func (e envelope) belongs(to envelope) error {
	switch {
	case e.Schema != to.Schema:
		return fmt.Errorf("is of version %.40q, not %q", e.Schema, to.Schema)
	case e.Campaign != to.Campaign:
		return fmt.Errorf("is of campaign %.40q, not %s", e.Campaign, to.Campaign)
	case e.Build != to.Build:
		return fmt.Errorf("is of build %.40q, not %s", e.Build, to.Build)
	}
	return nil
}

// readOrder reads a message of the queue of a campaign of so many ranges.
func readOrder(data []byte, of envelope, ranges int64) (int64, error) {
	if len(data) > maxOrder {
		return 0, fmt.Errorf("has %d bytes, more than %d", len(data), maxOrder)
	}
	var o order
	if err := decode(data, &o); err != nil {
		return 0, err
	}
	if err := o.belongs(of); err != nil {
		return 0, err
	}
	if o.Range < 0 || o.Range >= ranges {
		return 0, fmt.Errorf("is about range %d of %d", o.Range, ranges)
	}
	return o.Range, nil
}

// check says what is wrong with the result of a range.
func (r *result) check(d *description, n int64) error {
	if err := r.belongs(d.envelope); err != nil {
		return err
	}
	first, end := d.cases(n)
	if r.Range != n || r.Cases != end-first {
		return fmt.Errorf("is about %d cases of range %d, not %d of range %d", r.Cases, r.Range, end-first, n)
	}
	if len(r.Kept) > 0 && !d.Batch {
		return errors.New("is that of a batch")
	}
	for _, name := range r.Kept {
		if !isKept(name) {
			return errors.New("names what no part of a batch leaves")
		}
	}
	for _, k := range r.Covered {
		if k < first || k >= end {
			return fmt.Errorf("is about case %d, and range %d has %d to %d", k, n, first, end-1)
		}
	}
	return nil
}

// check says what is wrong with a finding whose key has the given digest.
func (f *found) check(d *description, digest string) error {
	if err := f.belongs(d.envelope); err != nil {
		return err
	}
	switch g := &f.Finding; {
	case g.Target != d.Start.Target || g.Case < 0 || g.Case >= d.Cases || KeyDigest(g.Key) != digest:
		return errors.New("is no finding of this campaign")
	case !isKind(g.Kind): // it is part of the name of a file
		return errors.New("is of a kind that there is not")
	case !slices.Equal(g.Replay, replay) || g.File != "": // people paste the command into a shell
		return errors.New("names a command that campaigns do not name")
	}
	return nil
}

// isKind tells words that a finding's kind may be.
func isKind(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz -") == ""
}

// replay is the command that all findings name.
var replay = []string{"tv", "replay"}

// ranges is the number of ranges.
func (d *description) ranges() int64 { return (d.Cases + d.Size - 1) / d.Size }

// cases are those of range n: first to end-1.
func (d *description) cases(n int64) (first, end int64) {
	return n * d.Size, min((n+1)*d.Size, d.Cases)
}

// Ranges are small enough that one more or less at the end of a campaign is not much, and that what a killed worker did
// in vain is little; and large enough that what a range costs beside its cases is little.
const (
	leastSize  = 16
	mostRanges = 4096
)

// sizeOf is the number of cases of a range in a campaign of so many.
func sizeOf(cases int64) int64 { return max(leastSize, (cases+mostRanges-1)/mostRanges) }

// KeyDigest is what names the entry of a finding.
func KeyDigest(key string) string { return digest(key) }

// digest is a name made of texts.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return fmt.Sprintf("%x", sum[:12])
}

// Build names this build of tv: a digest of the running executable. Other versions, patches and platforms have others.
func Build() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12]), nil
}

// decodeLoosely reads what an entry of any version has of what into has.
func decodeLoosely(data []byte, into any) bool { return json.Unmarshal(data, into) == nil }
