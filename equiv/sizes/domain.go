package sizes

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"

	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
)

// A Domain is the points that a question is asked at.
type Domain struct {
	Names []string         // named sizes, sorted
	Mins  map[string]int64 // of each
	Preds []*domain.Pred   // assumes and the conditions under which BEFORE is well formed
	domain.Limits
	elements []domain.Size // of BEFORE's tensors, which Limits bounds

	Steps int                    // points that are looked at for members, at most; 0: SearchSteps
	found map[int][]domain.Point // by the number asked for
}

func NewDomain(before semantics.Program, env *domain.Env) *Domain {
	declared := before.Source().Declarations()
	d := &Domain{Mins: map[string]int64{}, Limits: before.Limits()}
	seen := map[string]bool{}
	add := func(names []string) {
		for _, n := range names {
			if !seen[n] {
				seen[n] = true
				d.Names = append(d.Names, n)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env.Tensors)) {
		count := domain.IntSize(1)
		for _, s := range env.Tensors[name].Dims {
			add(s.Names())
			count = count.Mul(s)
		}
		if !slices.ContainsFunc(d.elements, count.Equal) {
			d.elements = append(d.elements, count)
		}
	}
	for _, a := range declared.Assumes {
		add(a.Pred.Names())
		d.Preds = append(d.Preds, a.Pred)
	}
	for _, s := range before.Sizes() {
		add(s.Names())
	}
	for _, c := range before.Conditions() {
		add(c.Pred.Names())
		d.Preds = append(d.Preds, c.Pred)
	}
	// dims of inputs that are expressions are at least 1 unless declared otherwise
	for _, in := range declared.Inputs {
		for _, dim := range in.Dims {
			if len(dim.Size.Names()) > 0 && dim.Size.Op() != domain.SizeName {
				d.Preds = append(d.Preds, &domain.Pred{Op: domain.PredLe, A: domain.IntSize(dim.Min), B: dim.Size})
			}
		}
	}
	sort.Strings(d.Names)
	for _, n := range d.Names {
		d.Mins[n] = 1
		if m, ok := env.Mins[n]; ok {
			d.Mins[n] = m
		}
	}
	return d
}

// Asks tells whether p is one of the conditions of the domain, as it is written: then it holds at each point, whether
// a case of it can be followed up or not.
func (d *Domain) Asks(p *domain.Pred) bool {
	text := p.String()
	return slices.ContainsFunc(d.Preds, func(q *domain.Pred) bool { return q.String() == text })
}

// OfBoth leaves those points at which AFTER is well formed as well, with the dims of BEFORE.
func (d *Domain) OfBoth(before, after semantics.Program) {
	for _, c := range after.Conditions() {
		d.Preds = append(d.Preds, c.Pred)
	}
	x, y := before.Result().Components(), after.Result().Components()
	for i := range min(len(x), len(y)) {
		for k := range min(len(x[i].Dims), len(y[i].Dims)) {
			if a, b := x[i].Dims[k], y[i].Dims[k]; !a.Equal(b) {
				d.Preds = append(d.Preds, &domain.Pred{Op: domain.PredEq, A: a, B: b})
			}
		}
	}
}

// Conditions prints the domain for people.
func (d *Domain) Conditions() []string { return domain.Format(d.Names, d.Mins, d.Preds, d.Limits) }

// Holds reports whether a point lies in the domain.
func (d *Domain) Holds(pt domain.Point) bool {
	for _, n := range d.Names {
		if pt[n] < d.Mins[n] || !d.Limits.Holds(pt[n]) {
			return false
		}
	}
	for _, p := range d.Preds {
		if ok, err := p.Eval(pt); err != nil || !ok {
			return false
		}
	}
	return true
}

// Has tells whether a point gives values to the sizes of the domain, to no others, and lies in it.
func (d *Domain) Has(pt domain.Point) bool {
	for _, name := range d.Names {
		if _, ok := pt[name]; !ok {
			return false
		}
	}
	return len(pt) == len(d.Names) && d.Holds(pt)
}

// Bounds of the points that are looked at for members of a domain: where much or little rests on finding one.
const (
	SearchSteps = 400_000
	FewSteps    = 1_000
)

// Spread returns up to n points of the domain for sampling: the smallest first, then small points with sizes that
// differ from each other, then further ones by ascending sum.
func (d *Domain) Spread(n int) []domain.Point {
	small := d.Points(n)
	if len(small) < 2 || len(d.Names) < 2 {
		return small
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(d.Names))))
	seen := map[string]bool{pointKey(d.Names, small[0]): true}
	out := small[:1:1]
	const most = 5 // values of a name
	first := d.first()
	values := map[string][]int64{}
	for _, name := range d.Names {
		if first(name) == name {
			values[name] = d.values(most, small[0], name, first)
		}
	}
	for try := 0; try < 2000 && len(out) < n/2; try++ {
		pt := domain.Point{}
		for _, name := range d.Names {
			to := first(name)
			list := values[name]
			switch {
			case to != name:
				pt[name] = pt[to] // which comes before it
			case len(list) > 1 && list[len(list)-1] >= d.Mins[name]+most:
				pt[name] = list[rng.Int64N(int64(len(list)))]
			default:
				pt[name] = d.Mins[name] + rng.Int64N(most)
			}
		}
		if !d.Holds(pt) { // as most are not, where there are many names
			continue
		}
		if key := pointKey(d.Names, pt); !seen[key] {
			seen[key] = true
			out = append(out, pt)
		}
	}
	for _, pt := range small[1:] {
		if key := pointKey(d.Names, pt); !seen[key] && len(out) < n {
			seen[key] = true
			out = append(out, pt)
		}
	}
	return out
}

// values lists up to most values that a name takes in the domain where the others are as at pt, which is in it, the least
// first: those that a condition lets divide, say. Conditions on other names alone hold as they do there.
func (d *Domain) values(most int, pt domain.Point, name string, first func(string) string) (list []int64) {
	const tries = 300
	at := maps.Clone(pt)
	moved := &Domain{Mins: d.Mins, Limits: d.Limits}
	for _, other := range d.Names {
		if first(other) == name {
			moved.Names = append(moved.Names, other)
		}
	}
	for _, p := range d.Preds {
		if slices.ContainsFunc(p.Names(), func(n string) bool { return first(n) == name }) {
			moved.Preds = append(moved.Preds, p)
		}
	}
	for v := pt[name]; v < pt[name]+tries && len(list) < most; v++ {
		for _, other := range moved.Names {
			at[other] = v
		}
		if moved.Holds(at) {
			list = append(list, v)
		}
	}
	return list
}

// first returns a function that names, for each name, one that the conditions say to be equal, the same for all of them.
func (d *Domain) first() func(name string) string {
	same := map[string]string{}
	var first func(name string) string
	first = func(name string) string {
		if up, ok := same[name]; ok {
			return first(up)
		}
		return name
	}
	for _, p := range d.Preds {
		if p.Op == domain.PredEq && p.A.Name() != "" && p.B.Name() != "" {
			if x, y := first(p.A.Name()), first(p.B.Name()); x != y {
				same[max(x, y)] = min(x, y)
			}
		}
	}
	return first
}

// Points returns up to n points of the domain; see search. Names that the conditions say to be equal count as one.
func (d *Domain) Points(n int) []domain.Point {
	if list, ok := d.found[n]; ok {
		return list
	}
	first := d.first()
	by := map[string]domain.Size{}
	one := &Domain{Mins: map[string]int64{}, Limits: d.Limits, Steps: d.Steps}
	for _, name := range d.Names {
		to := first(name)
		if to == name {
			one.Names = append(one.Names, name)
		} else {
			by[name] = domain.NamedSize(to)
		}
		one.Mins[to] = max(one.Mins[to], d.Mins[name])
	}
	for _, p := range d.Preds {
		q := p.Subst(by)
		one.Preds = append(one.Preds, q)
		if n, number := q.A.Int64(); number && q.B.Name() != "" && (q.Op == domain.PredLe || q.Op == domain.PredLt) {
			if q.Op == domain.PredLt && n < 1<<62 {
				n++
			}
			one.Mins[q.B.Name()] = max(one.Mins[q.B.Name()], n)
		}
	}
	list := one.search(n)
	for _, pt := range list {
		for name := range by {
			pt[name] = pt[first(name)]
		}
	}
	if d.found == nil {
		d.found = map[int][]domain.Point{}
	}
	d.found[n] = list
	return list
}

// Violating returns a point of the domain at which p is false, if one is found.
func (d *Domain) Violating(p *domain.Pred) []domain.Point {
	return d.Where(&domain.Pred{Op: domain.PredNot, Args: []*domain.Pred{p}}).Points(1)
}

// With returns a point of the domain at which a size is v at least, and the others are small, if few steps find one.
func (d *Domain) With(name string, v int64, steps int) []domain.Point {
	of := d.Where(&domain.Pred{Op: domain.PredLe, A: domain.IntSize(v), B: domain.NamedSize(name)})
	of.Steps = steps
	return of.Points(1)
}

// Beyond returns a point of the domain at which p is false, if one is found where one size is large and the others are as
// small as they can be: the first such size at which p is false, of conditions that fail from some size on.
func (d *Domain) Beyond(p *domain.Pred) (least domain.Point) {
	small := d.Points(1)
	if len(small) == 0 {
		return nil
	}
	for _, name := range d.Names {
		pt := maps.Clone(small[0])
		inside := func(n int64) bool {
			pt[name] = n
			return d.Holds(pt)
		}
		fails := func(n int64) bool {
			if !inside(n) {
				return false
			}
			ok, err := p.Eval(pt)
			return err == nil && !ok
		}
		low, high := pt[name], pt[name]
		for high < 1<<60 && inside(high) && !fails(high) {
			low, high = high, 2*high+1
		}
		if !inside(high) { // the last of the domain
			high, _ = between(low, high, func(n int64) bool { return !inside(n) })
		}
		if !fails(high) {
			continue
		}
		_, high = between(low, high, fails)
		if pt[name] = high; least == nil || d.Total(pt) < d.Total(least) {
			least = pt
		}
	}
	return least
}

// between returns a number from low on at which something does not hold yet and the next, at which it holds, as it does at high.
func between(low, high int64, holds func(int64) bool) (last, first int64) {
	for high-low > 1 {
		if mid := low + (high-low)/2; holds(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return low, high
}

// Where returns the part of the domain at which p holds as well.
func (d *Domain) Where(p *domain.Pred) *Domain {
	return &Domain{Names: d.Names, Mins: d.Mins, Preds: append(slices.Clone(d.Preds), p), Limits: d.Limits, Steps: d.Steps}
}

// search returns up to n points of the domain, by ascending sum of the sizes, then in the order of the names.
// The search is bounded by count; where a condition asks for large sizes, the numbers that the conditions name
// are tried beside the small ones.
func (d *Domain) search(n int) []domain.Point {
	if len(d.Names) == 0 {
		if d.Holds(domain.Point{}) {
			return []domain.Point{{}}
		}
		return nil
	}
	var out []domain.Point
	seen := map[string]bool{}
	keep := func(pt domain.Point) bool {
		if d.Holds(pt) {
			key := pointKey(d.Names, pt)
			if !seen[key] {
				seen[key] = true
				c := domain.Point{}
				for k, v := range pt {
					c[k] = v
				}
				out = append(out, c)
			}
		}
		return len(out) < n
	}
	steps := cmp.Or(d.Steps, SearchSteps)
	half := steps / 2
	pt := domain.Point{}
	var fill func(i int, sum int64) bool
	fill = func(i int, sum int64) bool { // the excess over the least values adds up to sum
		if steps--; steps < 0 {
			return false
		}
		name := d.Names[i]
		if i == len(d.Names)-1 {
			pt[name] = d.Mins[name] + sum
			return keep(pt)
		}
		for x := int64(0); x <= sum; x++ {
			pt[name] = d.Mins[name] + x
			if !fill(i+1, sum-x) {
				return false
			}
		}
		return true
	}
	sum := int64(0)
	for ; sum <= 512 && steps > half; sum++ {
		if !fill(0, sum) {
			break
		}
	}
	if len(out) < n {
		d.interesting(&steps, keep)
	}
	for ; len(out) == 0 && steps > 0; sum++ { // the remainders of a size may determine it
		fill(0, sum)
	}
	sort.SliceStable(out, func(i, j int) bool { return d.Total(out[i]) < d.Total(out[j]) })
	return out
}

func (d *Domain) Total(pt domain.Point) int64 {
	var t int64
	for _, n := range d.Names {
		t += pt[n]
	}
	return t
}

// interesting tries the products of numbers near those that the conditions name.
func (d *Domain) interesting(steps *int, keep func(domain.Point) bool) {
	set := map[int64]bool{}
	var visit func(s domain.Size)
	visit = func(s domain.Size) {
		if n, ok := s.Int64(); ok && n > 0 && n < 1<<20 {
			for _, v := range []int64{n - 1, n, n + 1, 2 * n, 2*n + 1, 4 * n} {
				set[v] = true
			}
			return
		}
		for _, o := range s.Operands() {
			visit(o)
		}
	}
	var walk func(p *domain.Pred)
	walk = func(p *domain.Pred) {
		if p.Op < domain.PredNot {
			visit(p.A)
			visit(p.B)
		}
		for _, a := range p.Args {
			walk(a)
		}
	}
	for _, p := range d.Preds {
		walk(p)
	}
	for v := int64(0); v <= 4; v++ {
		set[v] = true
	}
	var values []int64
	for v := range set {
		values = append(values, v)
	}
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	pt := domain.Point{}
	var fill func(i int) bool
	fill = func(i int) bool {
		if *steps--; *steps < 0 {
			return false
		}
		if i == len(d.Names) {
			return keep(pt)
		}
		for _, v := range values {
			if v >= d.Mins[d.Names[i]] {
				pt[d.Names[i]] = v
				if !fill(i + 1) {
					return false
				}
			}
		}
		return true
	}
	fill(0)
}

func pointKey(names []string, pt domain.Point) string {
	var s []byte
	for _, n := range names {
		s = fmt.Appendf(s, "%d,", pt[n])
	}
	return string(s)
}

// FormatPoint prints "K=16, N=3".
func FormatPoint(pt domain.Point) string {
	names := make([]string, 0, len(pt))
	for n := range pt {
		names = append(names, n)
	}
	sort.Strings(names)
	var s []byte
	for i, n := range names {
		if i > 0 {
			s = append(s, ", "...)
		}
		s = fmt.Appendf(s, "%s=%d", n, pt[n])
	}
	return string(s)
}

// Contradictory reports whether the conditions are known to hold nowhere.
func (d *Domain) Contradictory() bool {
	all, ok := Cases(d.Preds, d.Mins)
	return ok && !slices.ContainsFunc(all, func(cs []Clause) bool {
		return !NewFacts(index.NewBuilder(), d.Names, d.Mins, cs).Contradictory(cs)
	})
}
