package ila

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"tv/semantics/index"
	"tv/semantics/term"
)

func indices(at *index.Expr) []*index.Expr { return []*index.Expr{at} }

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
	Reason  string // of an unknown: incomplete, unsupported; of a refutation: values, undefined
	Detail  string // one line

	// Of a refutation: the values of the inputs in row-major order, the element of the output, what the
	// contract and the machine have there.
	Inputs         [][]uint64
	Element        []int
	Want, Got      uint64
	Fault          *Fault // instead of an element
	Outputs        int    // elements compared
	Structural     int    // of them equal by structure
	Lemmas         int    // scalar lemmas proved by running through their values
	ByLemma        int    // elements that follow from them
	Samples        int
	Steps, Micro   int // instructions, steps of children
	Terms          int
	Loops          int // of a proof for all sizes: loops looked at
	Cases, Proofs  int // of a proof for all sizes: splits of the domain, cases proved
	lemma          map[string]bool
	lemmaFormsSeen int
}

// NewResult returns a result that says nothing yet.
func NewResult() *Result { return &Result{lemma: map[string]bool{}} }

const (
	sampleRuns   = 4
	sampleBudget = 1 << 23 // arguments of terms evaluated on the contract's side, a run
	enumerated   = 20      // bits that a scalar lemma may read
)

// Verify proves or refutes a task for all values of its inputs. An error means that it could not be asked.
func Verify(ctx context.Context, t *Task) (*Result, error) {
	if err := Validate(t.Model); err != nil {
		return nil, err
	}
	if err := leavesOpen(t.Name, t.Model, t.Tables); err != nil {
		return nil, err
	}
	r := NewResult()
	r.Outputs, r.Steps = t.Output.Size(), len(t.Steps)
	simulator := NewSimulator(t.Model)
	for run := range sampleRuns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if run > 0 {
			simulator = NewSimulator(t.Model)
		}
		if done, err := sample(t, simulator, run, r); done || err != nil {
			return r, err
		}
		r.Samples++
	}
	symbolic := NewSymbolic(t.Model)
	for _, in := range t.Init {
		symbolic.SetCell(in.Memory, in.Address, in.Value)
	}
	for _, step := range t.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := symbolic.Step(step.Values...); err != nil {
			var f *Fault
			if !errors.As(err, &f) {
				return nil, err
			}
			// the samples ran through, so this one depends on data
			r.Reason, r.Detail = "unsupported", f.Error()
			return r, nil
		}
	}
	if err := symbolic.End(); err != nil {
		r.Reason, r.Detail = "unsupported", err.Error()
		return r, nil
	}
	r.Micro = symbolic.MicroSteps()
	eq := &equality{b: t.Model.B, tables: t.Tables, result: r}
	open := 0
	for flat := range t.Output.Size() {
		if flat%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		got, detail := outputTerm(t, symbolic, flat)
		if got == nil {
			r.Reason, r.Detail = "incomplete", detail
			return r, nil
		}
		want := t.Contract(flat)
		if want.Sort != got.Sort {
			return nil, fmt.Errorf("%s: the contract gives %v, the machine %v", t.Name, want.Sort, got.Sort)
		}
		lemmas := r.Lemmas + r.lemmaFormsSeen
		clear(eq.agreed)
		switch {
		case !eq.same(want, got):
			if open++; r.Detail == "" {
				r.Detail = fmt.Sprintf("element %v: %s is not known to be %s", unravel(t.Output.Dims, flat),
					shorten(want.Short(shownDepth)), shorten(got.Short(shownDepth)))
			}
		case r.Lemmas+r.lemmaFormsSeen > lemmas:
			r.ByLemma++
		default:
			r.Structural++
		}
	}
	r.Terms = t.Model.B.Terms()
	if open > 0 {
		r.Reason = "incomplete"
		r.Detail = fmt.Sprintf("%d of %d elements are open; %s", open, r.Outputs, r.Detail)
		return r, nil
	}
	r.Verdict = Proved
	return r, nil
}

// shownDepth is how deep terms are printed in messages.
const shownDepth = 8

// leavesOpen returns an error if a contract says what a function is that the model leaves open.
func leavesOpen(name string, m *Model, tables map[string]func([]uint64) uint64) error {
	for _, f := range m.Functions {
		if tables[f.Name] != nil {
			return fmt.Errorf("%s: its contract says what %s is, which the model leaves open", name, f.Name)
		}
	}
	return nil
}

func shorten(s string) string {
	if len(s) > 200 {
		return s[:200] + " ..."
	}
	return s
}

// outputTerm puts an element of the output together from its cells.
func outputTerm(t *Task, s *Symbolic, flat int) (*term.Term, string) {
	var all *term.Term
	for _, p := range t.Places(flat) {
		c := s.Cell(p.Memory, p.Address)
		if c == nil {
			return nil, fmt.Sprintf("element %v of the output: %s[%d] was never written",
				unravel(t.Output.Dims, flat), p.Memory.Name, p.Address)
		}
		if all == nil {
			all = c
		} else {
			all = t.Model.B.Concat(c, all)
		}
	}
	return all, ""
}

func unravel(dims []int, flat int) []int {
	at := make([]int, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		at[i] = flat % dims[i]
		flat /= dims[i]
	}
	return at
}

// Load puts the initial cells of a task and the values of its inputs into a simulator.
func (t *Task) Load(s *Simulator, e *Environment) {
	for _, in := range t.Init {
		s.SetCell(in.Memory, in.Address, e.Value(in.Value))
	}
}

// Run runs the program of a task on values of its inputs, in row-major order, and returns the output. That the
// program may not end where it does, or an element whose cells nobody wrote, is a fault of the step after the last.
func (t *Task) Run(s *Simulator, inputs [][]uint64) ([]uint64, error) {
	e := t.Environment(inputs)
	t.Load(s, e)
	values := make([]uint64, len(t.Model.Inputs))
	for _, step := range t.Steps {
		for i, v := range step.Values {
			values[i] = e.Value(v)
		}
		if err := s.Step(values...); err != nil {
			return nil, err
		}
	}
	if err := s.End(); err != nil {
		return nil, err
	}
	out := make([]uint64, t.Output.Size())
	for flat := range out {
		shift := 0
		for _, p := range t.Places(flat) {
			v, ok := s.Cell(p.Memory, p.Address)
			if !ok {
				return nil, &Fault{Code: CodeUnwritten, Step: len(t.Steps), AtEnd: true, Msg: fmt.Sprintf(
					"element %v of the output is %s[%d], which was never written",
					unravel(t.Output.Dims, flat), p.Memory.Name, p.Address)}
			}
			out[flat] |= v << shift
			shift += p.Memory.Width
		}
	}
	return out, nil
}

// An Environment evaluates terms over elements of tensors.
type Environment struct {
	inputs map[*term.Tensor][]uint64
	tables map[string]func([]uint64) uint64
	work   int
	known  map[*term.Term]uint64 // values, where they are remembered; else nil
}

// Remember has the environment compute the value of each term once. Terms of a long run share much: taken as a
// tree, one may have more parts than can be visited. Where they share little it costs more than it saves.
func (e *Environment) Remember() { e.known = map[*term.Term]uint64{} }

// Environment returns the environment in which the inputs have the given values.
func (t *Task) Environment(inputs [][]uint64) *Environment {
	e := &Environment{inputs: map[*term.Tensor][]uint64{}, tables: maps.Clone(t.Tables)}
	for _, f := range t.Model.Functions {
		if e.tables == nil {
			e.tables = map[string]func([]uint64) uint64{}
		}
		e.tables[f.Name] = f.Stand
	}
	for i, x := range t.Inputs {
		e.inputs[x.tensor] = inputs[i]
	}
	return e
}

// Value returns the value of a term.
func (e *Environment) Value(t *term.Term) uint64 {
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return v
	case term.Read:
		n, _ := t.Index[0].Const()
		at, _ := n.Int64()
		return e.inputs[t.Tensor][at]
	}
	if e.known == nil {
		return e.compute(t)
	}
	v, ok := e.known[t]
	if !ok {
		v = e.compute(t)
		e.known[t] = v
	}
	return v
}

// compute returns the value of a term that has operands.
func (e *Environment) compute(t *term.Term) uint64 {
	e.work += len(t.Args)
	if t.Op == term.Dot {
		sum := uint64(0)
		for i := 0; i < len(t.Args); i += 2 {
			x, y := t.Args[i], t.Args[i+1]
			sum += uint64(term.Signed64(e.Value(x), x.Sort.Width)) * uint64(term.Signed64(e.Value(y), y.Sort.Width))
		}
		return sum & term.Ones(t.Sort.Width)
	}
	var buffer [4]uint64
	args := buffer[:0]
	for range t.Args {
		args = append(args, 0)
	}
	for i, a := range t.Args {
		args[i] = e.Value(a)
	}
	if t.Op == term.Apply {
		return e.tables[t.Name](args)
	}
	return term.EvalBits(t, args)
}

// sample runs the task on chosen values; it reports whether that refuted it. The first run has every element
// at an end of its range, where sums, clips and shifts show; others are random, the same in every run.
func sample(t *Task, s *Simulator, run int, r *Result) (bool, error) {
	random := rand.New(rand.NewPCG(uint64(run), 0x7476))
	inputs := make([][]uint64, len(t.Inputs))
	for i, x := range t.Inputs {
		inputs[i] = make([]uint64, x.Size())
		for j := range inputs[i] {
			switch v := random.Uint64(); {
			case run == 0:
				inputs[i][j] = [...]uint64{1 << (x.Width - 1), term.Ones(x.Width - 1), term.Ones(x.Width), 1}[v%4]
			case run == 1 && v%8 != 0:
				inputs[i][j] = 0
			default:
				inputs[i][j] = v >> 8 & term.Ones(x.Width)
			}
		}
	}
	out, err := t.Run(s, inputs)
	if err != nil {
		var f *Fault
		if !errors.As(err, &f) {
			return false, err
		}
		r.Detail = f.Error()
		if s.applied != "" && !t.faultsAnyway(f) {
			r.Reason, r.Detail = "unsupported", fmt.Sprintf("%s, where something stands in for %s", r.Detail, s.applied)
			return true, nil
		}
		r.Verdict, r.Reason, r.Fault, r.Inputs = Refuted, "undefined", f, inputs
		if f.Step < len(t.Steps) && t.Steps[f.Step].Text != "" {
			r.Detail += ": " + t.Steps[f.Step].Text
		}
		return true, nil
	}
	e := t.Environment(inputs)
	// elements are visited at a stride that meets them all in the end, until the budget is spent
	n := len(out)
	stride := n*5/8 + 1
	for gcd(stride, n) != 1 {
		stride++
	}
	most := n
	if run > 0 {
		most = min(n, 1024)
	}
	for i, flat := 0, 0; i < most && e.work < sampleBudget; i, flat = i+1, (flat+stride)%n {
		if want := e.Value(t.Contract(flat)); want != out[flat] {
			if s.applied != "" {
				r.Reason, r.Detail = "unsupported", fmt.Sprintf("element %v differs where something stands in for %s",
					unravel(t.Output.Dims, flat), s.applied)
				return true, nil
			}
			r.Verdict, r.Reason, r.Inputs = Refuted, "values", inputs
			r.Element, r.Want, r.Got = unravel(t.Output.Dims, flat), want, out[flat]
			return true, nil
		}
	}
	return false, nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// equality decides whether two terms over elements of tensors have the same value whatever those are. It
// may fail to see that they have; it never says so where they have not.
type equality struct {
	b      *term.Builder
	tables map[string]func([]uint64) uint64
	result *Result
	left   []monomial
	right  []monomial

	agreed  map[[2]*term.Term]bool // sums found equal in the element at hand
	factors factors
	form    form // its memory serves one form after the other
}

func (e *equality) same(x, y *term.Term) bool {
	if x == y {
		return true
	}
	if x.Sort != y.Sort {
		return false
	}
	if isSum(x) || isSum(y) {
		if e.agreed[[2]*term.Term{x, y}] {
			return true
		}
		if e.sums(x, y) {
			if e.agreed == nil {
				e.agreed = map[[2]*term.Term]bool{}
			}
			e.agreed[[2]*term.Term{x, y}] = true
			return true
		}
	}
	if x.Op == y.Op && x.Op != term.Read && x.Op != term.Const && x.Name == y.Name && len(x.Args) == len(y.Args) &&
		len(x.Args) <= 3 && (x.Op != term.Extract || x.Low() == y.Low()) {
		all := true
		for i := range x.Args {
			if !e.same(x.Args[i], y.Args[i]) {
				all = false
				break
			}
		}
		if all {
			return true
		}
	}
	return e.enumerate(x, y) || e.cut(x, y)
}

func isSum(t *term.Term) bool {
	switch t.Op {
	case term.Add, term.Neg, term.Dot, term.Mul:
		return true
	case term.Extract:
		return t.Low() == 0 && isSum(t.Args[0])
	}
	return false
}

// A monomial is coefficient · x · y; y is nil for a single factor, both are for a constant. A factor is a
// term, sign-extended to the width of the sum.
type monomial struct {
	x, y        *term.Term
	coefficient uint64
}

// sums compares two terms as sums of monomials modulo 2^width.
func (e *equality) sums(x, y *term.Term) bool {
	ones := term.Ones(x.Sort.Width)
	e.left = normalise(flatten(e.left[:0], x, 1, x.Sort.Width), ones)
	e.right = normalise(flatten(e.right[:0], y, 1, x.Sort.Width), ones)
	if slices.Equal(e.left, e.right) {
		return true
	}
	if left, right := e.represent(e.left), e.represent(e.right); !left && !right {
		return false
	}
	e.left, e.right = normalise(e.left, ones), normalise(e.right, ones)
	if !slices.Equal(e.left, e.right) {
		return false
	}
	e.result.lemmaFormsSeen++
	return true
}

// flatten appends the monomials of c·t in sums of the given width. Every step of it is an equation modulo
// 2^width: t has that width itself or is cut to it, so that its sums, products and negations do.
func flatten(list []monomial, t *term.Term, c uint64, width int) []monomial {
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return append(list, monomial{coefficient: c * v})
	case term.Add:
		return flatten(flatten(list, t.Args[0], c, width), t.Args[1], c, width)
	case term.Neg:
		return flatten(list, t.Args[0], -c, width)
	case term.Mul:
		for i := range 2 {
			if v, ok := t.Args[i].ConstBits(); ok {
				return flatten(list, t.Args[1-i], c*v, width)
			}
		}
		return append(list, product(strip(t.Args[0]), strip(t.Args[1]), c))
	case term.Extract:
		if t.Low() == 0 && isSum(t.Args[0]) { // equal modulo a greater power of two
			return flatten(list, t.Args[0], c, width)
		}
	case term.Dot:
		for i := 0; i < len(t.Args); i += 2 {
			x, y := t.Args[i], t.Args[i+1]
			vx, okX := x.ConstBits()
			vy, okY := y.ConstBits()
			sx, sy := uint64(term.Signed64(vx, x.Sort.Width)), uint64(term.Signed64(vy, y.Sort.Width))
			switch {
			case okX && okY:
				list = append(list, monomial{coefficient: c * sx * sy})
			case okX:
				list = append(list, monomial{x: y, coefficient: c * sx})
			case okY:
				list = append(list, monomial{x: x, coefficient: c * sy})
			default:
				list = append(list, product(x, y, c))
			}
		}
		return list
	}
	return append(list, monomial{x: strip(t), coefficient: c})
}

// strip takes a sign extension off a factor: factors are sign-extended anyway.
func strip(t *term.Term) *term.Term {
	if t.Op == term.ExtendS {
		return t.Args[0]
	}
	return t
}

func product(x, y *term.Term, c uint64) monomial {
	if y.ID() < x.ID() {
		x, y = y, x
	}
	return monomial{x, y, c}
}

// normalise sorts monomials and adds up those with the same factors.
func normalise(list []monomial, ones uint64) []monomial {
	id := func(t *term.Term) int {
		if t == nil {
			return -1
		}
		return t.ID()
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.x != b.x {
			return id(a.x) < id(b.x)
		}
		return id(a.y) < id(b.y)
	})
	out := list[:0]
	for _, m := range list {
		if n := len(out); n > 0 && out[n-1].x == m.x && out[n-1].y == m.y {
			out[n-1].coefficient += m.coefficient
		} else {
			out = append(out, m)
		}
	}
	kept := out[:0]
	for _, m := range out {
		if m.coefficient &= ones; m.coefficient != 0 {
			kept = append(kept, m)
		}
	}
	return kept
}

// String says how a proof came about: "512 outputs: 0 by structure, 512 by 1 lemma".
func (r *Result) String() string {
	parts := []string{fmt.Sprintf("%d by structure", r.Structural)}
	if r.ByLemma > 0 {
		parts = append(parts, fmt.Sprintf("%d by %d scalar lemmas", r.ByLemma, r.Lemmas))
	}
	return fmt.Sprintf("%d outputs: %s", r.Outputs, strings.Join(parts, ", "))
}
