package flexasr

import (
	"context"
	"slices"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/prove"
	"tv/ila/refine"
	"tv/ila/run"
	"tv/semantics/term"
)

func verify(t *testing.T, task *ila.Task, err error) *prove.Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := prove.Verify(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A mistake changes a program, in place.
type mistake struct {
	name   string
	mutate func(p *program)
}

// A program is the steps of a task, for tests that put mistakes into it.
type program struct{ *ila.Task }

// programOf returns the steps of a task with a term for each byte of their data.
func programOf(t *ila.Task) *program {
	for i := range t.Steps {
		s := &t.Steps[i]
		s.Values, s.Row = s.Terms(t.Model), ila.Stretch{}
	}
	return &program{t}
}

// find returns the n-th step whose text begins so.
func (p *program) find(text string, n int) int {
	for i, s := range p.Steps {
		if strings.HasPrefix(s.Text, text) {
			if n--; n < 0 {
				return i
			}
		}
	}
	panic("no step " + text)
}

func (p *program) drop(at int) { p.Steps = slices.Delete(p.Steps, at, at+1) }

// set changes a byte of the data of a step.
func (p *program) set(at, lane int, v uint64) { p.Steps[at].Values[1+lane] = p.Model.B.Bits(8, v) }

func (p *program) get(at, lane int) uint64 {
	v, _ := p.Steps[at].Values[1+lane].ConstBits()
	return v
}

// move adds to the address of a step.
func (p *program) move(at int, by int64) {
	v, _ := p.Steps[at].Values[0].ConstBits()
	p.Steps[at].Values[0] = p.Model.B.Bits(32, v+uint64(by))
}

// swap exchanges the data of two steps.
func (p *program) swap(x, y int) {
	v, w := p.Steps[x].Values, p.Steps[y].Values
	p.Steps[x].Values = append([]*term.Term{v[0]}, w[1:]...)
	p.Steps[y].Values = append([]*term.Term{w[0]}, v[1:]...)
}

// refuted runs each mistake on a task of its own: the task must be refuted.
func refuted(t *testing.T, list []mistake, task func() (*ila.Task, error)) {
	t.Helper()
	for _, m := range list {
		k, err := task()
		if err != nil {
			t.Fatal(err)
		}
		m.mutate(programOf(k))
		if r := verify(t, k, nil); r.Verdict != prove.Refuted {
			t.Errorf("%s: %s: %s", m.name, r.Verdict, r.Detail)
		}
	}
}

// A bus is a simulator that is fed by writes.
type simulated struct {
	t *testing.T
	m *Machine
	s *run.Simulator
}

func simulate(t *testing.T, m *Machine) *simulated {
	return &simulated{t, m, run.NewSimulator(m.Model)}
}

func (s *simulated) try(addr, high, low uint64) error {
	inputs := []uint64{addr}
	for j := range lanes {
		inputs = append(inputs, [...]uint64{low, high}[j/8]>>(8*(j%8))&0xff)
	}
	return s.s.Step(inputs...)
}

func (s *simulated) write(addr, high, low uint64) {
	s.t.Helper()
	if err := s.try(addr, high, low); err != nil {
		s.t.Fatal(err)
	}
}

// large returns a vector of the large buffer.
func (s *simulated) large(vector uint64) (high, low uint64) {
	for j := uint64(0); j < 8; j++ {
		l, _ := s.s.Cell(s.m.Large, vector*lanes+j)
		h, _ := s.s.Cell(s.m.Large, vector*lanes+j+8)
		low, high = low|l<<(8*j), high|h<<(8*j)
	}
	return high, low
}

// The model by itself: decodes that do not overlap and leave no gap.
func TestCheck(t *testing.T) {
	for _, c := range []Config{{}, {CutSums: true, SignLost: true}} {
		list, err := refine.Check(c.NewModel().Model)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if f.Verdict != prove.Proved {
				t.Errorf("%s, %s: %s: %s", f.Model, f.Question, f.Verdict, f.Detail)
			}
		}
	}
}
