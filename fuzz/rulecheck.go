package fuzz

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/equiv/rules"
	"tv/fuzz/programs"
	"tv/glenside"
	rewrite "tv/glenside/rule"
	"tv/internal/casefile"
	"tv/internal/mix"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// Rules hunts for instances of rewrite rules whose sides differ: a case is an instance, of random ranks and
// sizes, that a rule admits, run in the reference evaluator on several inputs. An instance that is admitted
// and whose right side has no meaning is wrong too.
type Rules struct {
	list     []typedRule // none: rules come with the cases
	admitted []atomic.Int64
}

// A typedRule is a rule, the element type of its tensors and the options of the question about it.
type typedRule struct {
	*rewrite.Rule
	elem domain.Elem
	opts equiv.Options
}

// NewRules prepares the hunt. The arithmetic is that of the options where a rule says nothing itself.
func NewRules(rules []*rewrite.Rule, arith equiv.Arith) *Rules {
	t := &Rules{}
	for _, r := range rules {
		types := r.Types
		if len(types) == 0 {
			types = []domain.Elem{domain.Float32}
		}
		for _, elem := range types {
			t.list = append(t.list, newTypedRule(r, elem, arith))
		}
	}
	t.admitted = make([]atomic.Int64, len(t.list))
	return t
}

// Remark names the rules of which no case admitted an instance; nothing is set if those are all.
func (t *Rules) Remark() (text string, nothing bool) {
	var idle []string
	for i := range t.list {
		if t.admitted[i].Load() == 0 {
			idle = append(idle, t.list[i].Name)
		}
	}
	if len(idle) == 0 {
		return "", false
	}
	return fmt.Sprintf("no instance of %d of %d rules was admitted: %s", len(idle), len(t.list),
		strings.Join(idle, ", ")), len(idle) == len(t.list)
}

func newTypedRule(r *rewrite.Rule, elem domain.Elem, arith equiv.Arith) typedRule {
	opts := equiv.Options{Equal: equiv.Access, Arith: arith}
	if r.Equal == equiv.Tensor.String() {
		opts.Equal = equiv.Tensor
	}
	opts.Arith = rules.Arith(r, opts)
	return typedRule{r, elem, opts}
}

// Name returns "rules".
func (t *Rules) Name() string { return "rules" }

// ID is a digest of the rules.
func (t *Rules) ID() string {
	h := sha256.New()
	for _, r := range t.list {
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00", r.Span.Text(), r.elem, r.opts.Arith)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// Worker returns a runner of cases.
func (t *Rules) Worker() Worker { return rulesWorker{t} }

type rulesWorker struct{ *Rules }

// What an instance of a case may be like, and how often one is drawn for a rule that does not admit it.
const (
	ruleRank  = 4
	ruleSize  = 5
	ruleTries = 60
	ruleDraws = 6 // of inputs
)

// Case draws an instance of a rule and looks at it.
func (w rulesWorker) Case(_ context.Context, seed uint64, k int64) Outcome {
	salt := caseSeed(seed, k)
	at := salt % uint64(len(w.list))
	r := w.list[at]
	rng := rand.New(rand.NewPCG(salt, 0x72756c65))
	for range ruleTries {
		v := r.RandomValues(rng, ruleRank, ruleSize)
		in, err := r.Instance(v, r.elem)
		if err != nil { // not admitted
			continue
		}
		w.admitted[at].Add(1)
		return w.instance(r, v, in, nil)
	}
	return Outcome{}
}

// instance looks at an instance. first are inputs to look at before others.
func (w rulesWorker) instance(r typedRule, v rewrite.Values, in *rewrite.Instance, first *recorded) Outcome {
	s := r.look(in, first)
	o := Outcome{Covered: r.covered(v, s)}
	o.Entry = func([]string) []byte {
		return []byte(headline(w.Name(), "instance") + note(r.Name) + r.text(v))
	}
	if s.reason == "" {
		return o
	}
	o.Suspect = &Suspect{Key: r.Name + " " + r.elem.String() + ": " + s.reason, Finding: func() Finding {
		v, s := r.smaller(v, s)
		return w.finding(r, v, s)
	}}
	return o
}

// A recorded holds the inputs of a counterexample, and the element.
type recorded struct {
	in    value.Tensors
	path  []int
	index []int64
}

// A sight is what was seen of an instance: reason is "" where nothing is wrong, "undefined" where the right
// side has no meaning, "type" where the results differ whatever the inputs, "values" where an element does.
type sight struct {
	reason, detail string
	before, after  *glenside.Program // after is nil where it has no meaning
	in             value.Inputs
	path           []int
	index          []int64
}

// look runs both sides of an instance.
func (r typedRule) look(in *rewrite.Instance, first *recorded) sight {
	s := sight{}
	var err error
	if s.before, err = glenside.Parse(source.NewFile(r.Name+": left", in.Before)); err != nil {
		return sight{}
	}
	undefined := func(msg string) sight {
		s.reason, s.detail = "undefined", "the right side is undefined: "+msg
		return s
	}
	if in.Broken != "" {
		return undefined(in.Broken)
	}
	if s.after, err = glenside.Parse(source.NewFile("right", in.After)); err != nil {
		return undefined(err.Error())
	}
	x, y, err := typedPair(s.before, s.after)
	if err != nil {
		return undefined(source.AsErrors(err)[0].Msg)
	}
	how := programs.SameType(x.Result(), y.Result())
	if how == "" && r.opts.Equal == equiv.Access && x.Result().Split != y.Result().Split {
		how = fmt.Sprintf("%s and %s", x.Result().Text, y.Result().Text)
	}
	if how != "" {
		s.reason, s.detail = "type", how
		return s
	}
	inputs := newShared(nil, x, y)
	rig := newRig(x, y, r.opts.Arith, nil, inputs)
	switch {
	case rig.skip:
		return s
	case rig.bad != nil:
		return undefined(rig.bad.Error())
	}
	if first != nil && rig.element(first.in, first.path, first.index) {
		s.reason, s.in, s.path, s.index = "values", first.in, first.path, first.index
		return s
	}
	for round := range uint64(ruleDraws) {
		d := draw(mix.Spread(round+1), r.opts.Arith, x.Inputs(), y.Inputs())
		inputs.fill(d)
		if path, index, _, _ := rig.compare(round); index != nil {
			s.reason, s.in, s.path, s.index = "values", d, path, index
			return s
		}
	}
	return s
}

// typedPair types two programs; what the first declares holds for the second.
func typedPair(before, after *glenside.Program) (x, y semantics.Program, err error) {
	return equiv.Programs(equiv.Question{Before: language.Of(before), After: language.Of(after)})
}

// covered lists the pairs of operators of an instance, and the rule with the numbers of dims of its groups.
func (r typedRule) covered(v rewrite.Values, s sight) []string {
	var ranks []int
	for _, g := range slices.Sorted(maps.Keys(v.Groups)) {
		ranks = append(ranks, len(v.Groups[g]))
	}
	out := []string{fmt.Sprintf("%s %v", r.Name, ranks)}
	for _, p := range []*glenside.Program{s.before, s.after} {
		if p != nil {
			out = append(out, operatorPairs(p)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// instanceValues are the values of an instance, in a file.
type instanceValues struct {
	Elem   string             `json:"elem"`
	Arith  string             `json:"arith"`
	Groups map[string][]int64 `json:"groups,omitempty"`
	Sizes  map[string]int64   `json:"sizes,omitempty"`
	Lists  map[string][]int   `json:"lists,omitempty"`
	Tokens map[string]string  `json:"tokens,omitempty"`
}

// text writes an instance as sections of a file.
func (r typedRule) text(v rewrite.Values) string {
	held := instanceValues{r.elem.String(), r.opts.Arith.String(), v.Groups, v.Sizes, v.Lists, v.Tokens}
	data, _ := json.Marshal(held) // numbers and texts
	return section("rule.rules", r.Span.Text()) + section("instance.json", string(data))
}

// finding describes what was seen.
func (w rulesWorker) finding(r typedRule, v rewrite.Values, s sight) Finding {
	f := Finding{Kind: "wrong rule", Detail: r.Name + ": " + s.detail, Replay: []string{"tv", "replay"},
		Place: r.Span}
	sections := section("before.sexp", s.before.File.Text)
	if s.after != nil {
		sections += section("after.sexp", s.after.File.Text)
	}
	if s.reason == "values" {
		if d, err := equiv.NewDifference(equiv.Question{Before: language.Of(s.before), After: language.Of(s.after)}, r.opts, nil, s.in, s.path, s.index); err == nil {
			res := d.Result()
			res.Before, res.After = s.before.File.Name, s.after.File.Name
			f.Result = &res
			f.Blame, _ = blameTexts(res.Blame)
			f.Detail = r.Name + ": " + differenceText(&res)
			if c, ok := casefile.NewCounterexample(s.before.File, s.after.File, &res); ok {
				c.Notes = nil
				if text, err := c.Bytes(); err == nil {
					sections = string(text)
				}
			}
		}
	}
	f.Text = headline(w.Name(), f.Kind) + note(f.Detail) + r.text(v) + sections
	return f
}

// Again looks at the instance of a file: of the rule of that name that the hunt is about, or else of the
// file's own.
func (w rulesWorker) Again(e *Entry) (Outcome, error) {
	own, err := rewrite.Parse(source.NewFile(e.File.Name, e.Parts["rule.rules"]))
	if err != nil {
		return Outcome{}, e.bad(err)
	}
	var held instanceValues
	d := json.NewDecoder(bytes.NewReader([]byte(e.Parts["instance.json"])))
	d.DisallowUnknownFields()
	if err := d.Decode(&held); err != nil {
		return Outcome{}, e.bad(fmt.Errorf("instance.json: %v", err))
	}
	elem, ok := domain.ParseElem(held.Elem)
	arith, known := domain.ParseArith(held.Arith)
	if !ok || !known {
		return Outcome{}, e.bad(errors.New("instance.json: no element type, or no arithmetic"))
	}
	r := newTypedRule(own[0], elem, arith)
	if w.list != nil {
		i := slices.IndexFunc(w.list, func(t typedRule) bool { return t.Name == r.Name && t.elem == r.elem })
		if i < 0 {
			return Outcome{}, nil // no longer a rule
		}
		r = w.list[i]
	}
	v := rewrite.Values{Groups: held.Groups, Sizes: held.Sizes, Lists: held.Lists, Tokens: held.Tokens}
	in, err := r.Instance(v, r.elem)
	if errors.Is(err, rewrite.ErrNotAdmitted) || err != nil && w.list != nil {
		return Outcome{}, nil // a guard was added, or the rule has other names now
	}
	if err != nil {
		return Outcome{}, e.bad(err)
	}
	first, err := r.recorded(e)
	if err != nil {
		return Outcome{}, err
	}
	return w.instance(r, v, in, first), nil
}

// recorded reads the inputs of a file that has some.
func (r typedRule) recorded(e *Entry) (*recorded, error) {
	if e.Parts["expect.json"] == "" {
		return nil, nil
	}
	c, err := casefile.ReadCounterexample(e.File)
	if err != nil {
		return nil, e.bad(err)
	}
	in, err := tensorsOf(c, r.opts.Arith)
	if err != nil {
		return nil, e.bad(err)
	}
	return &recorded{in, c.Expect.Component, c.Expect.Element}, nil
}

// Covered lists what the instance of a file covers.
func (w rulesWorker) Covered(e *Entry) []string {
	o, err := w.Again(e)
	if err != nil {
		return nil
	}
	return o.Covered
}

// smaller makes the values of an instance smaller while the same is seen of it.
func (r typedRule) smaller(v rewrite.Values, s sight) (rewrite.Values, sight) {
	for tries := shrinkTries; tries > 0; {
		found := false
		for _, c := range smallerValues(v) {
			if tries--; tries < 0 {
				return v, s
			}
			in, err := r.Instance(c, r.elem)
			if err != nil {
				continue
			}
			if again := r.look(in, nil); again.reason == s.reason {
				v, s, found = c, again, true
				break
			}
		}
		if !found {
			break
		}
	}
	return v, s
}

// smallerValues lists values with a dim less, with a dim or an integer that is smaller, or with an axis less
// in a list; a list goes with the dims of some group.
func smallerValues(v rewrite.Values) []rewrite.Values {
	var out []rewrite.Values
	copied := func() rewrite.Values {
		c := rewrite.Values{Groups: map[string][]int64{}, Sizes: maps.Clone(v.Sizes), Lists: map[string][]int{},
			Tokens: v.Tokens}
		for g, dims := range v.Groups {
			c.Groups[g] = slices.Clone(dims)
		}
		for l, axes := range v.Lists {
			c.Lists[l] = slices.Clone(axes)
		}
		return c
	}
	groups, lists := slices.Sorted(maps.Keys(v.Groups)), slices.Sorted(maps.Keys(v.Lists))
	for _, g := range groups {
		for i := range v.Groups[g] {
			c := copied()
			c.Groups[g] = slices.Delete(c.Groups[g], i, i+1)
			out = append(out, c)
			for _, l := range lists {
				for axis := range v.Lists[l] {
					c := copied()
					c.Groups[g] = slices.Delete(c.Groups[g], i, i+1)
					c.Lists[l] = without1(c.Lists[l], axis)
					out = append(out, c)
				}
			}
		}
	}
	for _, g := range groups { // the same axis of all groups that have these dims
		for _, h := range groups {
			if g < h && slices.Equal(v.Groups[g], v.Groups[h]) && len(v.Groups[g]) > 0 {
				c := copied()
				c.Groups[g], c.Groups[h] = c.Groups[g][1:], c.Groups[h][1:]
				out = append(out, c)
			}
		}
	}
	numbers := map[int64]bool{}
	for _, g := range groups {
		for i, d := range v.Groups[g] {
			for _, n := range lessThan(d) {
				c := copied()
				c.Groups[g][i] = n
				out = append(out, c)
			}
			numbers[d] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Sizes)) {
		for _, n := range lessThan(v.Sizes[name]) {
			c := copied()
			c.Sizes[name] = n
			out = append(out, c)
		}
		numbers[v.Sizes[name]] = true
	}
	for _, from := range slices.Sorted(maps.Keys(numbers)) { // everywhere at once
		for _, to := range lessThan(from) {
			c := copied()
			for _, dims := range c.Groups {
				for i := range dims {
					if dims[i] == from {
						dims[i] = to
					}
				}
			}
			for name, n := range c.Sizes {
				if n == from {
					c.Sizes[name] = to
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// lessThan lists a few smaller numbers, the smallest first.
func lessThan(n int64) []int64 {
	switch {
	case n > 2:
		return []int64{1, n - 1}
	case n == 2:
		return []int64{1}
	}
	return nil
}

// without1 is a permutation without one of its axes.
func without1(l []int, axis int) []int {
	var out []int
	for _, a := range l {
		switch {
		case a < axis:
			out = append(out, a)
		case a > axis:
			out = append(out, a-1)
		}
	}
	return out
}
