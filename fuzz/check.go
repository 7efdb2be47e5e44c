package fuzz

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	"tv/equiv"
	"tv/fuzz/programs"
	"tv/internal/casefile"
	"tv/internal/mix"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// Check hunts for an input that tells two programs apart. A case is one draw of all inputs at one point of
// the domain; the reference evaluator, prepared once for each point, compares the results.
type Check struct {
	asked  equiv.Question
	x, y   semantics.Program
	opts   equiv.Options
	arith  value.Arith
	points []domain.Point
	typed  string // how the results differ whatever the inputs, or ""

	compared, open atomic.Int64 // elements
}

// checkPoints is the number of points of a domain that cases are drawn from.
const checkPoints = 24

// NewCheck prepares the hunt. Errors: source.Errors where there is no question about the two programs.
func NewCheck(asked equiv.Question, opts equiv.Options) (*Check, error) {
	t := &Check{asked: asked, opts: opts, arith: opts.Arith}
	var err error
	if t.points, err = equiv.Points(asked, opts, checkPoints); err != nil {
		return nil, err
	}
	if t.x, t.y, err = equiv.Programs(asked, opts.Tensors...); err != nil {
		return nil, err
	}
	x, y := t.x.Result(), t.y.Result()
	t.typed = programs.SameType(x, y)
	if opts.Equal == equiv.Access && t.typed == "" && x.Split != y.Split {
		t.typed = fmt.Sprintf("%s and %s", x.Text, y.Text)
	}
	return t, nil
}

// Name returns "check".
func (t *Check) Name() string { return "check" }

// ID is a digest of the question.
func (t *Check) ID() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\x00%v", t.asked.Before.File().Text, t.asked.After.File().Text, t.opts.Arith,
		t.opts.Equal, t.opts.Tensors)
	if len(t.asked.Bind) > 0 {
		fmt.Fprintf(h, "\x00%v", t.asked.Bind)
	}
	for side, p := range []semantics.Source{t.asked.Before, t.asked.After} { // what is said of a text beside it, where something is
		if name := p.File().Function; name != "" {
			fmt.Fprintf(h, "\x00function %d %s", side, name)
		}
		for _, a := range p.Declarations().Assumes {
			if a.Span.File != p.File() {
				fmt.Fprintf(h, "\x00assume %d %s", side, a.Span.Text())
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// Remark says how many elements could not be compared; nothing is set if none could.
func (t *Check) Remark() (text string, nothing bool) {
	compared, open := t.compared.Load(), t.open.Load()
	if open == 0 {
		return "", false
	}
	return fmt.Sprintf("%d of %d elements are undefined in BEFORE or rest on what the arithmetic does not "+
		"interpret", open, open+compared), compared == 0
}

// Worker returns a runner of cases.
func (t *Check) Worker() Worker {
	return &checkWorker{Check: t, rigs: make([]*rig, len(t.points))}
}

type checkWorker struct {
	*Check
	rigs []*rig // by point
}

// A rig is both programs ready to run at a point, over inputs that change.
type rig struct {
	in    *shared
	x, y  semantics.Evaluator
	paths [][]int
	all   [][][]int64 // by component: all indices, or nil where they are many
	bad   error       // why AFTER is ill formed here
	skip  bool        // so is BEFORE
}

// rigElements is the number of elements of a component that a case compares.
const rigElements = 64

// newRig prepares two programs of one type.
func newRig(before, after semantics.Program, arith value.Arith, pt domain.Point, in *shared) *rig {
	r := &rig{in: in}
	for _, c := range before.Result().Components() {
		r.paths = append(r.paths, c.Path)
	}
	var err error
	if r.x, err = before.Evaluate(arith, pt, in, nil); err != nil {
		r.skip = true
		return r
	}
	if r.y, r.bad = after.Evaluate(arith, pt, in, nil); r.bad == nil {
		r.bad = illFormed(after, pt)
	}
	if r.bad != nil {
		r.bad = fmt.Errorf("AFTER is ill formed: %w", r.bad)
		return r
	}
	for _, path := range r.paths {
		dims := r.x.Dims(path)
		if other := r.y.Dims(path); !slices.Equal(dims, other) {
			r.bad = fmt.Errorf("dims %v and %v", dims, other)
			return r
		}
		var all [][]int64
		if count := volume(dims); count <= rigElements {
			all = programs.Indices(nil, dims, rigElements)
		}
		r.all = append(r.all, all)
	}
	return r
}

// illFormed says which condition of a program does not hold at a point, such as one on what its names are bound to.
func illFormed(p semantics.Program, pt domain.Point) error {
	for _, c := range p.Conditions() {
		if ok, err := c.Pred.Eval(pt); err == nil && !ok {
			return source.Errorf(p.At(c.Part), c.Code, "%s", c.Msg)
		}
	}
	return nil
}

// compare compares the results on the inputs as they are; salt decides which elements of large ones. index is
// that of the first that differs, nil where none does; compared and open count elements.
func (r *rig) compare(salt uint64) (path []int, index []int64, compared, open int64) {
	r.x.Reset()
	r.y.Reset()
	for i, path := range r.paths {
		list := r.all[i]
		if list == nil && volume(r.x.Dims(path)) > 0 {
			list = programs.Indices(rand.New(rand.NewPCG(salt, uint64(i))), r.x.Dims(path), rigElements)
		}
		for _, index := range list {
			switch compareElement(r.x, r.y, path, index) {
			case value.Same:
				compared++
			case value.Different:
				return path, index, compared, open
			default:
				open++
			}
		}
	}
	return nil, nil, compared, open
}

// element tells whether an element of the results differs on inputs; one that is not there does not.
func (r *rig) element(in value.Tensors, path []int, index []int64) bool {
	at := slices.IndexFunc(r.paths, func(p []int) bool { return slices.Equal(p, path) })
	if at < 0 || !within(index, r.x.Dims(r.paths[at])) || !r.in.take(in) {
		return false
	}
	r.x.Reset()
	r.y.Reset()
	return compareElement(r.x, r.y, path, index) == value.Different
}

func within(index, dims []int64) bool {
	for i, n := range index {
		if i >= len(dims) || n < 0 || n >= dims[i] {
			return false
		}
	}
	return len(index) == len(dims)
}

// volume is the number of elements of a tensor; it saturates.
func volume(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		if d > 0 && n > (1<<62)/d {
			return 1 << 62
		}
		n *= d
	}
	return n
}

// Case draws inputs and compares the results.
func (w *checkWorker) Case(_ context.Context, seed uint64, k int64) Outcome {
	if w.typed != "" {
		return Outcome{Suspect: w.whole("type", w.typed)}
	}
	salt := caseSeed(seed, k)
	at := int(salt % uint64(len(w.points)))
	pt := w.points[at]
	if w.rigs[at] == nil {
		w.rigs[at] = newRig(w.x, w.y, w.arith, pt, newShared(pt, w.x, w.y))
	}
	r := w.rigs[at]
	switch {
	case r.skip:
		return Outcome{}
	case r.bad != nil:
		return Outcome{Suspect: w.whole("sizes", r.bad.Error())}
	}
	d := draw(mix.Spread(salt), w.arith, w.x.Inputs(), w.y.Inputs())
	r.in.fill(d)
	path, index, compared, open := r.compare(salt)
	w.compared.Add(compared)
	w.open.Add(open)
	if index == nil {
		return Outcome{}
	}
	return Outcome{Suspect: w.suspect(d, pt, path, index)}
}

// compareElement compares one element. Where BEFORE has a value and AFTER has none by the language's meaning
// they are different; else, where either has none that is known, that is undecided.
func compareElement(x, y semantics.Evaluator, path []int, index []int64) value.Relation {
	a, err := x.Element(path, index)
	if err != nil {
		return value.Undecided
	}
	b, err := y.Element(path, index)
	if errors.Is(err, value.ErrUndefined) {
		return value.Different
	}
	if err != nil {
		return value.Undecided
	}
	return value.Compare(a, b)
}

// kindDifference is the kind of what tells two programs apart.
const kindDifference = "difference"

// suspect is an element at which the programs differ.
func (w *checkWorker) suspect(in value.Inputs, pt domain.Point, path []int, index []int64) *Suspect {
	d, err := equiv.NewDifference(w.asked, w.opts, pt, in, path, index)
	if err != nil { // NewCheck asked the same question
		panic(fmt.Sprintf("fuzz: a question that was one is none: %v", err))
	}
	_, key := blameTexts(d.Blame())
	return &Suspect{Key: kindDifference + ": " + key, Finding: func() Finding {
		r := d.Result()
		return w.finding(&r)
	}}
}

// whole is a difference of the programs that no input decides: Check describes it.
func (w *checkWorker) whole(key, detail string) *Suspect {
	return &Suspect{Key: kindDifference + ": " + key, Finding: func() Finding {
		r, err := equiv.Check(context.Background(), w.asked, w.opts)
		if err != nil || r.Verdict != equiv.Refuted {
			r = equiv.Result{Verdict: equiv.Refuted, Detail: detail}
		}
		return w.finding(&r)
	}}
}

// finding writes a refutation as a counterexample, or where there is none as a litmus file.
func (w *checkWorker) finding(r *equiv.Result) Finding {
	before, after := w.asked.Before.File(), w.asked.After.File()
	r.Before, r.After = before.Name, after.Name
	texts, _ := blameTexts(r.Blame)
	f := Finding{Kind: kindDifference, Detail: differenceText(r), Blame: texts, Replay: []string{"tv", "replay"},
		Result: r}
	bind := make([]string, len(w.asked.Bind))
	for i, b := range w.asked.Bind {
		bind[i] = b.Before + "=" + b.After
	}
	extensions := [2]string{w.asked.Before.Language().Extensions[0], w.asked.After.Language().Extensions[0]}
	if c, ok := casefile.NewCounterexample(before, after, r); ok {
		first := strings.TrimSpace(strings.TrimPrefix(headline(w.Name(), kindDifference), "# "))
		c.Notes, c.Extensions, c.Expect.Bind = []string{first, c.Notes[0]}, extensions, bind
		if text, err := c.Bytes(); err == nil {
			f.Text = string(text)
			return f
		}
	}
	f.Replay = []string{"tv", "check"}
	f.Text = headline(w.Name(), kindDifference) + note(f.Detail) + "want: refuted\n"
	if len(bind) > 0 {
		f.Text += "args: --bind " + strings.Join(bind, ",") + "\n"
	}
	f.Text += section("before"+extensions[0], before.Text) + section("after"+extensions[1], after.Text)
	return f
}

// differenceText is a refutation on one line.
func differenceText(r *equiv.Result) string {
	c := r.Counterexample
	switch {
	case r.Detail != "":
		return r.Detail
	case c == nil:
		return r.Reason
	}
	at := ""
	if len(c.Point) > 0 {
		at = fmt.Sprintf(" at %v", map[string]int64(c.Point))
	}
	component := ""
	if len(c.Path) > 0 {
		component = fmt.Sprintf(" of component %v", c.Path)
	}
	index := strings.ReplaceAll(fmt.Sprint(c.Index), " ", ",")
	return fmt.Sprintf("element %s%s: %s before, %s after%s", index, component, c.Before, c.After, at)
}

// Again runs the programs on the inputs of a counterexample. Programs that do not take them are another
// matter.
func (w *checkWorker) Again(e *Entry) (Outcome, error) {
	if _, ok := e.Parts["expect.json"]; !ok {
		if w.typed != "" {
			return Outcome{Suspect: w.whole("type", w.typed)}, nil
		}
		return Outcome{}, nil
	}
	c, err := casefile.ReadCounterexample(e.File)
	if err != nil {
		return Outcome{}, e.bad(err)
	}
	in, err := tensorsOf(c, w.arith)
	if err != nil || w.typed != "" { // values of another arithmetic, programs of other types
		return Outcome{}, nil
	}
	pt := domain.Point(c.Expect.Sizes)
	r := newRig(w.x, w.y, w.arith, pt, newShared(pt, w.x, w.y))
	switch {
	case r.skip:
		return Outcome{}, nil
	case r.bad != nil:
		return Outcome{Suspect: w.whole("sizes", r.bad.Error())}, nil
	case r.element(in, c.Expect.Component, c.Expect.Element):
		return Outcome{Suspect: w.suspect(in, pt, c.Expect.Component, c.Expect.Element)}, nil
	}
	return Outcome{}, nil
}

// Covered is empty: the programs of all cases are the same two.
func (w *checkWorker) Covered(*Entry) []string { return nil }
