package fuzz

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tv/equiv"
	"tv/glenside"
	"tv/internal/files"
)

// A Campaign hunts for faults of tv: each case is a random program with a twin or a mutant, of which the prover, the
// evaluator and Check must not say different things. A case depends on the seed and its number alone, so shards
// of one campaign have nothing in common, and together they are the whole.
type Campaign struct {
	Seed          uint64
	Cases         int64  // the number of cases of all shards together; 0: until the context ends
	Shard, Shards int    // cases k with k mod Shards = Shard; Shards 0 means 1
	Jobs          int    // cases at a time; 0 means 1
	Corpus        string // directory for findings and for the state that Resume reads; "" keeps neither
	Resume        bool   // go on after the last case that a run with the same seed and shard ended with
	// Examine replaces the examination of a pair, in tests; nil is the real one.
	Examine func(before, after *Program, twin bool) (kind, detail string)

	done     atomic.Int64
	findings atomic.Int64
}

// A Finding is a pair of programs that tv is wrong about.
type Finding struct {
	Case   int64
	Kind   string // "wrong proof", "wrong refutation", "wrong law", "fault"
	Detail string
	Before string
	After  string
	Exact  bool
	File   string // where it was written, or ""
}

// Progress returns the number of cases done and of findings so far. It may be asked while Run runs.
func (c *Campaign) Progress() (cases, findings int64) { return c.done.Load(), c.findings.Load() }

// block is the number of cases after which all workers meet and the state is written.
const block = 64

// state is what Resume reads.
type state struct {
	Seed   uint64 `json:"seed"`
	Shard  int    `json:"shard"`
	Shards int    `json:"shards"`
	Next   int64  `json:"next"` // every case of the shard below is done, and its findings are written
}

func (c *Campaign) stateFile() string {
	return filepath.Join(c.Corpus, fmt.Sprintf("state-%d-of-%d.json", c.Shard, c.Shards))
}

// Run runs the campaign and calls report for each finding, in the order of cases, after it has been written. It
// returns the context's error if that ended it before the last case.
func (c *Campaign) Run(ctx context.Context, report func(Finding)) error {
	c.Shards, c.Jobs = max(1, c.Shards), max(1, c.Jobs)
	if c.Corpus != "" {
		if err := os.MkdirAll(c.Corpus, 0o777); err != nil {
			return err
		}
	}
	next := int64(c.Shard)
	if c.Resume {
		s, err := c.readState()
		if err != nil {
			return err
		}
		next = max(next, s.Next)
	}
	for c.Cases == 0 || next < c.Cases {
		if err := ctx.Err(); err != nil {
			return err
		}
		var mu sync.Mutex
		found := map[int64]Finding{}
		var g errgroup.Group
		g.SetLimit(c.Jobs)
		end := next
		for range block {
			k := end
			if c.Cases > 0 && k >= c.Cases {
				break
			}
			end += int64(c.Shards)
			g.Go(func() error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if f, ok := c.run(k); ok {
					mu.Lock()
					found[k] = f
					mu.Unlock()
				}
				c.done.Add(1)
				return nil
			})
		}
		stopped := g.Wait()
		for k := next; k < end; k += int64(c.Shards) {
			f, ok := found[k]
			if !ok {
				continue
			}
			if err := c.write(&f); err != nil {
				return err
			}
			c.findings.Add(1)
			report(f)
		}
		if stopped != nil {
			return stopped
		}
		next = end
		if err := c.writeState(next); err != nil {
			return err
		}
	}
	return nil
}

func (c *Campaign) readState() (state, error) {
	var s state
	text, err := os.ReadFile(c.stateFile())
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("%s: %w", c.stateFile(), err)
	}
	if s.Seed != c.Seed || s.Shard != c.Shard || s.Shards != c.Shards || s.Next < 0 {
		return s, fmt.Errorf("%s is of seed %d and shard %d/%d, not of seed %d and shard %d/%d", c.stateFile(), s.Seed, s.Shard, s.Shards,
			c.Seed, c.Shard, c.Shards)
	}
	return s, nil
}

func (c *Campaign) writeState(next int64) error {
	if c.Corpus == "" {
		return nil
	}
	text, err := json.Marshal(state{c.Seed, c.Shard, c.Shards, next})
	if err != nil {
		return err
	}
	return files.WriteAtomic(c.stateFile(), append(text, '\n'))
}

// run runs case k.
func (c *Campaign) run(k int64) (Finding, bool) {
	salt := scramble(c.Seed ^ scramble(uint64(k)))
	p := Programs(Params{Salt: salt, MaxOps: 6}).Example(int(salt >> 1))
	var other *Program
	twin := k%2 == 0
	if twin {
		other = Twin(p, p.Seed).Program
	} else if m := Mutate(p, p.Seed); m != nil {
		other = m.Program
	} else {
		return Finding{}, false
	}
	examine := c.Examine
	if examine == nil {
		examine = Examine
	}
	kind, detail := examine(p, other, twin)
	if kind == "" {
		return Finding{}, false
	}
	before, after := shrunk(p, other, func(x, y *Program) bool {
		again, _ := examine(x, y, twin)
		return again == kind
	})
	_, detail2 := examine(before, after, twin)
	if detail2 != "" {
		detail = detail2
	}
	return Finding{Case: k, Kind: kind, Detail: detail, Before: before.Text, After: after.Text, Exact: p.Exact}, true
}

// Samples of a campaign's judgements: of twins, which should be the same, and of mutants.
const (
	twinSamples   = 64
	mutantSamples = 1000
)

// Examine asks everybody about a pair and returns who is wrong: "" where nobody is. A twin should mean the same.
func Examine(before, after *Program, twin bool) (kind, detail string) {
	defer func() {
		if r := recover(); r != nil {
			kind, detail = "fault", fmt.Sprint(r)
			if f, ok := r.(*equiv.Fault); ok {
				detail = f.Error()
			}
		}
	}()
	samples := mutantSamples
	if twin {
		samples = twinSamples
	}
	j := Judge(before.Typing, after.Typing, before.Exact, samples, before.Seed)
	if j.Apart && twin {
		return "wrong law", j.How
	}
	opts := equiv.Options{Timeout: 2 * time.Second, Solver: "none"}
	if before.Exact {
		opts.Arith = equiv.Exact
	}
	ctx := context.Background()
	if j.Apart {
		if proved, err := equiv.Prove(ctx, before.Parsed, after.Parsed, opts); err == nil && proved {
			return "wrong proof", j.How
		}
		return "", ""
	}
	r, err := equiv.Check(ctx, before.Parsed, after.Parsed, opts)
	if err != nil || r.Verdict != equiv.Refuted {
		return "", ""
	}
	if how := Confirm(before, after, &r); how != "" {
		return "wrong refutation", how
	}
	if twin {
		return "wrong law", "tv refutes the twin, and the evaluator agrees: " + r.Detail
	}
	return "", ""
}

// shrinkTries bounds the pairs that are examined to make a finding smaller.
const shrinkTries = 300

// shrunk returns a smaller pair of which keep still holds: operators are dropped, from the result down and, where both
// programs share them, from the inputs up.
func shrunk(before, after *Program, keep func(x, y *Program) bool) (*Program, *Program) {
	tries := shrinkTries
	try := func(x, y string) (*Program, *Program, bool) {
		if tries--; tries < 0 {
			return nil, nil, false
		}
		a, err := typed("before", x)
		if err != nil {
			return nil, nil, false
		}
		b, err := typed("after", y)
		if err != nil {
			return nil, nil, false
		}
		if len(a.Parsed.Nodes)+len(b.Parsed.Nodes) >= len(before.Parsed.Nodes)+len(after.Parsed.Nodes) {
			return nil, nil, false
		}
		a.Exact, a.Seed, b.Exact, b.Seed = before.Exact, before.Seed, after.Exact, after.Seed
		return a, b, keep(a, b)
	}
	for again := true; again; {
		again = false
		before, after = readOnly(before, after)
	search:
		for _, x := range before.Parsed.Nodes {
			if x.Kind != glenside.KindCall || before.Typing.Type(x).Kind != glenside.TypeAccess || x.Op == glenside.OpAccessTensor {
				continue
			}
			text := glenside.FormatNode(x)
			for _, y := range after.Parsed.Nodes {
				if y.Kind != glenside.KindCall || after.Typing.Type(y).Kind != glenside.TypeAccess {
					continue
				}
				var pairs [][2]string
				if x != before.Parsed.Root && y != after.Parsed.Root && sameType(before.Typing.Type(x), after.Typing.Type(y)) == "" {
					pairs = append(pairs, [2]string{declarations(before.Parsed) + text, declarations(before.Parsed) + glenside.FormatNode(y)})
				}
				if glenside.FormatNode(y) == text {
					if in, use, ok := standIn(before, x); ok {
						pairs = append(pairs, [2]string{declarations(before.Parsed) + in + replaced(before.Parsed.Root, x, use),
							declarations(before.Parsed) + in + replaced(after.Parsed.Root, y, use)})
					}
				}
				for _, p := range pairs {
					if a, b, ok := try(p[0], p[1]); ok {
						before, after, again = a, b, true
						break search
					}
				}
			}
		}
	}
	return before, after
}

// readOnly drops the inputs that neither program reads.
func readOnly(before, after *Program) (*Program, *Program) {
	read := map[string]bool{}
	for _, p := range []*Program{before, after} {
		for _, n := range p.Parsed.Nodes {
			if n.Kind == glenside.KindSymbol {
				read[n.Text] = true
			}
		}
	}
	var s strings.Builder
	for _, in := range before.Parsed.Inputs {
		if read[in.Name] {
			fmt.Fprintln(&s, in)
		}
	}
	list := [2]*Program{before, after}
	for i, p := range list {
		q, err := typed(p.Parsed.File.Name, s.String()+glenside.FormatNode(p.Parsed.Root))
		if err != nil {
			return before, after
		}
		q.Exact, q.Named, q.Seed = p.Exact, p.Named, p.Seed
		list[i] = q
	}
	return list[0], list[1]
}

// standIn declares an input of the type of a node, and says how to use it.
func standIn(p *Program, n *glenside.Node) (declaration, use string, ok bool) {
	t := p.Typing.Type(n)
	for _, d := range t.Dims {
		if !isConst(d) && d.Name() == "" {
			return "", "", false
		}
	}
	name := fmt.Sprintf("s%d", n.ID) // inputs of programs have other names
	for strings.Contains(p.Text, name) {
		name += "s"
	}
	return fmt.Sprintf("(input %s %s %s)\n", name, shapeText(t.Dims...), t.Elem),
		splitAt(expr{"(access-tensor " + name + ")", len(t.Dims)}, t.Split), true
}

// write writes a finding as a litmus file, at once or not at all.
func (c *Campaign) write(f *Finding) error {
	if c.Corpus == "" {
		return nil
	}
	text := f.Litmus(c.Seed)
	sum := sha256.Sum256([]byte(f.Before + f.After))
	f.File = filepath.Join(c.Corpus, fmt.Sprintf("%s-%x.txtar", strings.ReplaceAll(f.Kind, " ", "-"), sum[:4]))
	return files.WriteAtomic(f.File, []byte(text))
}

// Litmus returns the finding as a litmus file, which replays without generator or seed.
func (f *Finding) Litmus(seed uint64) string {
	want := "proved"
	if f.Kind == "wrong proof" || f.Kind == "wrong law" {
		want = "refuted"
	}
	var s strings.Builder
	fmt.Fprintf(&s, "# A finding of tv fuzz self, case %d of seed %d: %s, %s.\nwant: %s\n", f.Case, seed, f.Kind,
		strings.ReplaceAll(f.Detail, "\n", " "), want)
	if f.Exact {
		s.WriteString("args: --arith exact\n")
	}
	fmt.Fprintf(&s, "-- before.sexp --\n%s\n-- after.sexp --\n%s\n", strings.TrimSpace(f.Before), strings.TrimSpace(f.After))
	return s.String()
}
