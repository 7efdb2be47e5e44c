package loops

import "math/big"

// widened takes a loop from 0 in steps of 1, whose counter occurs in its body as k times itself
// alone, as one in steps of k, whose counter is that product (law 10). It does so for bodies of k
// assignments, or a multiple, and returns what takes it back, nil where it does nothing.
func widened(f *For) (back func()) {
	k := f.factor()
	if k == nil || !k.IsInt64() || int64(len(f.Body))%k.Int64() != 0 {
		return nil
	}
	old := *f
	times := func(x *Int) *Int { return IntMul.Of(&Int{Op: IntNumber, N: k}, x) }
	f.Step, f.Hi, f.Body = &Int{Op: IntNumber, N: k}, []*Int{times(f.Hi[0])}, nil
	for _, s := range old.Body {
		a := *s.(*Assign)
		a.To, a.Value = f.inAccess(a.To), f.inData(a.Value)
		f.Body = append(f.Body, &a)
	}
	return func() { *f = old }
}

// factor is the number that the counter is multiplied with in each of the assignments that are the
// body, nil where there is none, or another body.
func (f *For) factor() (k *big.Int) {
	number := func(x *Int, n int64) bool {
		return x.Op == IntNumber && x.N.IsInt64() && x.N.Int64() == n
	}
	if len(f.Lo) != 1 || len(f.Hi) != 1 || f.Unordered || !number(f.Step, 1) ||
		!number(f.Lo[0], 0) {
		return nil
	}
	alone := true
	var in func(x *Int)
	in = func(x *Int) {
		n := f.multiple(x)
		switch {
		case n != nil && (k == nil || k.Cmp(n) == 0):
			k = n
			return
		case n != nil, x.Op == IntCounter && x.Loop == f:
			alone = false
		}
		for _, a := range x.Args {
			in(a)
		}
	}
	access := func(a Access) {
		for _, x := range a.At {
			in(x)
		}
	}
	var data func(d *Data)
	data = func(d *Data) {
		if access(d.From); d.Int != nil {
			in(d.Int)
		}
		for _, a := range d.Args {
			data(a)
		}
	}
	for _, s := range f.Body {
		a, ok := s.(*Assign)
		if !ok || a.Guarded || a.Reduces {
			return nil
		}
		access(a.To)
		data(a.Value)
	}
	if !alone || k == nil || k.Cmp(big.NewInt(2)) < 0 {
		return nil
	}
	return k
}

// multiple is the number that x is times the counter, nil if it is something else.
func (f *For) multiple(x *Int) *big.Int {
	if x.Op != IntMul || len(x.Args) != 2 {
		return nil
	}
	a, b := x.Args[0], x.Args[1]
	if a.Op != IntNumber {
		a, b = b, a
	}
	if a.Op == IntNumber && b.Op == IntCounter && b.Loop == f {
		return a.N
	}
	return nil
}

// inInt is x where the product is the counter.
func (f *For) inInt(x *Int) *Int {
	if f.multiple(x) != nil {
		return CounterOf(f)
	}
	out := *x
	out.Args = nil
	for _, a := range x.Args {
		out.Args = append(out.Args, f.inInt(a))
	}
	return &out
}

func (f *For) inAccess(a Access) Access {
	var at []*Int
	for _, x := range a.At {
		at = append(at, f.inInt(x))
	}
	a.At = at
	return a
}

func (f *For) inData(d *Data) *Data {
	out := *d
	out.From, out.Args = f.inAccess(d.From), nil
	if d.Int != nil {
		out.Int = f.inInt(d.Int)
	}
	for _, a := range d.Args {
		out.Args = append(out.Args, f.inData(a))
	}
	return &out
}
