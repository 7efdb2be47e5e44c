package equiv

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// A Question is whether AFTER equals BEFORE. BEFORE sets the domain, AFTER has to live up to it.
type Question struct {
	Before, After semantics.Source
	Bind          []Binding // who is who, where names do not say
}

// A question is a pair of typed programs and what is known of their domain. Nothing in it changes once it is asked.
type question struct {
	pair
	asked  Question
	opts   Options
	domain *sizes.Domain
	points []domain.Point // for sampling
	small  []domain.Point // the smallest
	blank  Result         // what every answer says
}

// domainPoints are the points of the domain that are looked at.
const domainPoints = 24

// ask types the programs and derives the domain.
func ask(asked Question, opts Options) (*question, error) {
	before, after := asked.Before, asked.After
	if assumes := after.Declarations().Assumes; len(assumes) > 0 {
		return nil, source.Errors{source.Errorf(assumes[0].Span, "assume-in-after",
			"assume is legal in BEFORE only: nothing that AFTER needs is assumed")}
	}
	met, err := meet(asked, opts.Tensors)
	if err != nil {
		return nil, err
	}
	q := &question{asked: asked, opts: opts, pair: met}
	for _, p := range []semantics.Program{q.before, q.after} {
		if err := semantics.Suits(p, opts.Arith); err != nil {
			return nil, err
		}
	}
	env := q.env
	q.domain = sizes.NewDomain(q.before, env)
	if err := q.strangers(); err != nil {
		return nil, err
	}
	q.domain.Limits = q.domain.Limits.With(q.after.Limits())
	if opts.of != nil && opts.of.WhereBoth {
		q.domain.OfBoth(q.before, q.after)
	}
	q.domain.Steps = opts.of.SearchSteps()
	points := domainPoints
	if opts.of != nil {
		points = casePoints
	}
	q.points = q.domain.Spread(points)
	q.small = q.domain.Points(points)
	if len(q.points) == 0 && opts.of == nil {
		return nil, emptyDomain(before, q.domain)
	}
	if err := q.names.unequal(slices.Concat(q.points, q.small)); err != nil {
		return nil, err
	}
	if names := foreignNames(q.after, q.domain); len(names) > 0 {
		code := "unknown-size"
		if q.names != nil {
			code = "size-unbound"
		}
		return nil, source.Errors{source.Errorf(after.Root(), code, "%s is not a size that BEFORE declares", names[0])}
	}
	if opts.of == nil && !after.Signature().Procedure { // of a rule or a procedure that is a refutation
		if c := q.nowhere(); c != nil {
			return nil, source.Errors{&source.Error{Span: q.after.At(c.Part), Code: c.Code,
				Msg: c.Msg + ", at every point of the domain"}}
		}
	}
	if opts.of == nil && q.empty() {
		inhabited := q.domain.Where(someElement(q.before.Result()))
		pts := inhabited.Points(1)
		if len(pts) == 0 {
			which := "any point of the domain"
			if !inhabited.Contradictory() {
				which = "the points of the domain that were found"
			}
			return nil, source.Errors{source.Errorf(before.Root(), "empty-output",
				"the result has no element at %s, so that there is nothing to compare", which)}
		}
		q.points, q.small = pts, append(q.small, pts...)
	}
	q.blank = Result{
		Before: before.File().Name, After: after.File().Name,
		Arith: opts.Arith, Types: Elements(opts.Arith, q.before, q.after), Equal: opts.Equal,
		Domain: q.domain.Conditions(), Bound: q.names.String(), Owed: [2][]semantics.Obligation{owed(q.before), owed(q.after)}, Disjoint: apart(before.Signature(), after.Signature()),
		SHA256: StatementSHA256(q.stated(opts.Arith)),
	}
	if opts.Explain {
		q.blank.Explanation = explained(q.blank.Owed)
	}
	q.blank.Stats.Nodes = len(q.before.Parts()) + len(q.after.Parts())
	return q, nil
}

// strangers is the error for an assumption from outside BEFORE's text that names a size which nothing else has.
func (q *question) strangers() error {
	known := map[string]bool{}
	for _, t := range q.env.Tensors {
		for _, d := range t.Dims {
			for _, n := range d.Names() {
				known[n] = true
			}
		}
	}
	for _, s := range q.before.Sizes() {
		for _, n := range s.Names() {
			known[n] = true
		}
	}
	for _, a := range q.before.Source().Declarations().Assumes {
		for _, n := range a.Pred.Names() {
			if !known[n] && a.Span.File != nil && a.Span.File.Name == "--assume" {
				return source.Errors{source.Errorf(a.Span, "size-unbound", "%s is no size of BEFORE, which has %s", n,
					strings.Join(slices.Sorted(maps.Keys(known)), ", "))}
			}
		}
	}
	return nil
}

// owed is what a program owes, where that is known.
func owed(p semantics.Program) []semantics.Obligation {
	if d, ok := p.(semantics.Debtor); ok {
		return d.Obligations()
	}
	return nil
}

// explained says what the programs owe.
func explained(owed [2][]Obligation) (out []string) {
	for i, side := range []string{"before", "after"} {
		var list []string
		for _, o := range owed[i] {
			list = append(list, fmt.Sprintf("%s %d", o.Name, o.Count))
		}
		if len(list) > 0 {
			out = append(out, side+" owes: "+strings.Join(list, ", "))
		}
	}
	return out
}

// emptyDomain is the error for a domain of which no point was found; whether there is none is known for some.
func emptyDomain(s semantics.Source, d *sizes.Domain) error {
	span := s.Root()
	if assumes := s.Declarations().Assumes; len(assumes) > 0 {
		span = assumes[0].Span
	}
	found := "were found that"
	if d.Contradictory() {
		found = "can"
	}
	return source.Errors{source.Errorf(span, "empty-domain",
		"no sizes %s satisfy the declarations, the assumes and the conditions under which the program is well formed", found)}
}

// nowhere returns a condition of AFTER that holds at no point of the domain, or nil if none is known.
func (q *question) nowhere() *semantics.Condition {
	for i, c := range q.after.Conditions() {
		ok, err := c.Pred.Eval(q.points[0]) // there is a point: the domain is not empty
		if err == nil && !ok && q.domain.Where(c.Pred).Contradictory() {
			return &q.after.Conditions()[i]
		}
	}
	return nil
}

// foreignNames lists the sizes that a program names and the domain does not.
func foreignNames(p semantics.Program, d *sizes.Domain) []string {
	var out []string
	for _, s := range p.Sizes() {
		for _, name := range s.Names() {
			if _, ok := d.Mins[name]; !ok {
				out = append(out, name)
			}
		}
	}
	sort.Strings(out)
	return out
}

// empty reports whether the result of BEFORE has no element at any point that is looked at.
func (q *question) empty() bool {
	for _, list := range [][]domain.Point{q.small, q.points} {
		for _, pt := range list {
			if q.outputSize(pt) > 0 {
				return false
			}
		}
	}
	return true
}

// someElement is the condition that a result has an element.
func someElement(t *semantics.Type) *domain.Pred {
	if t.Tuple {
		any := &domain.Pred{Op: domain.PredOr}
		for _, i := range t.Items {
			any.Args = append(any.Args, someElement(i))
		}
		return any
	}
	all := &domain.Pred{Op: domain.PredAnd}
	for _, d := range t.Dims {
		all.Args = append(all.Args, &domain.Pred{Op: domain.PredLe, A: domain.IntSize(1), B: d})
	}
	return all
}

// outputSize counts the elements of BEFORE's result at a point, over all components.
func (q *question) outputSize(pt domain.Point) int64 {
	var total int64
	for _, c := range q.before.Result().Components() {
		total += sample.Product(sample.DimsAt(c.Dims, pt))
	}
	return total
}

// elementTypes lists the element types of the inputs, each once.
func (q *question) elementTypes() []domain.Elem {
	var types []domain.Elem
	seen := map[domain.Elem]bool{}
	for _, t := range slices.Concat(q.before.Inputs(), q.after.Inputs()) {
		if !seen[t.Elem] {
			seen[t.Elem] = true
			types = append(types, t.Elem)
		}
	}
	return types
}

// refuted is a refutation.
func (q *question) refuted(engine, reason, detail string) Result {
	r := q.blank
	r.Verdict, r.Engine, r.Reason, r.Detail = Refuted, engine, reason, detail
	return r
}

// unknown is an answer that none is known.
func (q *question) unknown(reason, detail string) Result {
	r := q.blank
	r.Verdict, r.Reason, r.Detail = Unknown, reason, detail
	return r
}

// caseWork bounds the work on further inputs for a case of a rule about real numbers: a rule has many cases, most of them small.
// Bit by bit few inputs tell sides apart, and what the engines leave is asked of a solver, for which seconds are little.
const caseWork = 3_000

// casePoints are the points of its domain at which a case is looked at.
const casePoints = 8

// extraWork returns the work that inputs beyond the first may cost.
func (o Options) extraWork(reals bool) int {
	if o.of != nil && reals {
		return caseWork
	}
	return sample.Work
}
