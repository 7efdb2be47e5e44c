package tc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"tv/internal/mix"
	"tv/internal/tier"
	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// drawnBits are those of an element that a hash stands for: numbers near 0 at times, any at others.
func drawnBits(h uint64, t rtype) uint64 {
	if t.kind == 'f' {
		f := float64(int64(h>>8)%2001-1000) / 8
		if h%8 == 0 {
			f = 0
		}
		if t.bits == 32 {
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	}
	n := h >> 16
	if h%2 == 1 {
		n = (h>>8)%21 - 10
	}
	return n & (^uint64(0) >> (64 - t.bits))
}

// A case is a program at some sizes, with contents that a seed stands for.
type instance struct {
	text string
	seed uint64
	def  *definition
	proc *loops.Procedure
	size map[string]int64
}

func newInstance(t testing.TB, text, function string, seed uint64) *instance {
	t.Helper()
	f := textFile(text)
	p, err := Parse(f, function)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	c := &instance{text: text, seed: seed, proc: p, def: choose(f, definitions(f), function), size: map[string]int64{}}
	for k, h := range p.Heading {
		if h.Buffer == nil {
			c.size[h.Size] = int64(1 + mix.Spread(seed*31+uint64(k))%5)
		}
	}
	return c
}

func (c *instance) contents(name string, offset int64, t rtype) uint64 {
	h := c.seed
	for _, b := range []byte(name) {
		h = mix.Spread(h*131 + uint64(b))
	}
	return drawnBits(mix.Spread(h+uint64(offset)), t)
}

// reference runs the text as it stands. It returns why nothing is known of what it leaves, if that is so.
func (c *instance) reference() (*reference, string) {
	r := &reference{sizes: c.size, types: map[string]rtype{}, tensors: map[string]*rtensor{}}
	r.old = func(name string, offset int64, t rtype) rvalue { return fromBits(c.contents(name, offset, t), t) }
	for n := range c.size {
		r.types[n] = rint32
	}
	for _, o := range c.def.outs {
		r.tensors[o.text] = &rtensor{}
	}
	return r, known(func() {
		for _, p := range c.def.params {
			c.input(r, p)
		}
		for _, s := range c.def.stmts {
			r.statement(s)
		}
	})
}

func (c *instance) input(r *reference, p *param) {
	elem := rtypeOf(p.elem.String())
	if _, ok := c.size[p.name.text]; ok {
		r.types[p.name.text] = elem
		return
	}
	a := &rtensor{t: elem, known: true}
	cells := int64(1)
	for _, d := range p.dims {
		n := r.sizes[d.name]
		if d.op == opNumber {
			n = d.num.Num().Int64()
		}
		a.dims = append(a.dims, n)
		cells *= n
		r.step(cells)
	}
	for k := range cells {
		a.cells = append(a.cells, r.old(p.name.text, k, elem))
	}
	r.tensors[p.name.text] = a
}

// procedure runs what the text was read into.
func (c *instance) procedure() (*run.Run, error) {
	r, err := run.New(c.proc, run.Options{Arith: value.Exact, Sizes: c.size, Limit: 1 << 22,
		Input: func(b *loops.Buffer, offset int64) value.Value {
			return value.BitsValue(c.contents(b.Name, offset, rtypeOf(b.Elem.String())), b.Elem)
		}})
	if err == nil {
		err = r.Do(context.Background())
	}
	return r, err
}

// shownBits prints the bits of an element; all that are no numbers are one.
func shownBits(n uint64, e domain.Elem) string {
	if v := fromBits(n, rtypeOf(e.String())); v.t.kind == 'f' && math.IsNaN(v.f) {
		return "nan"
	}
	return strconv.FormatUint(n, 16)
}

// left prints what outputs hold.
func (c *instance) left(t *testing.T) (string, error) {
	r, err := c.procedure()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, b := range c.proc.Buffers {
		if b.Kind != loops.InOut {
			continue
		}
		cells := int64(1)
		for _, d := range r.Dims(b) {
			cells *= d
		}
		fmt.Fprintf(&out, "%s %v", b.Name, r.Dims(b))
		for k := range cells {
			n, ok := r.Value(b, k).Bits()
			if !ok {
				t.Fatalf("element %d of %s is %s\n%s", k, b.Name, r.Value(b, k), c.text)
			}
			fmt.Fprintf(&out, " %s", shownBits(n, b.Elem))
		}
		out.WriteByte('\n')
	}
	return out.String(), nil
}

// wanted prints what the text says that outputs hold.
func (c *instance) wanted() (string, string) {
	r, why := c.reference()
	var out strings.Builder
	for _, b := range c.proc.Buffers {
		if b.Kind == loops.InOut && why == "" {
			x := r.tensors[b.Name]
			fmt.Fprintf(&out, "%s %v", b.Name, append([]int64{}, x.dims...))
			for _, v := range x.cells {
				fmt.Fprintf(&out, " %s", shownBits(v.bitsOf(), b.Elem))
			}
			out.WriteByte('\n')
		}
	}
	return out.String(), why
}

// TestRandom: random programs leave the same bits in every output, or nothing is known of either, whether the text is run as
// it stands, with ranges found by trying, or what it was read into. TV_TC=N tests N programs, TV_TC_FROM=S from seed S on.
func TestRandom(t *testing.T) {
	count, from := tier.Pick(300, 10000), 0
	if n, err := strconv.Atoi(os.Getenv("TV_TC")); err == nil {
		count = n
	}
	if n, err := strconv.Atoi(os.Getenv("TV_TC_FROM")); err == nil {
		from = n
	}
	defined := 0
	for seed := from; seed < from+count; seed++ {
		c := newInstance(t, string(Generate(uint64(seed))), "", uint64(seed))
		for k := range uint64(3) { // some sizes at which it is defined, if they are among these
			c = newInstance(t, c.text, "", uint64(seed)+k*1000003)
			want, why := c.wanted()
			got, err := c.left(t)
			var ended *run.Ended
			switch {
			case why == either || why == tooLong:
				continue
			case why != "" && err == nil, why == "" && err != nil, got != want:
				t.Fatalf("seed %d, sizes %v: %v\n%swant %s\n%s%s", seed, c.size, err, got, why, want, c.text)
			case err != nil && !errors.As(err, &ended) && !strings.Contains(err.Error(), "negative"):
				t.Fatalf("seed %d, sizes %v: %v\n%s", seed, c.size, err, c.text)
			}
			if why == "" {
				defined++
				break
			}
		}
	}
	if defined < count/3 {
		t.Errorf("%d of %d programs are defined at the sizes drawn", defined, count)
	}
	t.Logf("%d of %d programs are defined at the sizes drawn", defined, count)
}
