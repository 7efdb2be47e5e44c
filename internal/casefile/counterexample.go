package casefile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"tv/equiv"
	"tv/internal/source"
	"tv/semantics"
)

// CodeCounterexample is the code of a counterexample that cannot be read.
const CodeCounterexample = "counterexample-file"

// ScheduleSection is the section of a counterexample that has a schedule.
const ScheduleSection = "schedule"

// A Counterexample is two programs, the inputs that tell them apart and the element at which they do: an
// archive with the sections before.sexp, after.sexp or, of a listing, after.vta, inputs.json (an object of
// tensors) and expect.json.
type Counterexample struct {
	Before, After *source.File
	Listing       bool      // After is a machine's program
	Extensions    [2]string // of Before and After, by their languages; empty: .sexp
	Inputs        map[string]Tensor
	Expect        Expect
	Schedule      *source.File // of the units of the machine that the listing runs on, where it matters: the section schedule
	Notes         []string     // comment lines: seed and versions
	inputs        *source.File
	expect        *source.File
}

// Expect says what is to be seen: the values of one element on both sides, "undefined" where a side has
// none; no Element where the sides differ as a whole, in shape say.
type Expect struct {
	Arith     string           `json:"arith"`
	Equal     string           `json:"equal"`
	Sizes     map[string]int64 `json:"sizes,omitempty"`     // the point of the domain
	Component []int            `json:"component,omitempty"` // of a tuple
	Element   []int64          `json:"element"`             // one index an axis
	Before    string           `json:"before"`
	After     string           `json:"after"`

	Bind []string `json:"bind,omitempty"` // "A=X": who of AFTER was said to be who of BEFORE

	// Overlap puts two parameters into one memory; nil: they are apart.
	Overlap *semantics.Overlap `json:"overlap,omitempty"`

	// Functions are those of BEFORE and AFTER that are meant, where somebody said so.
	Functions []string `json:"functions,omitempty"`
	// Results are those of BEFORE and AFTER that are, with commas, where not all parameters are that are written.
	Results []string `json:"results,omitempty"`

	// Implementation of the machine that a listing ran on; empty for others.
	Implementation string `json:"implementation,omitempty"`
}

// NewCounterexample makes the file of a refutation; of a listing the caller says so. It fails where r has no
// counterexample, or a side is no program.
func NewCounterexample(before, after *source.File, r *equiv.Result, notes ...string) (*Counterexample, bool) {
	found := r.Counterexample
	if found == nil || before == nil || after == nil {
		return nil, false
	}
	c := &Counterexample{
		Before: before, After: after,
		Inputs: map[string]Tensor{},
		Expect: Expect{
			Arith: r.Arith.String(), Equal: r.Equal.String(),
			Sizes: found.Point, Component: found.Path, Element: append([]int64{}, found.Index...),
			Before: found.Before, After: found.After, Overlap: found.Overlap,
		},
	}
	if before.Function != "" || after.Function != "" {
		c.Expect.Functions = []string{before.Function, after.Function}
	}
	if before.Results != "" || after.Results != "" {
		c.Expect.Results = []string{before.Results, after.Results}
	}
	for _, in := range found.Inputs {
		c.Inputs[in.Name] = NewTensor(in)
	}
	if found.Schedule != "" {
		c.Schedule = source.NewFile(ScheduleSection, found.Schedule)
	}
	c.Notes = append(c.Notes, fmt.Sprintf("tv counterexample: %s => %s", r.Before, r.After))
	c.Notes = append(c.Notes, fmt.Sprintf("seed: %d", found.Seed))
	c.Notes = append(c.Notes, notes...)
	return c, true
}

// Schedule returns the section of that name of a file that is an archive, or nil.
func Schedule(f *source.File) *source.File {
	a, err := parseArchive(f, CodeCounterexample)
	if err != nil {
		return nil
	}
	s, _ := a.lookup(ScheduleSection)
	return s
}

// Bytes returns the archive.
func (c *Counterexample) Bytes() ([]byte, error) {
	var inputs bytes.Buffer
	inputs.WriteString("{")
	for i, name := range sortedKeys(c.Inputs) {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(c.Inputs[name])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			inputs.WriteString(",")
		}
		fmt.Fprintf(&inputs, "\n%s: %s", key, value)
	}
	inputs.WriteString("\n}\n")
	expect, err := json.Marshal(c.Expect)
	if err != nil {
		return nil, err
	}
	a := &txtar.Archive{Files: []txtar.File{
		{Name: "before" + cmp.Or(c.Extensions[0], ".sexp"), Data: sectionText(c.Before.Text)},
		{Name: c.afterName(), Data: sectionText(c.After.Text)},
		{Name: "inputs.json", Data: inputs.Bytes()},
		{Name: "expect.json", Data: append(expect, '\n')},
	}}
	if c.Schedule != nil {
		a.Files = append(a.Files, txtar.File{Name: ScheduleSection, Data: sectionText(c.Schedule.Text)})
	}
	for _, note := range c.Notes {
		a.Comment = append(a.Comment, "# "+strings.ReplaceAll(note, "\n", " ")+"\n"...)
	}
	return txtar.Format(a), nil
}

// afterName returns the name of the section of After.
func (c *Counterexample) afterName() string {
	if c.Listing {
		return "after.vta"
	}
	return "after" + cmp.Or(c.Extensions[1], ".sexp")
}

// ReadCounterexample reads what Bytes writes. Errors: a *source.Error with code counterexample-file.
func ReadCounterexample(f *source.File) (*Counterexample, error) {
	a, err := parseArchive(f, CodeCounterexample)
	if err != nil {
		return nil, err
	}
	c := &Counterexample{}
	_, c.Listing = a.lookup("after.vta")
	c.Extensions = [2]string{a.extension("before"), a.extension("after")}
	for _, s := range []struct {
		name string
		file **source.File
	}{
		{"before" + c.Extensions[0], &c.Before}, {c.afterName(), &c.After},
		{"inputs.json", &c.inputs}, {"expect.json", &c.expect},
	} {
		if *s.file, err = a.require(s.name, CodeCounterexample); err != nil {
			return nil, err
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(a.comment), "\n") {
		if note := strings.TrimSpace(strings.TrimPrefix(line, "#")); note != "" {
			c.Notes = append(c.Notes, note)
		}
	}
	if err := decodeJSON(c.inputs, &c.Inputs, CodeCounterexample); err != nil {
		return nil, err
	}
	if err := decodeJSON(c.expect, &c.Expect, CodeCounterexample); err != nil {
		return nil, err
	}
	c.Schedule, _ = a.lookup(ScheduleSection)
	if f := c.Expect.Functions; len(f) == 2 {
		c.Before.Function, c.After.Function = f[0], f[1]
	}
	if f := c.Expect.Results; len(f) == 2 {
		c.Before.Results, c.After.Results = f[0], f[1]
	}
	return c, nil
}

// InputsErrorf and ExpectErrorf report a problem in the section inputs.json or expect.json.
func (c *Counterexample) InputsErrorf(format string, args ...any) error {
	return c.errorf(c.inputs, format, args...)
}

func (c *Counterexample) ExpectErrorf(format string, args ...any) error {
	return c.errorf(c.expect, format, args...)
}

func (c *Counterexample) errorf(f *source.File, format string, args ...any) error {
	start := len(f.Text) - len(strings.TrimLeft(f.Text, "\n"))
	span := source.Span{File: f, Start: start, End: min(start+1, len(f.Text))}
	return source.Errorf(span, CodeCounterexample, format, args...)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
