package prove

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tv/ila"
	"tv/ila/race"
	"tv/ila/run"
)

// Verdict is the answer to a task; the zero value is Unknown.
type Verdict uint8

const (
	Unknown Verdict = iota
	Proved
	Refuted
)

// String prints "unknown", "proved" or "refuted".
func (v Verdict) String() string { return [...]string{"unknown", "proved", "refuted"}[v] }

// A Result answers a task.
type Result struct {
	Verdict Verdict
	Reason  string // of an unknown: incomplete, unsupported, race; of a refutation: values, undefined, race, deadlock
	Detail  string // one line

	// Of a refutation: the values of the inputs in row-major order, the element of the output, what the
	// contract and the machine have there.
	Inputs         [][]uint64
	Element        []int
	Want, Got      uint64
	Fault          *ila.Fault // instead of an element
	Race           *race.Race // of a refutation or an unknown by it
	Deadlock       *race.Deadlock
	Outputs        int // elements compared
	Structural     int // of them equal by structure
	Lemmas         int // scalar lemmas proved by running through their values
	ByLemma        int // elements that follow from them
	Samples        int
	Steps, Micro   int // instructions, steps of children
	Terms          int
	Loops          int // of a proof for all sizes: loops looked at
	Cases, Proofs  int // of a proof for all sizes: splits of the domain, cases proved
	lemma          map[string]bool
	scalars        map[string]scalarLemma
	lemmaFormsSeen int
	parts          bool // functions stand for parts of the machine: what follows by structure rests on that
}

// NewResult returns a result that says nothing yet.
func NewResult() *Result { return &Result{lemma: map[string]bool{}, scalars: map[string]scalarLemma{}} }

// sampleRuns is how often a task runs on samples before it is proved.
const sampleRuns = 4

// InOrder proves or refutes a task for all values of its inputs, its instructions one after the other. The recorder, where there is one, is told
// of the cells that instructions touch. An error means that it could not be asked.
func InOrder(ctx context.Context, t *ila.Task, cells *race.Recorder) (*Result, error) {
	if err := ila.Validate(t.Model); err != nil {
		return nil, err
	}
	if err := CheckTables(t.Name, t.Model, t.Tables); err != nil {
		return nil, err
	}
	r := NewResult()
	r.Outputs, r.Steps = t.Output.Size(), len(t.Steps)
	if done, err := Samples(ctx, t, r); done || err != nil {
		return r, err
	}
	symbolic := run.NewSymbolic(t.Model)
	if len(t.Scalars) > 0 {
		symbolic.Known = NewParts(t, r).Known
	}
	symbolic.Load(t)
	turns := watch(symbolic, t.Model, cells)
	for _, step := range t.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := symbolic.Take(&step); err != nil {
			var f *ila.Fault
			if !errors.As(err, &f) {
				return nil, err
			}
			// the samples ran through, so this one depends on data
			r.Reason, r.Detail = "unsupported", f.Error()
			return r, nil
		}
		if cells != nil {
			cells.Next()
		}
	}
	symbolic.Access, symbolic.Before = nil, nil
	if turns != nil && turns.Found() != "" {
		r.Reason, r.Detail = "race", turns.Found()
		return r, nil
	}
	if err := symbolic.End(); err != nil {
		r.Reason, r.Detail = "unsupported", err.Error()
		return r, nil
	}
	r.Micro = symbolic.MicroSteps()
	if err := r.compare(ctx, t, symbolic); err != nil {
		return nil, err
	}
	return r, nil
}

// compare answers a task by what a run on terms left: each element of the output is compared with the contract.
func (r *Result) compare(ctx context.Context, t *ila.Task, s *run.Symbolic) error {
	eq := NewEquality(t.Tables, r)
	eq.scalars = t.Scalars
	open := 0
	var looked []openElement
	for flat := range t.Output.Size() {
		if flat%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		got, detail := s.Output(t, flat)
		if got == nil {
			r.Reason, r.Detail = "incomplete", detail
			return nil
		}
		want := t.Contract(flat)
		if want.Sort != got.Sort {
			return fmt.Errorf("%s: the contract gives %v, the machine %v", t.Name, want.Sort, got.Sort)
		}
		lemmas := r.Lemmas + r.lemmaFormsSeen
		clear(eq.agreed)
		same, differ := eq.Same(want, got), []Difference(nil)
		if !same {
			same, differ = eq.Scalar(want, got)
		}
		switch {
		case !same:
			if len(looked) < elementsSearched {
				looked = append(looked, openElement{flat, want, got, differ})
			}
			if open++; r.Detail == "" {
				r.Detail = fmt.Sprintf("element %v: %s is not known to be %s", ila.Unravel(t.Output.Dims, flat),
					Shorten(want.Short(shownDepth)), Shorten(got.Short(shownDepth)))
			}
		case r.Lemmas+r.lemmaFormsSeen > lemmas || r.parts:
			r.ByLemma++
		default:
			r.Structural++
		}
	}
	r.Terms = t.Model.B.Terms()
	if open > 0 {
		if done, err := r.search(ctx, t, looked); done || err != nil {
			return err
		}
		r.Reason = "incomplete"
		r.Detail = fmt.Sprintf("%d of %d elements are open; %s", open, r.Outputs, r.Detail)
		return nil
	}
	r.Verdict = Proved
	return nil
}

// shownDepth is how deep terms are printed in messages.
const shownDepth = 8

// CheckTables returns an error if a contract says what a function is that the model leaves open.
func CheckTables(name string, m *ila.Model, tables map[string]func([]uint64) uint64) error {
	for _, f := range m.Functions {
		if tables[f.Name] != nil {
			return fmt.Errorf("%s: its contract says what %s is, which the model leaves open", name, f.Name)
		}
	}
	return nil
}

// Shorten cuts what is too long for a message, such as a term.
func Shorten(s string) string {
	if len(s) > 200 {
		return s[:200] + " ..."
	}
	return s
}

// String says how a proof came about: "512 outputs: 0 by structure, 512 by 1 lemma".
func (r *Result) String() string {
	parts := []string{fmt.Sprintf("%d by structure", r.Structural)}
	if r.ByLemma > 0 {
		parts = append(parts, fmt.Sprintf("%d by %d scalar lemmas", r.ByLemma, r.Lemmas))
	}
	return fmt.Sprintf("%d outputs: %s", r.Outputs, strings.Join(parts, ", "))
}
