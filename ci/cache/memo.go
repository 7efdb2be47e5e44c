package cache

import (
	"fmt"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/semantics/domain"
)

// The types below are the content of a file.

type document struct {
	Question question        `json:"question"`
	Memos    map[string]memo `json:"memos"` // by statement
}

type memo struct {
	Engine         string          `json:"engine"`
	Stats          equiv.Stats     `json:"stats"`
	Certificate    string          `json:"certificate,omitempty"`
	Exact          *exactMemo      `json:"exact,omitempty"`
	Counterexample *counterexample `json:"counterexample,omitempty"`
	FoundPath      []int           `json:"found_path,omitempty"`
	FoundIndex     []int64         `json:"found_index,omitempty"`
}

type exactMemo struct {
	Verdict     string          `json:"verdict"`
	Reason      string          `json:"reason,omitempty"`
	Certificate string          `json:"certificate,omitempty"`
	Witness     *counterexample `json:"witness,omitempty"`
}

type counterexample struct {
	Point  map[string]int64 `json:"point,omitempty"`
	Inputs []input          `json:"inputs"`
	Path   []int            `json:"path,omitempty"`
	Index  []int64          `json:"index"`
	Before string           `json:"before"`
	After  string           `json:"after"`
	Seed   uint64           `json:"seed"`
}

type input struct {
	Name   string           `json:"name"`
	Type   string           `json:"type"`
	Dims   []int64          `json:"dims"`
	Values map[int64]string `json:"values"` // that are not 0, by row-major offset
}

func newMemo(m *equiv.Memo) memo {
	out := memo{Engine: m.Engine, Stats: m.Stats, Certificate: string(m.Certificate),
		Counterexample: newCounterexample(m.Counterexample), FoundPath: m.FoundPath, FoundIndex: m.FoundIndex}
	if x := m.Exact; x != nil {
		out.Exact = &exactMemo{x.Verdict, x.Reason, string(x.Certificate), newCounterexample(x.Witness)}
	}
	return out
}

func newCounterexample(c *sample.Counterexample) *counterexample {
	if c == nil {
		return nil
	}
	out := &counterexample{Point: c.Point, Path: c.Path, Index: c.Index, Before: c.Before, After: c.After,
		Seed: c.Seed}
	for _, in := range c.Inputs {
		out.Inputs = append(out.Inputs, input{in.Name, in.Elem.String(), in.Dims, in.Sparse})
	}
	return out
}

// memo returns what equiv wants. Errors: an element type that does not exist.
func (m *memo) memo() (*equiv.Memo, error) {
	c, err := m.Counterexample.counterexample()
	if err != nil {
		return nil, err
	}
	out := &equiv.Memo{Engine: m.Engine, Stats: m.Stats, Certificate: certificate(m.Certificate),
		Counterexample: c, FoundPath: m.FoundPath, FoundIndex: m.FoundIndex}
	if x := m.Exact; x != nil {
		w, err := x.Witness.counterexample()
		if err != nil {
			return nil, err
		}
		out.Exact = &equiv.ExactMemo{Verdict: x.Verdict, Reason: x.Reason, Witness: w,
			Certificate: certificate(x.Certificate)}
	}
	return out, nil
}

// certificate makes the text that is not there the nil slice.
func certificate(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

func (c *counterexample) counterexample() (*sample.Counterexample, error) {
	if c == nil {
		return nil, nil
	}
	out := &sample.Counterexample{Point: c.Point, Path: c.Path, Index: c.Index, Before: c.Before, After: c.After,
		Seed: c.Seed}
	for _, in := range c.Inputs {
		t, ok := domain.ParseElem(in.Type)
		if !ok {
			return nil, fmt.Errorf("there is no element type %q", in.Type)
		}
		out.Inputs = append(out.Inputs, sample.InputValue{Name: in.Name, Elem: t, Dims: in.Dims, Sparse: in.Values})
	}
	return out, nil
}
