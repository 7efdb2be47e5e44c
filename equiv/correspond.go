package equiv

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"tv/equiv/sizes"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// Glenside programs know their inputs by name, and AFTER declares nothing of its own. All others meet as doc/languages.md
// section 2 says: who of AFTER's parameters is who of BEFORE's is found here, and AFTER is typed under BEFORE's names.

// A Binding says that a tensor of BEFORE is called so by AFTER.
type Binding struct{ Before, After string }

// A correspondence is AFTER's names in terms of BEFORE's.
type correspondence struct {
	env        *domain.Env // that AFTER is typed under
	extra      []domain.Input
	conditions []extent // under which extents of AFTER are those of what they are bound to
	counts     []count  // of them those on numbers of elements: tensors in rows
	how        string   // "by position", "by --bind"; empty where all names are the same
	names      []Binding
}

// Shared tells whether two programs have their names in common.
func (asked Question) Shared() bool {
	name := asked.Before.Language().Name
	return len(asked.Bind) == 0 && name == asked.After.Language().Name && !asked.Before.Signature().Ordered
}

// An extent is a condition on the tensor that BEFORE calls so.
type extent struct {
	pred      *domain.Pred
	name, msg string
}

// A meeting is the work on a correspondence.
type meeting struct {
	asked         Question
	before, after semantics.Signature
	alike         bool // programs of one language and kind: by position
	taken         map[string]bool
	bound         []match // what is bound to tensors of BEFORE
	results       []match // what AFTER writes, and the result of BEFORE that it is
	out           *correspondence
}

// correspond finds the correspondence, where names are not shared. Errors: source.Errors.
func correspond(asked Question, before semantics.Program, env *domain.Env) (c *correspondence, err error) {
	m := newMeeting(asked)
	m.out = &correspondence{env: &domain.Env{Tensors: maps.Clone(env.Tensors), Mins: leasts(before, env), Names: map[string]string{},
		Sizes: map[string]domain.Size{}}}
	err = m.try(func() {
		m.sizes()
		pairs := m.pairs()
		m.outputs(before.Result().Components(), pairs)
		for _, p := range pairs {
			m.bind(p[0], p[1])
		}
		m.extents(pairs)
	})
	if err != nil {
		return nil, err
	}
	return m.out, nil
}

// mostLeast bounds how far above its declared least value a size is looked for.
const mostLeast = 64

// leasts are the least values that sizes have where BEFORE is well formed: P is at least 3 where P - 2 elements have to be some.
func leasts(before semantics.Program, env *domain.Env) map[string]int64 {
	d, out := sizes.NewDomain(before, env), maps.Clone(env.Mins)
	for _, n := range d.Names {
		excluded := func(v int64) bool {
			return slices.ContainsFunc(d.Preds, func(p *domain.Pred) bool {
				if names := p.Names(); len(names) != 1 || names[0] != n {
					return false
				}
				holds, err := p.Eval(domain.Point{n: v})
				return err == nil && !holds
			})
		}
		v := d.Mins[n]
		for v < d.Mins[n]+mostLeast && excluded(v) {
			v++
		}
		if v > d.Mins[n] && !excluded(v) {
			out[n] = v
		}
	}
	return out
}

func newMeeting(asked Question) *meeting {
	m := &meeting{asked: asked, before: asked.Before.Signature(), after: asked.After.Signature(), taken: map[string]bool{},
		out: &correspondence{}}
	m.alike = asked.Before.Language() == asked.After.Language() && m.before.Procedure == m.after.Procedure && m.before.Ordered
	return m
}

// try returns what f fails at. Errors: source.Errors.
func (m *meeting) try(f func()) (err error) {
	defer func() {
		if e := recover(); e != nil {
			problem, ok := e.(*source.Error)
			if !ok {
				panic(e)
			}
			err = source.Errors{problem}
		}
	}()
	f()
	return nil
}

// signed gives parameters whose integers are bits the sign that those have that they are bound to.
func (asked Question) signed() Question {
	m := newMeeting(asked)
	of := map[string]semantics.Parameter{}
	err := m.try(func() {
		for _, p := range m.pairs() {
			of[p[1].Name] = p[0]
		}
	})
	if m.before.Procedure && m.after.Procedure && !m.alike {
		x, y := written(m.before), written(m.after)
		for i := range min(len(x), len(y)) {
			of[y[i].Name] = x[i]
		}
	}
	if err != nil { // which is said where they meet
		return asked
	}
	asked.Before, asked.After = semantics.Signed(asked.Before, asked.After, func(y semantics.Parameter) (semantics.Parameter, bool) {
		x, ok := of[y.Name]
		return x, ok
	})
	return asked
}

// sized makes sizes of the scalars that steer the other program alone: a size is one of both programs.
func (asked Question) sized() Question {
	m := newMeeting(asked)
	here, there := headed(m.before), headed(m.after)
	bound := len(m.given(m.before)) == len(m.given(m.after)) // each scalar is bound to another then, whatever else has its name
	if !m.before.Procedure || !m.after.Procedure || m.alike && len(here) != len(there) || !m.alike && bound {
		return asked
	}
	other := func(list []headingItem, name string, i int) *headingItem {
		if !m.alike {
			i = slices.IndexFunc(list, func(h headingItem) bool { return h.name == name })
		}
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	missing := func(list, of []headingItem) (names []string) {
		for i, h := range of {
			if o := other(list, h.name, i); h.size && o != nil && o.scalar {
				names = append(names, o.name)
			}
		}
		return names
	}
	become := func(s semantics.Source, names []string) semantics.Source {
		if of, ok := s.(semantics.Sizer); ok && len(names) > 0 {
			if out := of.Sized(names); out != nil {
				return out
			}
		}
		return s
	}
	before, after := missing(here, there), missing(there, here)
	asked.Before, asked.After = become(asked.Before, before), become(asked.After, after)
	return asked
}

// A headingItem is what stands in that of a procedure: a size, or a tensor, which may be an integer that it does not write.
type headingItem struct {
	name         string
	size, scalar bool
}

// headed are what a procedure is given, in order.
func headed(s semantics.Signature) (out []headingItem) {
	sizes := s.Sizes
	for i := 0; i <= len(s.Parameters); i++ {
		for len(sizes) > 0 && sizes[0].Place <= i {
			out, sizes = append(out, headingItem{sizes[0].Name, true, false}), sizes[1:]
		}
		if i < len(s.Parameters) {
			p := s.Parameters[i]
			whole := p.Elem.Kind == domain.ElemInt || p.Elem.Kind == domain.ElemUint
			out = append(out, headingItem{p.Name, false, p.Typed && len(p.Dims) == 0 && !p.Written && whole})
		}
	}
	return out
}

// framed makes results of what one of two procedures writes and the other does not, which has to leave it alone.
func (asked Question) framed() Question {
	before, ok := asked.Before.(semantics.Observer)
	after, too := asked.After.(semantics.Observer)
	m := newMeeting(asked)
	if !ok || !too || !m.alike || !m.before.Procedure {
		return asked
	}
	var here, there []string
	err := m.try(func() {
		for _, p := range m.pairs() {
			switch x, y := p[0], p[1]; {
			case x.Written && !y.Written:
				there = append(there, y.Name)
			case !x.Written && y.Written:
				here = append(here, x.Name)
			}
		}
	})
	if err != nil { // which is said where they meet
		return asked
	}
	if len(here) > 0 {
		asked.Before = before.Observing(here)
	}
	if len(there) > 0 {
		asked.After = after.Observing(there)
	}
	return asked
}

func (m *meeting) fail(span source.Span, code, format string, args ...any) {
	panic(source.Errorf(span, code, format, args...))
}

// given are the parameters that bind as inputs: of programs that are alike all, of another procedure those that are never
// written, of another function those whose contents can be seen.
func (m *meeting) given(s semantics.Signature) []semantics.Parameter {
	return slices.DeleteFunc(slices.Clone(s.Parameters), func(p semantics.Parameter) bool {
		return !m.alike && (s.Procedure && p.Written || !s.Procedure && !p.Read)
	})
}

// pairs returns who of BEFORE's inputs is who of AFTER's.
func (m *meeting) pairs() (out [][2]semantics.Parameter) {
	x, y := m.given(m.before), m.given(m.after)
	place := m.asked.After.Root()
	if len(x) != len(y) {
		what := "inputs"
		if m.alike {
			what = "parameters"
		}
		m.fail(place, "binding-ambiguous", "the %s of AFTER are %s, and those of BEFORE %s: there should be as many",
			what, m.listed(y), m.listed(x))
	}
	find := func(list []semantics.Parameter, name string) int {
		return slices.IndexFunc(list, func(p semantics.Parameter) bool { return p.Name == name })
	}
	for _, b := range m.asked.Bind {
		i, k := find(x, b.Before), find(y, b.After)
		if i < 0 || k < 0 {
			m.fail(place, "binding-unknown", "--bind %s=%s: there is no such input in both programs that is not bound yet",
				b.Before, b.After)
		}
		out = append(out, [2]semantics.Parameter{x[i], y[k]})
		x, y = slices.Delete(x, i, i+1), slices.Delete(y, k, k+1)
		m.out.how = "by --bind"
	}
	named := !m.alike && !slices.ContainsFunc(x, func(p semantics.Parameter) bool { return find(y, p.Name) < 0 })
	for i, p := range x {
		k := i
		if named {
			k = find(y, p.Name)
		} else if other := find(y, p.Name); !m.alike && other >= 0 && other != i {
			m.fail(y[other].Span, "binding-ambiguous", "%s is input %d here and input %d of BEFORE, and other names are on one "+
				"side alone: say who is who with --bind", p.Name, other+1, i+1)
		}
		out = append(out, [2]semantics.Parameter{p, y[k]})
		if y[k].Name != p.Name && m.out.how == "" {
			m.out.how = "by position"
		}
	}
	return out
}

// listed names what binds, and of inputs that are written says why they are.
func (m *meeting) listed(list []semantics.Parameter) string {
	var names []string
	for _, p := range list {
		if p.Written && !m.alike {
			p.Name += " before the call"
		}
		names = append(names, p.Name)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// sizes binds the sizes that programs are given, of those that are alike by position.
func (m *meeting) sizes() {
	x, y := m.before.Sizes, m.after.Sizes
	if !m.alike || len(x)+len(y) == 0 {
		return
	}
	if len(x) != len(y) {
		m.fail(m.asked.After.Root(), "binding-ambiguous", "AFTER is given %d sizes and BEFORE %d: there should be as many", len(y), len(x))
	}
	for i, s := range y {
		if s.Place != x[i].Place {
			m.fail(s.Span, "binding-ambiguous", "the size %s stands behind %d tensors, and %s of BEFORE behind %d", s.Name, s.Place,
				x[i].Name, x[i].Place)
		}
		m.out.env.Sizes[s.Name] = domain.NamedSize(x[i].Name)
		if s.Name != x[i].Name && m.out.how == "" {
			m.out.how = "by position"
		}
	}
}

// written are the parameters that a program writes.
func written(s semantics.Signature) []semantics.Parameter {
	return slices.DeleteFunc(slices.Clone(s.Parameters), func(p semantics.Parameter) bool { return !p.Written })
}

// outputs binds what AFTER writes to the tensors of BEFORE's result: their extents, and their contents before the call.
func (m *meeting) outputs(components []semantics.Component, pairs [][2]semantics.Parameter) {
	results := written(m.after)
	if len(results) == 0 { // a function whose text does not say: its type does
		return
	}
	if len(results) != len(components) {
		m.fail(m.asked.After.Root(), "output-unknown", "AFTER has %d results, BEFORE has %d", len(results), len(components))
	}
	old := written(m.before)
	for i, p := range results {
		m.unify(p, components[i].Dims)
		m.results = append(m.results, match{p, "", components[i].Dims})
		k := slices.IndexFunc(pairs, func(q [2]semantics.Parameter) bool { return q[1].Name == p.Name })
		switch {
		case k >= 0 && m.before.Procedure && m.after.Procedure:
			if pairs[k][0].Name != old[i].Name { // what one writes the other has to write
				m.fail(p.Span, "output-unknown", "%s is written, and %s of BEFORE, which it is bound to, is not, or in another "+
					"place among the results", p.Name, pairs[k][0].Name)
			}
		case k >= 0:
		case m.before.Procedure && m.after.Procedure:
			m.bind(old[i], p)
		case p.Read: // nobody else knows it
			m.unknown(p, components[i].Dims)
		}
	}
}

// unknown makes a tensor of what only AFTER has.
func (m *meeting) unknown(p semantics.Parameter, dims []domain.Size) {
	in := domain.Input{Name: p.Name + " before the call", Elem: p.Elem, Span: p.Span}
	for m.out.env.Tensors[in.Name].Name != "" { // a name may hold what it likes
		in.Name += "'"
	}
	for _, d := range dims {
		in.Dims = append(in.Dims, domain.Dim{Size: d})
	}
	m.out.env.Tensors[in.Name] = in.Tensor()
	m.out.env.Names[p.Name] = in.Name
	m.out.extra = append(m.out.extra, in)
}

// bind says that y of AFTER is x of BEFORE.
func (m *meeting) bind(x, y semantics.Parameter) {
	t, ok := m.out.env.Tensors[x.Name]
	if !ok {
		m.fail(x.Span, "binding-unknown", "%s is no tensor of BEFORE", x.Name)
	}
	returned := x.Written && !x.Read && y.Written && !y.Read // nobody is given it: of another type it is another result
	if y.Typed && !returned && (len(y.Dims) != len(t.Dims) && !m.rowMajor() || y.Elem != t.Elem) {
		m.fail(y.Span, "input-conflict", "%s has %d dims of %s, and %s of BEFORE, which it is bound to, %d of %s", y.Name,
			len(y.Dims), y.Elem, x.Name, len(t.Dims), t.Elem)
	}
	m.out.env.Names[y.Name] = x.Name
	m.out.names = append(m.out.names, Binding{x.Name, y.Name})
	m.bound = append(m.bound, match{y, x.Name, t.Dims})
	m.unify(y, t.Dims)
}

// unify finds sizes of AFTER: a dim that is a name is the extent of what it is bound to.
func (m *meeting) unify(p semantics.Parameter, dims []domain.Size) {
	if !p.Typed {
		return
	}
	if len(p.Dims) != len(dims) {
		m.first(p, dims)
		return
	}
	for i, d := range p.Dims {
		m.is(d.Name(), dims[i])
	}
}

// is says what a size of AFTER is, unless that is known.
func (m *meeting) is(name string, d domain.Size) {
	if _, known := m.out.env.Sizes[name]; name != "" && !known {
		m.out.env.Sizes[name] = d
	}
}

// solve finds sizes of AFTER that stand in sums and multiples: N is P - 2 where N + 2 is the extent P, and P div 2 where 2·N is; that
// the extents are then equal is asked for. One that BEFORE has too is that.
func (m *meeting) solve(known map[string]bool) {
	for _, b := range slices.Concat(m.bound, m.results) {
		if !b.Typed || len(b.Parameter.Dims) != len(b.dims) {
			continue
		}
		for i, d := range b.Parameter.Dims {
			d = m.out.env.Size(d)
			open := slices.DeleteFunc(d.Names(), func(n string) bool { return known[n] })
			if len(open) != 1 {
				continue
			}
			factor, rest, ok := d.Linear(open[0])
			if n, number := factor.Int64(); ok && number && n > 0 {
				m.is(open[0], b.dims[i].Sub(rest).Div(factor))
			}
		}
	}
}

// extents states that every extent of AFTER is that of what it is bound to, now that sizes are known. (Those of results are
// compared as results are.)
func (m *meeting) extents(pairs [][2]semantics.Parameter) {
	known := map[string]bool{}
	for _, s := range m.before.Sizes {
		known[s.Name] = true
	}
	for _, t := range m.out.env.Tensors {
		for _, d := range t.Dims {
			for _, name := range d.Names() {
				known[name] = true
			}
		}
	}
	m.solve(known)
	for _, p := range pairs {
		t := m.out.env.Tensors[p[0].Name]
		m.sized(p[1], known)
		if m.inRows(p[1], t.Dims) {
			continue
		}
		for i, d := range p[1].Dims {
			if here := m.out.env.Size(d); !here.Equal(t.Dims[i]) {
				m.out.conditions = append(m.out.conditions, extent{domain.Eq(here, t.Dims[i]), t.Name,
					fmt.Sprintf("axis %d of %s has %s elements in AFTER and %s in BEFORE", i, p[1].Name, here.Formula(),
						t.Dims[i].Formula())})
			}
		}
	}
	m.counted(known)
	for name, s := range m.out.env.Sizes {
		if s.Equal(domain.NamedSize(name)) {
			delete(m.out.env.Sizes, name)
		} else if known[name] && !m.alike {
			m.fail(m.asked.After.Root(), "binding-ambiguous", "the size %s of AFTER is %s by the extents, and BEFORE has another "+
				"size of that name", name, s.Formula())
		}
	}
}

// A pair is both programs of a question, typed.
type pair struct {
	env           *domain.Env // of BEFORE
	before, after semantics.Program
	names         *correspondence // of AFTER's names, where they are its own
	unstated      error           // of what AFTER owes that is no condition on sizes; nil where all is one
}

// meet types both programs of a question: BEFORE under the declarations, AFTER too where names are shared, otherwise under
// what its names stand for.
func meet(question Question, outside []Declaration) (p pair, err error) {
	asked := question.sized().signed().framed()
	sources := []semantics.Source{asked.Before, asked.After}
	if !asked.Shared() {
		sources = sources[:1]
	}
	if p.env, err = Environment(sources, outside); err != nil {
		return pair{}, err
	}
	if p.before, err = asked.Before.Type(p.env); err != nil {
		return pair{}, err
	}
	if len(sources) == 2 {
		p.after, p.unstated, err = sketch(asked.After, p.env)
		return p, err
	}
	if p.names, err = correspond(asked, p.before, p.env); err != nil {
		return pair{}, err
	}
	p.after, p.unstated, err = p.names.typed(asked.After, p.before, p.env)
	if err == nil && len(p.before.Result().Components()) != len(p.after.Result().Components()) {
		err = source.Errors{source.Errorf(asked.After.Root(), "output-unknown", "AFTER has %d results, BEFORE has %d",
			len(p.after.Result().Components()), len(p.before.Result().Components()))}
	}
	return p, err
}

// sketch types AFTER: a procedure also where something that it owes is no condition on sizes, as what it does may refute it.
func sketch(after semantics.Source, env *domain.Env) (p semantics.Program, unstated, err error) {
	s, ok := after.(semantics.Sketcher)
	if !ok {
		p, err = after.Type(env)
		return p, nil, err
	}
	if p, err = s.Sketch(env); p == nil {
		return nil, nil, err
	}
	return p, err, nil
}

// Programs types both programs of a question, under declarations from outside too. AFTER's conditions are not checked by its
// evaluator alone: those on what it is bound to are nobody's but the question's. Errors: source.Errors.
func Programs(asked Question, outside ...Declaration) (before, after semantics.Program, err error) {
	p, err := meet(asked, outside)
	return p.before, p.after, err
}

// String says who is who, where names differ: "by position: A = X, N = 2*K".
func (c *correspondence) String() string {
	if c == nil || c.how == "" {
		return ""
	}
	var list []string
	for _, b := range c.names {
		list = append(list, b.Before+" = "+b.After)
	}
	for _, name := range slices.Sorted(maps.Keys(c.env.Sizes)) {
		list = append(list, c.env.Sizes[name].Formula()+" = "+name)
	}
	return c.how + ": " + strings.Join(list, ", ")
}

// apart lists the tensors that are taken not to overlap: those of BEFORE, and of AFTER those that have other names.
func apart(x, y semantics.Signature) string {
	before, after := x.Storage, y.Storage
	if len(before) == 0 || slices.Equal(before, after) {
		before, after = after, nil
	}
	of := strings.Join(before, ", ")
	if len(after) > 0 {
		of += "; " + strings.Join(after, ", ") + " of AFTER"
	}
	return of
}

// A guest is AFTER under BEFORE's names: with the conditions under which extents are what they are bound to.
type guest struct {
	semantics.Program
	conditions []semantics.Condition
	result     *semantics.Type // with BEFORE's dims where it is in rows; nil: nowhere
	env        *domain.Env     // of BEFORE
}

// Conditions implements semantics.Program.
func (g *guest) Conditions() []semantics.Condition { return g.conditions }

// Hosted is AFTER without the conditions.
func (g *guest) Hosted() semantics.Program { return g.Program }

// Computes implements semantics.Computer.
func (g *guest) Computes() []domain.Elem {
	if c, ok := g.Program.(semantics.Computer); ok {
		return c.Computes()
	}
	return nil
}

// Numbers implements semantics.Stepper.
func (g *guest) Numbers() []int64 {
	if s, ok := g.Program.(semantics.Stepper); ok {
		return s.Numbers()
	}
	return nil
}

// Constants implements semantics.Constants.
func (g *guest) Constants() []*big.Rat {
	if s, ok := g.Program.(semantics.Constants); ok {
		return s.Constants()
	}
	return nil
}

// Obligations implements semantics.Debtor.
func (g *guest) Obligations() []Obligation {
	if d, ok := g.Program.(semantics.Debtor); ok {
		return d.Obligations()
	}
	return nil
}

// Overlaps implements semantics.Overlapper.
func (g *guest) Overlaps() []semantics.Overlap {
	if o, ok := g.Program.(semantics.Overlapper); ok {
		return o.Overlaps()
	}
	return nil
}

// Overlapped implements semantics.Overlapper.
func (g *guest) Overlapped(o semantics.Overlap) semantics.Program {
	out := *g
	if p, ok := g.Program.(semantics.Overlapper); ok {
		out.Program = p.Overlapped(o)
	}
	return &out
}

// Ends implements semantics.Ender.
func (g *guest) Ends(a value.Arith, pt domain.Point, in value.Inputs) error {
	if e, ok := g.Program.(semantics.Ender); ok {
		return e.Ends(a, pt, in)
	}
	return nil
}

// typed types AFTER.
func (c *correspondence) typed(after semantics.Source, before semantics.Program, env *domain.Env) (_ semantics.Program, unstated, err error) {
	p, unstated, err := sketch(after, c.env)
	if err != nil {
		return nil, nil, err
	}
	g := &guest{Program: p, env: env}
	if before.Source().Signature().RowMajor || after.Signature().RowMajor {
		g.result = shaped(before.Result(), p.Result())
	}
	for _, e := range c.conditions { // first: where they fail, an access out of bounds is not what is wrong
		part := slices.IndexFunc(p.Parts(), func(x semantics.Part) bool { return x.Input == e.name })
		if part < 0 {
			part = len(p.Parts()) - 1
		}
		g.conditions = append(g.conditions, semantics.Condition{Pred: e.pred, Part: part, Code: "extent-conflict", Msg: e.msg})
	}
	g.conditions = append(g.conditions, p.Conditions()...)
	return g, unstated, nil
}
