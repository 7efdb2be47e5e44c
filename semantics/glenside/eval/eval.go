// Package eval is the reference evaluator: what a Glenside program means, one element at a time.
//
// It is separate from the lowering and the prover and shares no code with them: everything else is tested
// against it. It answers for the output elements asked for, computing only what they need.
//
//	Evaluator  a typed program at a point of its domain with inputs
//
// A program is compiled once, each call when the first element asks for it. An operator that only moves elements becomes an affine map of the index
// (view.go), composed with those it is applied to; one that computes becomes elements by row-major offset
// (compile.go). Each operator is one case, in core.go, compute.go, hardware.go, relay.go or
// accelerator.go. What the operations on elements are is said by package semantics/value.
//
// What all of it means is written in doc/semantics.md: section 5 for real, 6 for exact, 8 for the operators.
package eval

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// An Evaluator computes elements of one program. It is not safe for concurrent use.
type Evaluator struct {
	typing *glenside.Typing
	arith  value.Arith
	point  domain.Point
	inputs value.Inputs

	standing map[glenside.State]string // subterms, and states of LSTMs, that are input tensors of these names
	states   map[glenside.State]view   // of calls that were asked

	calls   []call   // by Node.ID
	results []result // by Node.ID, of calls that are done
	uses    []int    // by Node.ID: how often elements of the node are asked for, as far as that matters
	tensors map[string]elements
	memos   []*memo
	room    int // for entries in memos
}

// maxMemo bounds the number of elements that an evaluator remembers.
const maxMemo = 1 << 20

// New prepares a typed program for evaluation at a point of its domain. It fails where the program is ill
// formed at the point (a condition of the typing is false), with the error that the condition stands for;
// where a name of the program has no value at the point; and where a tensor of the program has more than
// 2^62 elements. All these are *source.Error.
func New(ty *glenside.Typing, a value.Arith, point domain.Point, in value.Inputs) (*Evaluator, error) {
	return NewWith(ty, a, point, in, nil)
}

// NewWith is New where subterms (of Step 0), each a tensor or an access pattern, and states of LSTMs stand as input tensors of the names given: what
// they are made of does not count.
func NewWith(ty *glenside.Typing, a value.Arith, point domain.Point, in value.Inputs, standing map[glenside.State]string) (*Evaluator, error) {
	e := &Evaluator{typing: ty, arith: a, point: point, inputs: in, standing: standing, room: maxMemo}
	e.tensors, e.states = map[string]elements{}, map[glenside.State]view{}
	for _, c := range ty.Conds {
		holds, err := c.Pred.Eval(point)
		if err != nil {
			if err := e.bound(c.Node, c.Pred.Names()); err != nil {
				return nil, err
			}
		}
		if !holds {
			return nil, &source.Error{Span: ty.Program.Span(c.Node), Code: c.Code, Msg: c.Msg, Err: err}
		}
	}
	if err := e.compile(); err != nil {
		return nil, err
	}
	return e, nil
}

// Reset forgets every element computed so far: whoever changes what the inputs give calls it before the next element
// is asked for. Preparing a program costs far more than evaluating a small one again.
func (e *Evaluator) Reset() {
	for _, m := range e.memos {
		m.reset()
	}
}

// Arith returns the arithmetic that the evaluator computes in.
func (e *Evaluator) Arith() value.Arith { return e.arith }

// component returns a component of the result of the program.
func (e *Evaluator) component(path []int) *result {
	r := e.result(e.typing.Program.Root)
	for _, i := range path {
		r = &r.items[i]
	}
	return r
}

// Dims returns the dims of a component of the result: component is empty unless the program returns a tuple,
// else the path of indices into it. The caller must not change them.
func (e *Evaluator) Dims(component []int) []int64 { return e.component(component).dims }

// Element returns the element of the result at an index, one number an axis, each within its dim. Errors
// wrap ErrUndefined, ErrUndecided, an *UninterpretedError or what the inputs failed with.
func (e *Evaluator) Element(component []int, index []int64) (value.Value, error) {
	return e.component(component).element(index)
}

// NodeElement returns an element of the value of any node that is a tensor or an access pattern; NodeDims its
// dims.
func (e *Evaluator) NodeElement(n *glenside.Node, index []int64) (value.Value, error) {
	return e.result(n).element(index)
}

// StateElement returns an element of what an LSTM has behind a timestep.
func (e *Evaluator) StateElement(s glenside.State, index []int64) (value.Value, error) {
	k := &e.calls[s.Call.ID]
	if _, known := e.states[s]; !known {
		k.rule(k)
	}
	if k.err != nil {
		return value.Value{}, k.err
	}
	return (&result{view: e.states[s]}).element(index)
}

// NodeDims returns the dims of a node that is a tensor or an access pattern.
func (e *Evaluator) NodeDims(n *glenside.Node) []int64 { return e.calls[n.ID].dims }

func (r *result) element(index []int64) (value.Value, error) {
	if r.tree == nil {
		return value.Value{}, errors.New("eval: neither a tensor nor an access pattern")
	}
	if len(index) != len(r.dims) {
		return value.Value{}, fmt.Errorf("eval: index %d of a tensor of dims %d", index, r.dims)
	}
	for axis, i := range index {
		if i < 0 || i >= r.dims[axis] {
			return value.Value{}, fmt.Errorf("eval: index %d of a tensor of dims %d", index, r.dims)
		}
	}
	v := r.tree.at(index)
	if err := v.Err(); err != nil {
		return value.Value{}, err
	}
	return v, nil
}

// sizes returns the values of sizes at the point.
func (e *Evaluator) sizes(n *glenside.Node, sizes []domain.Size) ([]int64, error) {
	values := make([]int64, len(sizes))
	for i, s := range sizes {
		v, ok := s.Int64()
		if !ok {
			if v, ok = s.Word(e.point); ok {
				values[i] = v
				continue
			}
			b, err := s.Eval(e.point)
			if err != nil {
				if err := e.bound(n, s.Names()); err != nil {
					return nil, err
				}
				return nil, e.fail(n, "bad-divisor", fmt.Sprintf("the size %s has no value: %v", s, err))
			}
			if !b.IsInt64() {
				return nil, e.fail(n, "too-large", fmt.Sprintf("the size %s is 2^63 or more", b))
			}
			v = b.Int64()
		}
		values[i] = v
	}
	return values, nil
}

// bound checks that the point gives names of sizes a value.
func (e *Evaluator) bound(n *glenside.Node, names []string) error {
	for _, name := range names {
		if _, ok := e.point[name]; !ok {
			return e.fail(n, "unbound-size", "the size "+name+" has no value")
		}
	}
	return nil
}

func (e *Evaluator) fail(n *glenside.Node, code, msg string) error {
	return &source.Error{Span: e.typing.Program.Span(n), Code: code, Msg: msg}
}

// dims returns the dims of a tensor, whose offsets fit in a word with a bit to spare.
func (e *Evaluator) dims(n *glenside.Node, t *glenside.Type) ([]int64, error) {
	dims, err := e.sizes(n, t.Dims)
	if err != nil || slices.Contains(dims, 0) {
		return dims, err
	}
	count := big.NewInt(1)
	for _, d := range dims {
		if count.Mul(count, big.NewInt(d)).BitLen() > 62 {
			return nil, e.fail(n, "too-large", fmt.Sprintf("a tensor of dims %d has 2^62 elements or more", dims))
		}
	}
	return dims, nil
}
