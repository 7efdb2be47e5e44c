package rules

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"tv/equiv"
	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/rise/syntax"
)

// A guard of a rule of RISE is a conjunction of comparisons and divisibilities of sizes, laws of free functions, or an
// equation of two variables or of one and a unit. It is printed as the clauses that the rule wants: (where "n % k == 0").

// A riseVariant is a rule that asks for more than the one that is refuted: for laws, or for an equation of variables.
type riseVariant struct {
	text string // of the rule
	says string // what it asks for, in print; empty: the rule itself
}

// mend looks for a guard under which a refuted rule is right. It is told only if the rule with it is proved.
func (s *riseSides) mend(ctx context.Context, opts equiv.Options) *Mend {
	text := s.rule.Span.Text()
	if len(s.rule.Nats) > mendNames {
		return nil
	}
	var all []*riseGuards
	for _, v := range append([]riseVariant{{text: text}}, variants(s.rule, text)...) {
		if g := s.guards(ctx, v, opts); g != nil && g.rights > 0 {
			all = append(all, g)
		}
	}
	for kind := range guardKinds {
		for _, g := range all {
			if m := g.prove(ctx, opts, kind); m != nil {
				return m
			}
		}
	}
	return nil
}

// A guardKind says what a guard excludes; a better one is less. Those that say of a size that it is 0 leave little of a rule.
type guardKind int

const (
	exactKind      guardKind = iota // nothing at which the rule is right
	emptyKind                       // the same, and some size is 0
	sufficientKind                  // something at which it is right
	guardKinds
)

// variants are the rules with further laws, few first, and with equations of variables of one type.
func variants(r *syntax.Rule, text string) (out []riseVariant) {
	for _, f := range r.Functions {
		if len(f.Args) != 2 || f.Is != "" || f.Result.Data == "" || f.Args[0].Data != f.Result.Data || f.Args[1].Data != f.Result.Data {
			continue
		}
		for _, laws := range missingLaws(r, f) {
			list := strings.Join(laws, " ")
			out = append(out, riseVariant{edited(text, f.Name, list), fmt.Sprintf("(%s %s)", f.Name, list)})
		}
	}
	isUnit := func(x *syntax.Param) bool {
		return slices.ContainsFunc(r.Functions, func(f *syntax.Function) bool { return f.Unit == x })
	}
	for i, x := range r.Vars {
		for _, y := range r.Vars[:i] {
			if x.Type.String() == y.Type.String() && (x.Type.Kind == syntax.Array || x.Type.Kind == syntax.Scalar) {
				eq := fmt.Sprintf("%s == %s", x.Name, y.Name)
				if isUnit(x) { // which is made nothing else
					eq = fmt.Sprintf("%s == %s", y.Name, x.Name)
				}
				out = append(out, riseVariant{guarded(text, []string{eq}), fmt.Sprintf("(where %q)", eq)})
			}
		}
	}
	return out
}

// missingLaws are sets of laws that a function is not asked to have.
func missingLaws(r *syntax.Rule, f *syntax.Function) (out [][]string) {
	var laws []string
	if !f.Comm {
		laws = append(laws, "comm")
	}
	if !f.Assoc {
		laws = append(laws, "assoc")
	}
	for _, v := range r.Vars {
		if f.Unit == nil && v.Type.Kind == syntax.Scalar && v.Type.Data == f.Result.Data {
			laws = append(laws, "(unit "+v.Name+")")
		}
	}
	for set := 1; set < 1<<len(laws); set++ {
		var some []string
		for i, l := range laws {
			if set&(1<<i) != 0 {
				some = append(some, l)
			}
		}
		out = append(out, some)
	}
	slices.SortStableFunc(out, func(a, b []string) int { return len(a) - len(b) })
	return out
}

// edited is the text of a rule in which a function has further laws; what becomes a unit is no variable any more.
func edited(text, function, laws string) string {
	top, err := sexpr.Read(source.NewFile("rule", text))
	if err != nil {
		return text
	}
	var out strings.Builder
	at := 0
	replace := func(from, to int, by string) {
		out.WriteString(text[at:from] + by)
		at = to
	}
	for _, c := range top[0].List[1:] {
		for _, x := range c.List {
			switch {
			case c.Head() == "funs" && x.Head() == function:
				replace(x.Span.End-1, x.Span.End-1, " "+laws)
			case c.Head() == "vars" && x.Head() != "" && strings.Contains(laws, "(unit "+x.Head()+")"):
				replace(x.Span.Start, x.Span.End, "")
			}
		}
	}
	return out.String() + text[at:]
}

// guarded is the text of a rule with further conditions.
func guarded(text string, conditions []string) string {
	var list strings.Builder
	for _, c := range conditions {
		fmt.Fprintf(&list, " %q", c)
	}
	top, err := sexpr.Read(source.NewFile("rule", text))
	if err != nil {
		return text
	}
	for _, c := range top[0].List[1:] {
		if c.Head() == "where" {
			return text[:c.Span.End-1] + list.String() + text[c.Span.End-1:]
		}
	}
	return text[:len(text)-1] + "\n  (where" + list.String() + "))"
}

// parsedRISE reads the text of a rule, nil where it is none.
func parsedRISE(text string) *syntax.Rule {
	top, bad := sexpr.Read(source.NewFile("rule", text))
	if bad != nil {
		return nil
	}
	r, err := syntax.ParseRule(top[0])
	if err != nil {
		return nil
	}
	return r
}

// riseGuards are the conditions that a variant of a rule may want, with the instances at which it is right or wrong.
type riseGuards struct {
	guards
	riseVariant
	shapes     int
	candidates [][]int // found once: looking for them adds conditions
}

// guards tries instances of a variant of the rule; nil where it is none.
func (s *riseSides) guards(ctx context.Context, v riseVariant, opts equiv.Options) *riseGuards {
	r := parsedRISE(v.text)
	if r == nil {
		return nil
	}
	of, err := newRISESides(r, opts)
	if err != nil {
		return nil
	}
	g := &riseGuards{riseVariant: v, candidates: [][]int{nil}}
	var right, wrong []domain.Point
	for _, pt := range of.instances() {
		if ctx.Err() != nil {
			return nil
		}
		if g.shapes++; of.isWrong(pt) {
			wrong = append(wrong, pt)
		} else {
			right = append(right, pt)
		}
	}
	g.rights, g.wrongs = len(right), len(wrong)
	if g.wrongs == 0 {
		return g
	}
	known := map[string]bool{}
	for _, text := range of.conditions() {
		preds := of.predicates(text)
		if preds == nil || known[text] {
			continue
		}
		known[text] = true
		a := &mendAtom{text: text, parts: []string{text}}
		a.wrong, a.right = where(preds, wrong), where(preds, right)
		if a.wrong.count() < g.wrongs {
			g.add(a)
		}
	}
	g.zeros = g.saying(func(text string) bool { return strings.HasSuffix(text, "== 0") && !strings.Contains(text, "%") })
	g.candidates = g.guards.candidates()
	return g
}

// where is at which points conditions are all true.
func where(preds []*domain.Assume, points []domain.Point) instanceSet {
	out := noInstances(len(points))
	for i, pt := range points {
		if !slices.ContainsFunc(preds, func(a *domain.Assume) bool {
			ok, err := a.Pred.Eval(pt)
			return err != nil || !ok
		}) {
			out.add(i)
		}
	}
	return out
}

// kind is that of a conjunction.
func (g *riseGuards) kind(chosen []int) guardKind {
	switch {
	case len(chosen) > 0 && g.excluded(chosen) > 0:
		return sufficientKind
	case slices.ContainsFunc(chosen, func(a int) bool { return slices.Contains(g.zeros, a) }):
		return emptyKind
	}
	return exactKind
}

// prove returns the guard of a kind with the least cost that is proved.
func (g *riseGuards) prove(ctx context.Context, opts equiv.Options, kind guardKind) *Mend {
	for _, chosen := range g.candidates {
		if ctx.Err() != nil || slices.ContainsFunc(chosen, func(a int) bool { return len(g.atoms[a].parts) > 1 }) ||
			g.kind(chosen) != kind {
			continue
		}
		m := &Mend{Shapes: g.shapes, Right: g.rights}
		text, says := g.text, g.says
		if len(chosen) > 0 {
			var list []string
			for _, a := range chosen {
				list = append(list, g.atoms[a].text)
			}
			m.Excluded, text = g.excluded(chosen), guarded(g.text, list)
			says = strings.TrimSpace(says + ` (where "` + strings.Join(list, `" "`) + `")`)
		}
		m.Exact = m.Excluded == 0
		r := parsedRISE(text)
		if r == nil {
			continue
		}
		asked := opts
		asked.Unmended = true
		if res, _, err := decideRISE(ctx, r, asked, equiv.Case{ProofOnly: true}); err == nil && res.Verdict == equiv.Proved {
			m.Guard = says
			return m
		}
	}
	return nil
}

// instances are points of the domain of sizes up to mendSize: all where they are few, else some that are drawn.
func (s *riseSides) instances() (out []domain.Point) {
	names := s.domain.Names
	pt := domain.Point{}
	var fill func(i int)
	fill = func(i int) {
		if i < len(names) {
			for n := s.domain.Mins[names[i]]; n <= mendSize; n++ {
				pt[names[i]] = n
				fill(i + 1)
			}
		} else if s.domain.Holds(pt) {
			out = append(out, copyPoint(pt))
		}
	}
	if pow(mendSize+1, len(names)) <= mendDraws {
		fill(0)
	} else {
		rng, seen := rand.New(rand.NewPCG(s.seed+1, 23)), map[string]bool{}
		for range 4 * mendDraws {
			for _, n := range names {
				pt[n] = s.domain.Mins[n] + rng.Int64N(max(1, mendSize+1-s.domain.Mins[n]))
			}
			if key := sizesText(pt); !seen[key] && s.domain.Holds(pt) {
				seen[key] = true
				out = append(out, copyPoint(pt))
			}
		}
	}
	if len(out) > mendInstances {
		rand.New(rand.NewPCG(s.seed+1, 29)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		out = out[:mendInstances]
	}
	return out
}

// mendInstances bounds the instances at which a rule of RISE is tried, each on mendInputs inputs.
const (
	mendInstances = 300
	mendInputs    = 3
)

func copyPoint(pt domain.Point) domain.Point {
	out := domain.Point{}
	for n, v := range pt {
		out[n] = v
	}
	return out
}

// isWrong tells whether the sides differ at a point.
func (s *riseSides) isWrong(pt domain.Point) bool {
	if msg, _ := s.illFormed(pt); msg != "" {
		return true
	}
	for number := range mendInputs {
		if in := s.draw(pt, number+1); in != nil && s.differs(pt, in) != nil {
			return true
		}
	}
	return false
}

// predicates are the conditions that a text is, nil where it is none.
func (s *riseSides) predicates(text string) []*domain.Assume {
	r := parsedRISE(guarded(s.rule.Span.Text(), []string{text}))
	if r == nil || len(r.Equations) > len(s.rule.Equations) {
		return nil
	}
	return r.Where[len(s.rule.Where):]
}

// conditions lists those that guards are made of: comparisons of a few sizes, simple ones first, then what the right side wants.
func (s *riseSides) conditions() (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	names := s.domain.Names
	for _, n := range names {
		add("1 <= %s", n)
		for c := range 3 {
			add("%s == %d", n, c)
		}
		add("2 <= %s", n)
	}
	for i, n := range names {
		for j, m := range names {
			if i == j {
				continue
			}
			if i < j {
				add("%s == %s", n, m)
			}
			add("%s <= %s", n, m)
			add("%s < %s", n, m)
			add("%s %% %s == 0", n, m)
			for k, o := range names {
				if k == i || k == j {
					continue
				}
				add("(%s - %s) %% %s == 0", n, m, o)
				if j < k {
					add("%s == %s * %s", n, m, o)
					add("%s == %s + %s", n, m, o)
					add("%s + %s <= %s", m, o, n)
					add("%s <= %s + %s", n, m, o)
				}
				for l, p := range names {
					if l != i && l != j && l != k && i < k {
						add("%s - %s == %s - %s", n, m, o, p)
					}
				}
			}
		}
	}
	for _, c := range s.programs[1].Conditions() {
		a, b := c.Pred.A.Formula(), c.Pred.B.Formula()
		if op, ok := map[domain.PredOp]string{domain.PredLe: "<=", domain.PredLt: "<", domain.PredEq: "=="}[c.Pred.Op]; ok {
			add("%s %s %s", a, op, b)
		} else if c.Pred.Op == domain.PredDivides {
			add("%s %% %s == 0", operand(c.Pred.B), operand(c.Pred.A))
		}
	}
	x, y := s.programs[0].Result().Components(), s.programs[1].Result().Components()
	for i := range min(len(x), len(y)) {
		for k := range min(len(x[i].Dims), len(y[i].Dims)) {
			if a, b := x[i].Dims[k], y[i].Dims[k]; !a.Equal(b) {
				add("%s == %s", a.Formula(), b.Formula())
			}
		}
	}
	return out
}

// operand is a size beside an operator that binds tightly.
func operand(s domain.Size) string {
	if op := s.Op(); op == domain.SizeName || op == domain.SizeConst {
		return s.Formula()
	}
	return "(" + s.Formula() + ")"
}
