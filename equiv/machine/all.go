package machine

import (
	"context"
	"fmt"
	"slices"

	"tv/ila/induct"
	"tv/ila/prove"

	"tv/equiv"
	"tv/glenside"
	"tv/ila"
	"tv/internal/source"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
	"tv/semantics/glenside/lower"
	"tv/semantics/index"
	"tv/semantics/term"
)

// CheckContractAll proves or refutes that a driver computes the contract, for all sizes of a family. The tensors of the
// family are named as the contract's operands.
func CheckContractAll(ctx context.Context, c *Contract, f *ila.Family) (*induct.Answer, error) {
	own := *f
	own.New = func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
		n, facts, err := f.New(sizes)
		if err != nil {
			return nil, nil, err
		}
		return n, facts, c.state(n, n.Output.Dims == nil)
	}
	return induct.Verify(ctx, &own)
}

// CheckContractNest proves or refutes that a driver computes the contract at sizes, by induction over its loops.
func CheckContractNest(ctx context.Context, c *Contract, make func() (*ila.Nest, error)) (*prove.Result, error) {
	stated := func(named bool) func() (*ila.Nest, error) {
		return func() (*ila.Nest, error) {
			n, err := make()
			if err != nil {
				return nil, err
			}
			return n, c.state(n, named)
		}
	}
	_, r, err := induct.VerifyNest(ctx, stated(false), stated(true))
	return r, err
}

// state makes the contract's text what a nest has to compute, at indices that are names if named.
func (c *Contract) state(n *ila.Nest, named bool) error {
	b := n.Model.B
	sizes := map[string]*index.Expr{}
	for i, name := range c.Operands {
		if name == "" {
			continue
		}
		at := slices.IndexFunc(n.Inputs, func(x *ila.Tensor) bool { return x.Name == name })
		if at < 0 || len(n.Inputs[at].Extents) != len(c.Dims[i]) {
			return fmt.Errorf("%s has no operand %s of %d dims", n.Name, name, len(c.Dims[i]))
		}
		for axis, size := range c.Dims[i] {
			if known := sizes[size]; known != nil && known != n.Inputs[at].Extents[axis] {
				return fmt.Errorf("%s has operands that do not fit %s", n.Name, c.Call)
			}
			sizes[size] = n.Inputs[at].Extents[axis]
		}
	}
	p, err := glenside.Parse(source.NewFile(c.Call, c.declare(c.Dims)))
	if err != nil {
		return err
	}
	env, err := equiv.Environment(language.Sources(p), nil)
	if err != nil {
		return err
	}
	ty, err := glenside.Check(p, env)
	if err != nil {
		return err
	}
	program, err := lower.Lower(b, ty, lower.Options{Arith: domain.Exact, Size: func(name string) *index.Expr { return sizes[name] }})
	if err != nil {
		return err
	}
	if len(program.Opaque) > 0 {
		return fmt.Errorf("rests on uninterpreted %s", program.Opaque[0])
	}
	array := program.Components[0].Array
	if !slices.Equal(array.Dims, n.Output.Extents) {
		return fmt.Errorf("the output of %s is %s, that of its contract %s", n.Name, n.Output.Extents, array.Dims)
	}
	if n.Output.Width != array.Sort.Width || elemOf(n.Output) != ty.Root().Elem {
		return fmt.Errorf("the output of %s is of %s, that of its contract of %s", n.Name, elemOf(n.Output), ty.Root().Elem)
	}
	n.Tables = map[string]func([]uint64) uint64{}
	x := &bits{b: b, tables: n.Tables, tensors: map[string]*ila.Tensor{}, closed: map[*term.Term]*term.Term{},
		values: map[*index.Atom]int64{}}
	if named {
		x.named = n
	}
	for _, in := range n.Inputs {
		x.tensors[in.Name] = in
	}
	x.element = n.Element
	// an operation without a term is met at any element
	first := make([]*index.Expr, len(array.Dims))
	for i := range first {
		first[i] = b.Index.Const(0)
	}
	element := func(at []*index.Expr) (*term.Term, error) { return x.term(array.Element(b.Index.Root(), at)) }
	if _, err := element(first); err != nil {
		return err
	}
	n.Contract = func(at []*index.Expr) *term.Term {
		t, err := element(at)
		if err != nil {
			panic(fmt.Sprintf("mapping: element %s of the contract of %s: %v", at, c.Call, err))
		}
		return t
	}
	return nil
}
