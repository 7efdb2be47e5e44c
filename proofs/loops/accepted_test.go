package loops

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"tv/internal/tier"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A changer makes elements of choices, and others that mean the same, or nearly.
type changer struct {
	*rand.Rand
	elem  domain.Elem
	reads []*Data
}

func test(op DataOp, x, y *Data) *Data {
	return &Data{Op: op, Elem: algebra.Truth, Args: []*Data{x, y}}
}

func (r *changer) value(depth int) *Data {
	if depth == 0 || r.Intn(5) == 0 {
		if r.Intn(4) == 0 {
			return number(r.elem, fmt.Sprint(r.Intn(3)))
		}
		return r.reads[r.Intn(len(r.reads))]
	}
	x, y := r.value(depth-1), r.value(depth-1)
	switch k := r.Intn(10); {
	case k < 5:
		return &Data{Op: DataChoose, Elem: r.elem, Args: []*Data{r.condition(depth - 1), x, y}}
	case k == 5 && integer(r.elem):
		return of([]DataOp{DataBitAnd, DataBitOr, DataBitXor}[r.Intn(3)], x, y)
	case k == 6 && integer(r.elem):
		by := number(r.elem, fmt.Sprint(1+r.Intn(3)))
		return of([]DataOp{DataShift, DataQuotient, DataRemainder}[r.Intn(3)], x, by)
	}
	return of([]DataOp{DataAdd, DataSub, DataMax, DataMin}[r.Intn(4)], x, y)
}

func (r *changer) condition(depth int) *Data {
	if depth > 0 && r.Intn(3) == 0 {
		x, y := r.condition(depth-1), r.condition(depth-1)
		return of([]DataOp{DataBoth, DataEither}[r.Intn(2)], x, y)
	}
	x, y := r.value(0), r.value(0)
	if r.Intn(3) == 0 {
		x = r.value(1)
	}
	return test([]DataOp{DataLess, DataLessEqual, DataEqual}[r.Intn(3)], x, y)
}

// changed is d with some of it changed: by a law, or, if it is wrong, by something like one.
func (r *changer) changed(d *Data, wrong bool) *Data {
	out := *d
	out.Args = nil
	for _, a := range d.Args {
		out.Args = append(out.Args, r.changed(a, wrong))
	}
	a := out.Args
	if r.Intn(3) > 0 || len(a) == 0 {
		return &out
	}
	swapped := out
	swapped.Args = slices.Clone(a)
	slices.Reverse(swapped.Args)
	not := func(x *Data) *Data { return of(DataNot, x) }
	switch d.Op {
	case DataChoose:
		switch r.Intn(3) {
		case 0:
			c := a[0]
			if !wrong || r.Intn(2) == 0 {
				c = not(c)
			}
			return &Data{Op: d.Op, Elem: d.Elem, Args: []*Data{c, a[2], a[1]}}
		case 1: // a choice that was made
			inner := &Data{Op: d.Op, Elem: d.Elem, Args: []*Data{a[0], a[1], a[2]}}
			if wrong {
				inner.Args[1], inner.Args[2] = a[2], a[1]
			}
			return &Data{Op: d.Op, Elem: d.Elem, Args: []*Data{a[0], inner, a[2]}}
		}
		if a[0].Op == DataBoth && len(a[0].Args) == 2 {
			in := &Data{Op: d.Op, Elem: d.Elem, Args: []*Data{a[0].Args[1], a[1], a[2]}}
			if wrong {
				in.Args[1], in.Args[2] = a[2], a[1]
			}
			return &Data{Op: d.Op, Elem: d.Elem, Args: []*Data{a[0].Args[0], in, a[2]}}
		}
	case DataLess:
		if wrong {
			return test([]DataOp{DataLess, DataLessEqual}[r.Intn(2)], a[r.Intn(2)], a[r.Intn(2)])
		}
		return not(test(DataLessEqual, a[1], a[0]))
	case DataLessEqual:
		if wrong {
			return test(DataLess, a[0], a[1])
		}
		return not(test(DataLess, a[1], a[0]))
	case DataEqual, DataAdd, DataMax, DataMin, DataBitAnd, DataBitOr, DataBitXor:
		if wrong && d.Op != DataEqual {
			swapped.Op = []DataOp{DataAdd, DataMax, DataMin}[r.Intn(3)]
		}
		return &swapped
	case DataBoth, DataEither:
		dual := DataBoth + DataEither - d.Op
		if !wrong {
			return not(of(dual, not(a[1]), not(a[0])))
		}
		return of(dual, a...)
	case DataRemainder:
		q := of(DataQuotient, a...)
		return of(DataSub, a[0], of(DataMul, a[1], q))
	case DataSub, DataQuotient:
		if wrong {
			out.Op = map[DataOp]DataOp{DataSub: DataAdd, DataQuotient: DataShift}[d.Op]
		}
	}
	return &out
}

// TestAccepted: what is accepted leaves the same.
func TestAccepted(t *testing.T) {
	count := map[string]int{}
	for seed := range int64(tier.Pick(150, 1500)) {
		r := &changer{Rand: rand.New(rand.NewSource(seed)), elem: real32}
		if r.Intn(2) == 0 {
			r.elem = []domain.Elem{int8s, {Kind: domain.ElemUint, Width: 8}}[r.Intn(2)]
		}
		var list []*Buffer
		for _, name := range []string{"X", "Y", "Z"} {
			list = append(list, buffer(name, r.elem, "N"))
		}
		wrong := r.Intn(2) == 0
		for _, b := range list {
			r.reads = append(r.reads, read(Access{Buffer: b, At: ints(0)}))
		}
		d := r.value(3)
		in := func(d *Data) *Procedure {
			return procedure("N", list, each(0, "N", func(i *For) Stmt {
				return set(list[1].at(i), readAt(d, i))
			}))
		}
		before, after := in(d), in(r.changed(d, wrong))
		sizes := map[string]int64{"N": 60}
		m, err := run(before, sizes)
		n, also := run(after, sizes)
		if err != nil || also != nil {
			t.Fatal(err, also)
		}
		same := true
		for at, v := range m.cells[list[1]] {
			same = same && v.Cmp(n.cells[list[1]][at]) == 0
		}
		code := verdict(before, after, domain.Auto)
		if code == "" && !same {
			t.Errorf("seed %d is accepted:\n%s%s", seed, text(before), text(after))
		}
		count[fmt.Sprintf("same %t, accepted %t", same, code == "")]++
	}
	t.Log(count)
	if all := count["same true, accepted true"]; 2*all < count["same true, accepted false"] {
		t.Errorf("%d are accepted", all)
	}
}

// readAt is d with the elements at the counter of a loop.
func readAt(d *Data, f *For) *Data {
	out := *d
	if out.Args = nil; d.Op == DataRead {
		out.From = d.From.Buffer.at(f)
	}
	for _, a := range d.Args {
		out.Args = append(out.Args, readAt(a, f))
	}
	return &out
}
