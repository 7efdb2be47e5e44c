package loops

import (
	"maps"
	"math/big"
	"slices"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// An update is an Assign x = x op e, for some instances: e is the sum, product, maximum or minimum
// of terms.
type update struct {
	reached
	to    domain.Elem
	fold  algebra.Fold
	least bool // a minimum, which is a maximum in the mirror
	terms []term
}

type term struct {
	*Data
	minus bool
}

// updates are hits, if all are updates with one operation that is associative and commutative; of
// floats bit for bit, one sum of one term.
func (t *trace) updates(hits []reached) (out []update) {
	for _, r := range hits {
		s := r.statement().(*Assign)
		u, ok := t.update(s)
		sort := t.Elem(u.to)
		switch {
		case !ok, len(out) > 0 && (u.fold != out[0].fold || u.least != out[0].least):
			return nil
		case algebra.IsReal(sort), integer(sort):
		case u.fold != algebra.FoldSum || len(hits) > 1 || len(u.terms) > 1:
			return nil
		}
		u.reached = r
		out = append(out, u)
	}
	return out
}

// separate are hits by the number that their subscript of one axis is, if it is a number for all of
// them, not the same, and those of each number are updates: they are of other cells.
func (t *trace) separate(hits []reached) (axis int, parts map[string][]update) {
	if len(hits) < 2 {
		return 0, nil
	}
	for axis = range hits[0].statement().(*Assign).To.At {
		by := map[string][]reached{}
		for _, r := range hits {
			e := r.statement().(*Assign).To.At[axis]
			if e.Op != IntNumber {
				by = nil
				break
			}
			by[e.N.String()] = append(by[e.N.String()], r)
		}
		parts = map[string][]update{}
		for n, list := range by {
			if u := t.updates(list); u != nil {
				parts[n] = u
			}
		}
		if len(by) > 1 && len(parts) == len(by) {
			return axis, parts
		}
	}
	return 0, nil
}

// separately is what a cell holds behind a loop of which hits are separate: that of one of them, or
// what it held before (law 3, of the hits of each cell).
func (t *trace) separately(x *cell, axis int, parts map[string][]update, p *place,
	c *context) *scalar {
	value := func(c *context) *scalar { return t.back(x, p, false, c) }
	for _, n := range slices.Sorted(maps.Keys(parts)) {
		number, _ := new(big.Int).SetString(n, 10)
		d := t.B.Sub(x.at[axis], t.B.Num(algebra.BigNum(number)))
		others, list := value, parts[n]
		value = func(c *context) *scalar {
			own := func(c *context) *scalar {
				return t.folded(list, c, func(c *context) *scalar { return t.back(x, p, false, c) })
			}
			return t.choose(c, []*expr{d, t.B.Scale(algebra.Int(-1), d)}, own, others)
		}
	}
	return value(c)
}

// update takes what an Assign writes apart.
func (t *trace) update(s *Assign) (u update, ok bool) {
	u.to = s.To.Buffer.Elem
	self := func(d *Data) bool {
		d = t.unconverted(d, u.to)
		return d.Op == DataRead && d.From.Buffer == s.To.Buffer &&
			slices.EqualFunc(d.From.At, s.To.At, sameInt)
	}
	v, guard := t.extreme(t.unconverted(s.Value, u.to)), (*Data)(nil)
	if sort := t.Elem(u.to); v.Op == DataChoose && (algebra.IsReal(sort) || integer(sort)) {
		v, guard = guarded(v, self)
		v = t.unconverted(v, u.to)
	}
	folds := map[DataOp]algebra.Fold{DataAdd: algebra.FoldSum, DataSub: algebra.FoldSum,
		DataMul: algebra.FoldProduct, DataMax: algebra.FoldMax, DataMin: algebra.FoldMax}
	if u.fold, ok = folds[v.Op]; !ok || guard != nil && u.fold == algebra.FoldMax {
		return u, false
	}
	u.least = v.Op == DataMin
	selves := 0
	for _, x := range t.operands(v, v.Op, false) {
		if u.fold == algebra.FoldMax && integer(x.Elem) { // it has an order only as it is
			if x.Data = x.kept(u.to); x.Data == nil {
				return u, false
			}
		}
		switch {
		case !self(x.Data):
			u.terms = append(u.terms, x)
		case x.minus:
			return u, false
		default:
			selves++
		}
	}
	if guard != nil {
		u.together()
		for i, x := range u.terms {
			u.terms[i].Data = x.guarded(guard, u.fold)
		}
	}
	return u, selves == 1
}

// together makes one term of those of a sum that have one type, which a condition is about.
func (u *update) together() {
	if len(u.terms) == 0 || u.fold != algebra.FoldSum ||
		slices.ContainsFunc(u.terms, func(x term) bool { return x.Elem != u.terms[0].Elem }) {
		return
	}
	all := u.terms[0].Data
	of := func(op DataOp, args ...*Data) *Data {
		return &Data{Op: op, Elem: all.Elem, Args: args, Span: all.Span}
	}
	for i, x := range u.terms {
		switch {
		case i == 0 && x.minus:
			all = of(DataNeg, all)
		case i > 0 && x.minus:
			all = of(DataSub, all, x.Data)
		case i > 0:
			all = of(DataAdd, all, x.Data)
		}
	}
	u.terms = []term{{Data: all}}
}

// guarded takes c ? x : y apart where one of x and y is what was there: it returns the other, and
// the condition for that.
func guarded(d *Data, self func(*Data) bool) (x, c *Data) {
	if len(d.Args) == 3 && self(d.Args[2]) {
		return d.Args[1], d.Args[0]
	} else if len(d.Args) == 3 && self(d.Args[1]) {
		not := &Data{Op: DataNot, Elem: algebra.Truth, Args: d.Args[:1], Span: d.Span}
		return d.Args[2], not
	}
	return d, nil
}

// guarded is a term where a condition holds, and else nothing.
func (x term) guarded(c *Data, fold algebra.Fold) *Data {
	nothing := map[algebra.Fold]string{algebra.FoldSum: "0", algebra.FoldProduct: "1"}[fold]
	other := &Data{Op: DataLiteral, Elem: x.Elem, Text: nothing, Span: x.Span}
	return &Data{Op: DataChoose, Elem: x.Elem, Args: []*Data{c, x.Data, other}, Span: x.Span}
}

// operands takes sums, products, maxima and minima apart.
func (t *trace) operands(d *Data, op DataOp, minus bool) []term {
	sum := func(op DataOp) bool { return op == DataAdd || op == DataSub }
	e := t.extreme(d)
	if e.Op != op && !(sum(e.Op) && sum(op)) {
		return []term{{d, minus}}
	}
	x := t.operands(e.Args[0], op, minus)
	return append(x, t.operands(e.Args[1], op, minus != (e.Op == DataSub))...)
}

// unconverted is d without conversions that do not change what it is modulo 2^width of a type, or
// that change no real number.
func (t *trace) unconverted(d *Data, to domain.Elem) *Data {
	for d.Op == DataConvert {
		x, y := d.Args[0].Elem, d.Elem
		float := x.Kind == domain.ElemFloat && y.Kind == domain.ElemFloat
		switch {
		case x == y, float && t.Arith == domain.Real && x.Width <= y.Width:
		case float && t.Arith == domain.Auto:
		case t.Arith != domain.Real && integer(x) && integer(y) && integer(to) &&
			x.Width >= to.Width && y.Width >= to.Width:
		default:
			return d
		}
		d = d.Args[0]
	}
	return d
}

func sameInt(x, y *Int) bool {
	return x.Op == y.Op && x.Name == y.Name && x.Loop == y.Loop &&
		(x.Op != IntNumber || x.N.Cmp(y.N) == 0) && slices.EqualFunc(x.Args, y.Args, sameInt)
}

// folded is what a cell holds behind all updates of it (law 3): what it held before, and then the
// terms of all instances.
func (t *trace) folded(list []update, c *context, before func(*context) *scalar) *scalar {
	v := before(c)
	if v == t.never {
		return v
	}
	sort, least := t.Elem(list[0].to), list[0].least
	if least {
		v = t.Mirrored(v)
	}
	for _, u := range list {
		where := u.where.clone()
		where.c = c
		where.solve()
		if !algebra.IsReal(sort) && !integer(sort) {
			zero := v.Op == algebra.OpConst && v.Val != nil && v.Val.Sign() == 0
			if !zero || !where.outward {
				unsupported("a sum of floats, bit for bit, that does not start from 0, or in order")
			}
		}
		op := [...]algebra.Op{algebra.OpAdd, algebra.OpMul, algebra.OpMax}[u.fold]
		if all := t.over(u, where, sort, c); op == algebra.OpMax {
			v = t.Greatest(v, all)
		} else {
			v = t.Op2(op, v, all)
		}
	}
	if least {
		return t.Mirrored(v)
	}
	return v
}

// over is the fold of the terms of an update over its instances, which are solved: over a box in
// which they lie, without those places of the box that are none.
func (t *trace) over(u update, where *instances, sort domain.Elem, c *context) *scalar {
	nothing := func(*context) *scalar { return t.Nothing(u.fold, sort) }
	boxes := where.boxes()
	var given, guards []*expr
	for _, e := range where.conditions() {
		if where.open(e) {
			guards = append(guards, e)
		} else {
			given = append(given, e)
		}
	}
	return t.choose(c, given, func(c *context) *scalar {
		var places []*expr
		for _, x := range boxes {
			places = append(places, x.places)
		}
		return t.Reduce(u.fold, sort, places, func(in []*expr) *scalar {
			m := map[*atom]*expr{}
			for i, v := range where.unknowns {
				m[v] = t.B.Add(t.B.Subst(c, boxes[i].first, m), in[i])
			}
			var inside []*expr
			for _, e := range guards {
				inside = append(inside, t.B.Subst(c, e, m))
			}
			return t.choose(c, inside, func(c *context) *scalar {
				v := t.within(u.statement().(*Assign), func() *scalar {
					return t.terms(u, moved(u.at, func(e *expr) *expr {
						return t.B.Subst(c, where.value(e), m)
					}), c)
				})
				if v == t.never {
					return nothing(c)
				}
				return v
			}, nothing)
		})
	}, nothing)
}

// moved is a place at values of unknowns.
func moved(p *place, value func(*expr) *expr) *place {
	if p == nil {
		return nil
	}
	q := *p
	if q.up = moved(p.up, value); q.loop != nil {
		q.iteration, q.counter = value(q.iteration), value(q.counter)
	}
	return &q
}

// terms are those of an update at a place, together.
func (t *trace) terms(u update, p *place, c *context) (out *scalar) {
	for _, x := range u.terms {
		v := t.value(x.Data, p, c)
		if v == t.never {
			return v
		}
		if v = t.Convert(x.Elem, u.to, v); x.minus {
			v = t.Neg(v)
		} else if u.least {
			v = t.Mirrored(v)
		}
		if out != nil {
			v = t.Op2([...]algebra.Op{algebra.OpAdd, algebra.OpMul, algebra.OpMax}[u.fold], out, v)
		}
		out = v
	}
	return out
}

// A box holds what an unknown can be (law 6): as many places from first on. First is made of what
// is given and of unknowns further out, places of sizes alone: so it is the same wherever it is
// asked about.
type box struct{ first, places *expr }

// boxes are those of the unknowns, in order.
func (s *instances) boxes() (out []box) {
	lows, highs := map[*atom]*expr{}, map[*atom]*expr{} // of unknowns so far
	for i, v := range s.unknowns {
		outer := func(e *expr) bool { return !slices.ContainsFunc(s.unknowns[i:], e.Mentions) }
		lower, upper, _, _ := s.bounds(v)
		var firsts, lasts []*expr
		for _, l := range lower {
			if outer(l.end) {
				firsts = append(firsts, s.ceiling(l.end, l.factor))
			}
		}
		for _, u := range upper {
			if outer(u.end) {
				lasts = append(lasts, s.Div(s.c, u.end, u.factor))
			}
		}
		if firsts == nil || lasts == nil {
			unsupported("a counter of a sum without bounds of its own")
		}
		x := s.narrow(firsts, lasts)
		if x.places == nil {
			least, most := s.end(firsts[0], false, lows, highs), s.end(lasts[0], true, lows, highs)
			x = box{least, s.AddInt(s.Sub(most, least), 1)}
		}
		lows[v], highs[v] = x.first, s.AddInt(s.Add(x.first, x.places), -1)
		if !s.Nonneg(s.Root, x.places) {
			x.places = s.Max(s.Root, s.Const(0), x.places)
		}
		out = append(out, x)
	}
	return out
}

// narrow is a box whose places are made of sizes as they are, if there is one: of several the
// first, or one that moves with what is given, a row of all places, and has a number of them or
// fewer.
func (s *instances) narrow(firsts, lasts []*expr) (out box) {
	for _, first := range firsts {
		for _, last := range lasts {
			n := s.AddInt(s.Sub(last, first), 1)
			_, fewer := n.Const()
			if out.places != nil && n.OnlySizes() {
				fewer = fewer || n != out.places && s.Nonneg(s.Root, s.Sub(out.places, n))
			}
			if n.OnlySizes() && (out.places == nil || fewer && !first.OnlySizes()) {
				out = box{first, n}
			}
		}
	}
	return out
}

// end is a number, made of sizes, that e is never below, or above: every variable is put at an end
// of all it can be.
func (s *instances) end(e *expr, up bool, lows, highs map[*atom]*expr) *expr {
	for range maxWork {
		d := last(e)
		if d == nil {
			return e
		}
		k, r, linear := s.Linear(e, d)
		rises, falls := s.Nonneg(s.Root, k), s.Nonneg(s.Root, s.negated(k))
		if !linear || !rises && !falls {
			break
		}
		top := up == rises
		at := func(x *expr) *expr { return s.end(x, top, lows, highs) }
		var x *expr
		switch low, high := lows[d], highs[d]; {
		case d.Kind == algebra.KindMax:
			x = s.Max(s.Root, at(d.X), at(d.Y))
		case d.Kind == algebra.KindMin:
			x = s.Min(s.Root, at(d.X), at(d.Y))
		case d.Kind == algebra.KindFloor && s.positive(d.Y):
			x = s.Div(s.Root, at(d.X), d.Y)
		case d.Kind != algebra.KindVar:
		case top && high != nil:
			x = high
		case top:
			x = s.AddInt(d.Hi, -1)
		case low != nil:
			x = low
		default:
			x = d.Lo
		}
		if x == nil {
			break
		}
		e = s.Add(s.Mul(k, x), r)
	}
	unsupported("a bound of a sum has no bound made of sizes")
	return nil
}

// last is the atom of e that was made last of those that hold variables.
func last(e *expr) (d *atom) {
	for _, t := range e.Terms() {
		for _, a := range t.Atoms() {
			if !a.Expr().OnlySizes() && (d == nil || a.ID > d.ID) {
				d = a
			}
		}
	}
	return d
}
