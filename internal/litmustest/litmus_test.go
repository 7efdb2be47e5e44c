package litmustest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/glenside"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/domain"
	"tv/semantics/glenside/eval"
	"tv/semantics/value"
)

// A litmus is one file, read as far as this test needs it.
type litmus struct {
	name          string
	guard, want   string
	arith         value.Arith
	access        bool
	before, after *glenside.Program
	types         [2]*glenside.Typing
	env           *domain.Env
	given         *counterexample // where random inputs are not likely to tell
}

// A counterexample is what the sections inputs.json and expect.json say.
type counterexample struct {
	inputs map[string]struct {
		Data   []string         // by row-major offset, or
		Sparse map[int64]string // the elements that are not 0
	}
	expect struct {
		Sizes     domain.Point
		Component []int
		Element   []int64
	}
}

func read(path string) (*litmus, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l := &litmus{name: strings.TrimSuffix(filepath.Base(path), ".txtar")}
	a := txtar.Parse(data)
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		switch key, rest, _ := strings.Cut(line, " "); key {
		case "#":
			l.guard = strings.TrimSpace(l.guard + " " + rest)
		case "want:":
			l.want = rest
		case "args:":
			for flag := range strings.FieldsSeq(rest) {
				switch flag {
				case "auto", "exact", "real":
					l.arith, _ = domain.ParseArith(flag)
				case "--require-exact":
					l.arith = value.Exact
				case "access":
					l.access = true
				case "--arith", "--equal", "tensor":
				default:
					return nil, fmt.Errorf("%s: args: %s is not known to this test", l.name, flag)
				}
			}
		default:
			return nil, fmt.Errorf("%s: line %q", l.name, line)
		}
	}
	for i, want := range []string{"before.sexp", "after.sexp"} {
		if len(a.Files) != 2 && len(a.Files) != 4 || a.Files[i].Name != want {
			return nil, fmt.Errorf("%s: wants the sections before.sexp and after.sexp, in this order, and then "+
				"inputs.json and expect.json or nothing", l.name)
		}
		p, err := glenside.Parse(source.NewFile(l.name+"/"+want, string(a.Files[i].Data)))
		if err != nil {
			return nil, err
		}
		if i == 0 {
			l.before = p
		} else {
			l.after = p
		}
	}
	if len(a.Files) == 4 {
		l.given = &counterexample{}
		for i, to := range []any{&l.given.inputs, &l.given.expect} {
			if err := json.Unmarshal(a.Files[2+i].Data, to); err != nil {
				return nil, fmt.Errorf("%s: %s: %v", l.name, a.Files[2+i].Name, err)
			}
		}
	}
	if l.env, err = glenside.MergeEnv([]*glenside.Program{l.before, l.after}); err != nil {
		return nil, err
	}
	for i, p := range []*glenside.Program{l.before, l.after} {
		if l.types[i], err = glenside.Check(p, l.env); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// TestLitmus checks every file of the corpus.
func TestLitmus(t *testing.T) {
	tier.Sweep(t)
	paths, err := filepath.Glob("../../testdata/check/*.txtar")
	if err != nil || len(paths) < 250 {
		t.Fatalf("%d litmus files, error %v", len(paths), err)
	}
	counts := map[string]int{}
	for _, path := range paths {
		l, err := read(path)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		counts[l.want]++
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			if l.guard == "" || !strings.HasSuffix(l.guard, ".") {
				t.Errorf("wants a sentence that says what the file guards, got %q", l.guard)
			}
			l.judge(t)
		})
	}
	if counts["proved"] < 100 || counts["refuted"] < 100 {
		t.Errorf("wants: %v", counts)
	}
}

// judge holds the wanted verdict against the evaluator.
func (l *litmus) judge(t *testing.T) {
	switch f := l.try(t); l.want {
	case "proved":
		if f.difference != "" {
			t.Errorf("the programs differ: %s", f.difference)
		} else if f.compared == 0 && f.opaque == 0 {
			t.Error("no element was compared")
		}
	case "refuted":
		if f.difference == "" {
			t.Errorf("no difference in %d elements", f.compared)
		} else if f.defined == 0 && f.points > 1 {
			t.Errorf("AFTER is well formed at no point, which is no refutation but an error: %s", f.difference)
		}
	case "unknown":
		if f.difference != "" {
			t.Errorf("the programs differ: %s", f.difference)
		} else if f.opaque == 0 {
			t.Error("nothing rests on an uninterpreted symbol")
		}
	default:
		t.Errorf("want: %q", l.want)
	}
}

// Findings of a search for a difference.
type findings struct {
	points, defined  int    // points tried, and those where AFTER is well formed
	compared, opaque int    // elements that have values on both sides, or rest on an uninterpreted symbol
	difference       string // the first one
}

func (f *findings) found(format string, args ...any) {
	if f.difference == "" {
		f.difference = fmt.Sprintf(format, args...)
	}
}

// try runs both programs on random inputs at random points until it has seen enough.
func (l *litmus) try(t *testing.T) *findings {
	f := &findings{}
	if b, a := l.types[0].Root(), l.types[1].Root(); shapeless(b) != shapeless(a) {
		f.found("types %s and %s", b, a)
		f.defined++
		return f
	}
	if l.given != nil {
		l.tryGiven(t, f)
		return f
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(l.name))))
	rounds := 12
	if l.want == "refuted" {
		rounds = 400
	}
	for round := 0; round < rounds; round++ {
		point := l.point(rng)
		if point == nil {
			t.Fatal("no point of the domain among the small ones")
		}
		f.points++
		in := &inputs{env: l.env, arith: l.arith, seed: rng.Uint64(), tame: rng.IntN(3) == 0,
			positive: round%4 == 3, uniform: round%8 == 5, zeros: round%16 == 9}
		before, err := eval.New(l.types[0], l.arith, point, in)
		if err != nil {
			t.Fatalf("BEFORE at %v: %v", point, err)
		}
		after, err := eval.New(l.types[1], l.arith, point, in)
		if err != nil {
			f.found("AFTER at %v: %v", point, err)
			continue
		}
		f.defined++
		l.compare(f, rng, point, l.types[0].Root(), l.types[1].Root(), before, after, nil)
		if l.want == "refuted" && f.difference != "" {
			return f
		}
	}
	return f
}

// tryGiven runs both programs on the inputs that the file gives.
func (l *litmus) tryGiven(t *testing.T, f *findings) {
	in, at := &givenInputs{l}, l.given.expect
	f.points, f.defined = 1, 1
	before, err := eval.New(l.types[0], l.arith, at.Sizes, in)
	if err != nil {
		t.Fatalf("BEFORE at %v: %v", at.Sizes, err)
	}
	after, err := eval.New(l.types[1], l.arith, at.Sizes, in)
	if err != nil {
		f.found("AFTER at %v: %v", at.Sizes, err)
		return
	}
	l.compareAt(f, at.Sizes, before, after, at.Component, at.Element)
}

// givenInputs are the elements that the file gives, 0 elsewhere.
type givenInputs struct{ *litmus }

func (in *givenInputs) Element(name string, offset int64) value.Value {
	text := "0"
	if t := in.given.inputs[name]; t.Data != nil {
		text = t.Data[offset]
	} else if v, ok := t.Sparse[offset]; ok {
		text = v
	}
	return parse(text, in.arith, in.env.Tensors[name].Elem)
}

// compare compares one component of the results, all elements or some.
func (l *litmus) compare(f *findings, rng *rand.Rand, point domain.Point, bt, at *glenside.Type, before, after *eval.Evaluator, path []int) {
	if bt.Kind == glenside.TypeTuple {
		for i := range bt.Items {
			l.compare(f, rng, point, bt.Items[i], at.Items[i], before, after, append(slices.Clip(path), i))
		}
		return
	}
	dims := before.Dims(path)
	if !slices.Equal(dims, after.Dims(path)) {
		f.found("dims %v and %v at %v", dims, after.Dims(path), point)
		return
	}
	if l.access && bt.Split != at.Split {
		f.found("splits %d and %d", bt.Split, at.Split)
		return
	}
	total := int64(1)
	for _, d := range dims {
		total *= d
	}
	const most = 80
	for n := int64(0); n < min(total, most); n++ {
		offset := n
		switch {
		case total > 1<<20:
			if n >= 4 {
				return
			}
			offset = []int64{0, total - 1, rng.Int64N(total), rng.Int64N(total)}[n]
			if n == 2 && l.want == "refuted" { // the last rows, where such files differ
				offset = total - 1 - rng.Int64N(100)
			}
		case total > most:
			offset = rng.Int64N(total)
		}
		index := make([]int64, len(dims))
		for axis, rest := len(dims)-1, offset; axis >= 0; axis-- {
			index[axis], rest = rest%dims[axis], rest/dims[axis]
		}
		l.compareAt(f, point, before, after, path, index)
	}
}

// compareAt compares one element.
func (l *litmus) compareAt(f *findings, point domain.Point, before, after *eval.Evaluator, path []int, index []int64) {
	b, err := before.Element(path, index)
	var opaque *value.UninterpretedError
	switch {
	case errors.Is(err, value.ErrUndefined):
		return
	case errors.As(err, &opaque):
		f.opaque++
		return
	case err != nil:
		f.found("BEFORE%v at %v: %v", index, point, err)
		return
	}
	a, err := after.Element(path, index)
	switch {
	case errors.As(err, &opaque):
		f.opaque++
		return
	case err != nil:
		f.found("AFTER%v at %v: %v", index, point, err)
		return
	}
	f.compared++
	if value.Compare(b, a) == value.Different {
		f.found("element %v at %v: %v and %v", index, point, b, a)
	}
}

// shapeless prints what the shape rule decides alone: ranks and element types.
func shapeless(t *glenside.Type) string {
	if t.Kind == glenside.TypeTuple {
		s := "("
		for _, item := range t.Items {
			s += shapeless(item)
		}
		return s + ")"
	}
	return fmt.Sprintf("%d %s;", len(t.Dims), t.Elem)
}

// point draws a small point of the domain, or nil if there is none to be found.
func (l *litmus) point(rng *rand.Rand) domain.Point {
	names := map[string]bool{}
	add := func(list []string) {
		for _, n := range list {
			names[n] = true
		}
	}
	for _, ts := range l.env.Tensors {
		for _, d := range ts.Dims {
			add(d.Names())
		}
	}
	for i, p := range []*glenside.Program{l.before, l.after} {
		for _, n := range p.Nodes {
			if n.Kind == glenside.KindInt {
				add(n.Int.Names())
			}
		}
		for _, c := range l.types[i].Conds {
			add(c.Pred.Names())
		}
		for _, a := range p.Assumes {
			add(a.Pred.Names())
		}
	}
	sorted := make([]string, 0, len(names))
	for n := range names {
		sorted = append(sorted, n)
	}
	slices.Sort(sorted)
draw:
	for range 20000 {
		point := domain.Point{}
		for _, n := range sorted {
			least, declared := l.env.Mins[n]
			if !declared {
				least = 1
			}
			point[n] = least + []int64{0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 11, 15, 23, 31}[rng.IntN(16)]
		}
		for _, in := range l.before.Inputs { // a dim is at least what its declaration says, an expression too
			for _, d := range in.Dims {
				if n, err := d.Size.Eval(point); err != nil || n.Cmp(big.NewInt(d.Min)) < 0 {
					continue draw
				}
			}
		}
		for _, a := range l.before.Assumes {
			if ok, err := a.Pred.Eval(point); !ok || err != nil {
				continue draw
			}
		}
		for _, c := range l.types[0].Conds {
			if ok, err := c.Pred.Eval(point); !ok || err != nil {
				continue draw
			}
		}
		return point
	}
	return nil
}

// inputs are random elements, each a function of the seed, the tensor and the offset. Small numbers come
// often: equal and opposite values, zeros and ones tell more programs apart than large ones.
type inputs struct {
	env   *domain.Env
	arith value.Arith
	seed  uint64
	tame  bool // ordinary numbers only, which may be indices

	uniform  bool // all elements of a tensor alike: sums of nothing but zeros, and of one sign
	zeros    bool // floats: 0, -0 and less, so that the first 0 is seen
	positive bool // at most 1, or 8 for integers: all roots and quotients of a network have values at once
}

func (in *inputs) Element(name string, offset int64) value.Value {
	hash := uint64(14695981039346656037)
	for _, c := range []byte(name) {
		hash = (hash ^ uint64(c)) * 1099511628211
	}
	if in.uniform {
		offset = 0
	}
	rng := rand.New(rand.NewPCG(in.seed^hash, uint64(offset)))
	elem := in.env.Tensors[name].Elem
	small := func() value.Value { return value.IntValue(rng.Int64N(8)-3, in.arith, elem) }
	if in.positive {
		eighths := 1 + rng.Int64N(8)
		if elem.Kind != domain.ElemFloat {
			return value.IntValue(eighths, in.arith, elem)
		}
		return parse(fmt.Sprint(float64(eighths)/8), in.arith, elem)
	}
	if in.zeros && in.arith.Bits(elem) && elem.Kind == domain.ElemFloat {
		return parse([]string{"0", "-0", "-1"}[rng.IntN(3)], in.arith, elem)
	}
	if !in.arith.Bits(elem) {
		if elem.Kind != domain.ElemFloat || rng.IntN(2) == 0 {
			return small()
		}
		return parse(fmt.Sprintf("%d.%d", rng.IntN(17)-8, rng.IntN(100)), in.arith, elem)
	}
	if elem.Kind != domain.ElemFloat {
		if in.tame {
			return small()
		}
		switch rng.IntN(6) {
		case 0, 1:
			return small()
		case 2: // the least number and the greatest
			return value.BitsValue(1<<(elem.Width-1)-rng.Uint64N(2), elem)
		}
		return value.BitsValue(rng.Uint64(), elem)
	}
	if in.tame || rng.IntN(3) == 0 {
		return parse(fmt.Sprint(8*rng.Float32()-4), in.arith, elem)
	}
	special := []string{"0", "-0", "0", "-0", "inf", "-inf", "nan", "1", "-1", "2.5", "0.1", "3e38", "-3e38", "16777217"}
	return parse(special[rng.IntN(len(special))], in.arith, elem)
}

func parse(text string, a value.Arith, elem domain.Elem) value.Value {
	v, err := value.ParseValue(text, a, elem)
	if err != nil {
		panic(err)
	}
	return v
}
