package loops

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// roll makes one iteration of loops whose bodies are several (law 10), inner loops first.
func (p *Procedure) roll() {
	var visit func([]Stmt)
	visit = func(block []Stmt) {
		for _, s := range block {
			switch s := s.(type) {
			case *For:
				visit(s.Body)
				p.single(s)
			case *If:
				visit(s.Then)
				visit(s.Else)
			}
		}
	}
	visit(p.Body)
}

// single makes the body of a loop one iteration, as short as can be.
func (p *Procedure) single(f *For) {
	if back := widened(f); back != nil && !p.shortened(f) {
		back()
	}
	if f.Step.Op != IntNumber || f.Step.N.Cmp(big.NewInt(1)) <= 0 || len(f.Lo) != 1 {
		return
	}
	if p.shortened(f) || len(f.Body) != 1 {
		return
	}
	s, ok := f.Body[0].(*Assign)
	if !ok || s.Guarded || s.Reduces || f.Unordered {
		return
	}
	body := f.Body
	for _, list := range s.taken() {
		if f.Body = list; p.shortened(f) {
			return
		}
		f.Body = body
	}
}

// taken are the ways to take an assignment x = f(g(..h(x))) apart into x = h(x), ..., x = g(x), x =
// f(x) of as many operations each, the most first.
func (s *Assign) taken() (ways [][]Stmt) {
	own := func(d *Data) int { return d.readsOf(s.To.Buffer) }
	if own(s.Value) != 1 {
		return nil
	}
	var steps []func(*Data) *Data // what is done to x, the last first
	d := s.Value
	for d.Op != DataRead {
		inner := slices.IndexFunc(d.Args, func(a *Data) bool { return own(a) == 1 })
		if inner < 0 || d.Elem != s.To.Buffer.Elem || d.Op == DataChoose {
			return nil
		}
		outer := d
		steps = append(steps, func(x *Data) *Data {
			out := *outer
			out.Args = slices.Clone(outer.Args)
			out.Args[inner] = x
			return &out
		})
		d = d.Args[inner]
	}
	if !SameAccess(d.From, s.To) {
		return nil
	}
	for n := len(steps); n > 1; n-- {
		if len(steps)%n != 0 {
			continue
		}
		var list []Stmt
		for rest := steps; len(rest) > 0; {
			from := len(rest) - len(steps)/n
			x := &Data{Op: DataRead, Elem: d.Elem, From: d.From, Span: d.Span}
			for _, step := range slices.Backward(rest[from:]) {
				x = step(x)
			}
			list, rest = append(list, &Assign{To: s.To, Value: x, Span: s.Span}), rest[:from]
		}
		ways = append(ways, list)
	}
	return ways
}

// readsOf is how many reads of a buffer are in d.
func (d *Data) readsOf(b *Buffer) (n int) {
	if d.Op == DataRead && d.From.Buffer == b {
		n++
	}
	for _, a := range d.Args {
		n += a.readsOf(b)
	}
	return n
}

// shortened makes the body of a loop one iteration, as short as can be, if it is several.
func (p *Procedure) shortened(f *For) bool {
	for each := 1; 2*each <= len(f.Body); each++ {
		n := big.NewInt(int64(len(f.Body) / each))
		step, rest := new(big.Int).QuoRem(f.Step.N, n, new(big.Int))
		if len(f.Body)%each != 0 || rest.Sign() != 0 || !p.repeats(f, each, step) {
			continue
		}
		for i, hi := range f.Hi {
			f.Hi[i] = behind(f.Lo[0], hi, f.Step)
		}
		f.Step, f.Body = &Int{Op: IntNumber, N: step}, f.Body[:each]
		return true
	}
	return false
}

// repeats reports whether the body of f is its first statements again and again, for counters a
// step further each time. What belongs to one iteration alone has to be used nowhere else.
func (p *Procedure) repeats(f *For, each int, step *big.Int) bool {
	first := ""
	var own []*Buffer
	names := map[string]int{}
	for at := 0; at < len(f.Body); at += each {
		w := &writing{f: f, ahead: new(big.Int).Mul(step, big.NewInt(int64(at/each))), names: names}
		w.block(f.Body[at : at+each])
		text := w.String()
		if at == 0 {
			first = text
		}
		if text != first {
			return false
		}
		own = append(own, w.own...)
	}
	if len(own) == 0 {
		return true
	}
	outside := &writing{but: f, names: names}
	outside.block(p.Body)
	used := func(b *Buffer) bool { return slices.Contains(outside.used, b) }
	return !slices.ContainsFunc(own, used)
}

// behind is where a loop from lo ends that takes whole steps to hi: lo + step·ceil((hi-lo)/step).
func behind(lo, hi, step *Int) *Int {
	w := &writing{names: map[string]int{}}
	way := w.sum(Minus(hi, lo))
	whole := true
	for _, k := range way {
		whole = whole && new(big.Int).Rem(k, step.N).Sign() == 0
	}
	if whole {
		return hi
	}
	up := IntAdd.Of(Minus(hi, lo), step, Number(-1))
	return IntAdd.Of(lo, IntMul.Of(step, IntDiv.Of(up, step)))
}

// A writing is statements as a text: one and the same text for what is one and the same, but for
// the names of counters and of locals that begin in it.
type writing struct {
	strings.Builder
	f     *For // whose counter is written as what it is in the iteration that is ahead by so much
	ahead *big.Int
	but   *For           // a loop that is left out
	names map[string]int // of what is no sum or product
	inner []*For
	own   []*Buffer // locals that begin here
	used  []*Buffer // all
}

func (w *writing) put(format string, args ...any) { fmt.Fprintf(w, format+";", args...) }

func (w *writing) block(list []Stmt) {
	w.put("{")
	for _, s := range list {
		switch s := s.(type) {
		case *Assign:
			w.put("write %v %v", s.Guarded, s.Reduces)
			w.access(s.To)
			w.data(s.Value)
		case *For:
			if s == w.but {
				continue
			}
			w.put("for %v", s.Unordered)
			w.ints(s.Lo)
			w.ints(s.Hi)
			w.ints([]*Int{s.Step})
			w.inner = append(w.inner, s)
			w.block(s.Body)
			w.inner = w.inner[:len(w.inner)-1]
		case *If:
			w.put("if")
			w.cond(s.Cond)
			w.block(s.Then)
			w.block(s.Else)
		case *Require:
			w.put("require %v", s.Guarded)
			w.cond(s.Cond)
		case *Alloc:
			w.own = append(w.own, s.Buffer)
			w.put("alloc %v %d", s.Buffer.Elem, len(s.Buffer.Dims))
			for _, d := range s.Buffer.Dims {
				w.put("%s", d)
			}
		default:
			w.put("%p", s) // like no other
		}
	}
	w.put("}")
}

func (w *writing) access(a Access) {
	w.used = append(w.used, a.Buffer)
	if k := slices.Index(w.own, a.Buffer); k >= 0 {
		w.put("own %d", k)
	} else {
		w.put("%p", a.Buffer)
	}
	w.ints(a.At)
}

func (w *writing) data(d *Data) {
	w.put("%d %v %q %t %d", d.Op, d.Elem, d.Text, d.Checked, len(d.Args))
	if d.Op == DataRead {
		w.access(d.From)
	}
	if d.Op == DataInt {
		w.ints([]*Int{d.Int})
	}
	for _, a := range d.Args {
		w.data(a)
	}
}

func (w *writing) cond(c *Cond) {
	w.put("%d %d", c.Op, len(c.Conds))
	if c.X != nil {
		w.ints([]*Int{c.X, c.Y})
	}
	for _, d := range c.Conds {
		w.cond(d)
	}
}

func (w *writing) ints(list []*Int) {
	w.put("%d", len(list))
	for _, x := range list {
		w.put("%s", w.text(x))
	}
}

// text is an integer as the sum of its products, in one order.
func (w *writing) text(x *Int) string {
	sum := w.sum(x)
	var out []string
	for product, k := range sum {
		if k.Sign() != 0 {
			out = append(out, k.String()+product)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "+")
}

// sum is an integer as factors of products, each of which begins with a star for each operand.
func (w *writing) sum(x *Int) map[string]*big.Int {
	switch x.Op {
	case IntNumber:
		return map[string]*big.Int{"": x.N}
	case IntAdd:
		out := map[string]*big.Int{}
		for _, a := range x.Args {
			for product, k := range w.sum(a) {
				addTo(out, product, k)
			}
		}
		return out
	case IntMul:
		out := map[string]*big.Int{"": big.NewInt(1)}
		for _, a := range x.Args {
			next := map[string]*big.Int{}
			for p, k := range out {
				for q, m := range w.sum(a) {
					addTo(next, joint(p, q), new(big.Int).Mul(k, m))
				}
			}
			out = next
		}
		return out
	case IntCounter:
		switch k := slices.Index(w.inner, x.Loop); {
		case x.Loop == w.f:
			return map[string]*big.Int{"*0": big.NewInt(1), "": new(big.Int).Neg(w.ahead)}
		case k >= 0:
			return w.single("counter %d", k)
		}
		return w.single("counter %p", x.Loop)
	case IntSize:
		return w.single("size %s", x.Name)
	}
	args := make([]string, len(x.Args))
	for i, a := range x.Args {
		args[i] = w.text(a)
	}
	return w.single("%d %q", x.Op, args)
}

// single is a product of what has no parts, by a number: so that texts cannot be taken apart
// wrongly.
func (w *writing) single(format string, args ...any) map[string]*big.Int {
	text := fmt.Sprintf(format, args...)
	if w.names[text] == 0 {
		w.names[text] = len(w.names) + 1
	}
	return map[string]*big.Int{fmt.Sprintf("*%d", w.names[text]): big.NewInt(1)}
}

func addTo(to map[string]*big.Int, product string, k *big.Int) {
	if to[product] == nil {
		to[product] = new(big.Int)
	}
	to[product] = new(big.Int).Add(to[product], k)
}

// joint is the product of two.
func joint(p, q string) string {
	all := strings.Split(p+q, "*")
	slices.Sort(all)
	return strings.Join(all, "*")
}
