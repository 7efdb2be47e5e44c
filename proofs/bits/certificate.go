package bits

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// A Text is a text that a certificate includes.
type Text struct {
	Language string // bv, verilog or yosys
	Name     string // of the file that it was read from
	SHA256   string
	Data     string
	Top      string // the module; empty of a specification
	Arch     string // of its cells; empty: it has none
}

// A Claim is what a certificate shows: for all inputs that satisfy Assume in every cycle, and each
// cycle from Latency on, the outputs of After are those that Before has of the inputs Latency
// cycles ago. After may have more outputs.
type Claim struct {
	Before, After Text
	Clock         string
	Latency       int
	Assume        []string
	Trusts        []string
	Kind          string // exhaustive, gates or algebra
}

const firstLine = "tv bits certificate 1"

// Is tells whether data is a certificate of this package.
func Is(data []byte) bool { return strings.HasPrefix(string(data), firstLine+"\n") }

// Check reads certificates, one behind the other, and returns what each shows, or why one shows
// nothing. Nothing that is not in data is read.
func Check(data []byte) (claims []*Claim, err error) {
	// Nets are asked for one by another, as deep as the longest way through a netlist.
	defer debug.SetMaxStack(debug.SetMaxStack(2 << 30))
	defer func() {
		if r := recover(); r != nil {
			why, ok := r.(refusal)
			if !ok {
				panic(r)
			}
			claims, err = nil, errors.New(why.text)
		}
	}()
	for l := (&lines{string(data)}); len(claims) == 0 || l.rest != ""; {
		claims = append(claims, l.certificate())
	}
	return claims, nil
}

// certificate checks the next one.
func (l *lines) certificate() *Claim {
	need(l.next() == firstLine, "its first line is not %q", firstLine)
	c := &Claim{}
	c.Before, c.After = l.text("before"), l.text("after")
	c.Before.Top, c.After.Top = l.field("top-before"), l.field("top-after")
	c.Before.Arch, c.After.Arch = l.field("arch-before"), l.field("arch-after")
	c.Clock = l.field("clock")
	latency := l.field("latency")
	var err error
	c.Latency, err = strconv.Atoi(latency)
	need(err == nil && c.Latency >= 0 && c.Latency <= 4096, "no latency")
	need(strconv.Itoa(c.Latency) == latency, "no latency")
	c.Kind = l.field("kind")
	g := newGraph()
	before, after := c.Before.read(g, c), c.After.read(g, c)
	need(c.Clock == "" || before.clock == c.Clock || after.clock == c.Clock, "no text has the clock %q", c.Clock)
	q := &question{g: g}
	q.match(before, after)
	c.Assume = before.texts
	for _, t := range append(before.trusts, after.trusts...) {
		if !slices.Contains(c.Trusts, t) {
			c.Trusts = append(c.Trusts, t)
		}
	}
	q.build(before, after, c.Latency)
	switch c.Kind {
	case "exhaustive":
		q.exhaust()
	case "gates", "algebra":
		assumed := map[lit]bool{}
		for _, a := range q.assume {
			assumed[a] = true
		}
		b := readBody(g, l, assumed)
		shown := map[string]bool{}
		if c.Kind == "algebra" {
			shown = q.words(l, before, after, c.Latency)
		}
		for i, s := range q.left {
			n := q.right[i]
			equal := s == n || shown[q.output[i]] || b.implied(g, s.not(), n) && b.implied(g, s, n.not())
			need(equal, "bit %d of the outputs is not shown to be equal", i)
		}
	default:
		refuse("the kind %q", c.Kind)
	}
	need(l.next() == "end", "something stands where the end should be")
	return c
}

// field is what follows a name on a line; - is nothing.
func (l *lines) field(name string) string {
	v, ok := strings.CutPrefix(l.next(), name+" ")
	need(ok && v != "", "no line %s", name)
	if v == "-" {
		return ""
	}
	return v
}

// text reads a text with its digest.
func (l *lines) text(role string) Text {
	f := strings.SplitN(l.next(), " ", 5)
	need(len(f) == 5 && f[0] == role, "no text %s", role)
	n, err := strconv.Atoi(f[3])
	need(err == nil && n >= 0 && n < len(l.rest) && l.rest[n] == '\n', "no %s bytes of text", f[3])
	t := Text{Language: f[1], SHA256: f[2], Name: f[4], Data: l.rest[:n]}
	need(digest(t.Data) == t.SHA256, "the digest of %s is another", role)
	l.rest = l.rest[n+1:]
	return t
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func (t *Text) read(g *graph, c *Claim) *circuit {
	switch t.Language {
	case "bv":
		need(t.Top == "" && t.Arch == "", "a specification has no module and no cells")
		return readSpec(g, t.Data)
	case "verilog":
		return flatten(g, readModules(t.Data), t.Top, t.Arch, c.Clock, c.Latency)
	case "yosys":
		return flatten(g, readYosys(t.Data), t.Top, t.Arch, c.Clock, c.Latency)
	}
	refuse("the language %q", t.Language)
	return nil
}

// question is both circuits in one graph: bits of outputs that are to be equal.
type question struct {
	g           *graph
	left, right []lit
	output      []string // that each pair of bits is of
	assume      []lit
}

// match holds the ports against one another.
func (q *question) match(before, after *circuit) {
	for _, p := range after.in {
		need(slices.Contains(before.in, p), "the first text has no input %s", p.name)
	}
	for _, p := range before.out {
		need(slices.Contains(after.out, p), "the second text has no output %s", p.name)
	}
	need(len(before.out) > 0, "there are no outputs")
}

// build makes the bits: what before says of inputs latency cycles ago, and what after has now.
func (q *question) build(before, after *circuit, latency int) {
	need(after.late <= latency, "the second text is %d cycles late", after.late)
	for _, p := range before.out {
		bits := before.outputs(p.name, latency)
		q.left = append(q.left, bits...)
		for range bits {
			q.output = append(q.output, p.name)
		}
		q.right = append(q.right, after.outputs(p.name, after.late)...)
	}
	need(len(q.left) == len(q.right), "outputs of other widths")
	for d := range latency + 1 {
		known := before.assume(d)
		q.assume = append(q.assume, known...)
		for _, a := range after.assume(d) {
			need(slices.Contains(known, a), "the second text assumes what the first does not")
		}
	}
}

// exhaust tries all values of the signals that matter, at most 2^16.
func (q *question) exhaust() {
	g := q.g
	cone := make([]bool, len(g.fanin))
	for _, roots := range [][]lit{q.left, q.right, q.assume} {
		for _, l := range roots {
			cone[l>>1] = true
		}
	}
	for n := len(cone) - 1; n > 0; n-- {
		if f := g.fanin[n]; cone[n] && f[1] != 0 {
			cone[f[0]>>1], cone[f[1]>>1] = true, true
		}
	}
	var free []int
	for i, n := range g.nodes {
		if cone[n] {
			free = append(free, i)
		}
	}
	need(len(free) <= 16, "%d bits are too many to try", len(free))
	in, values := make([]uint64, len(g.nodes)), make([]uint64, len(g.fanin))
	at := func(l lit) uint64 { return values[l>>1] ^ -uint64(l&1) }
	for base := 0; base < 1<<len(free); base += 64 {
		for k, i := range free {
			in[i] = 0
			for lane := range 64 {
				in[i] |= uint64((base+lane)>>k&1) << lane
			}
		}
		g.simulate(in, values)
		valid := ^uint64(0)
		for _, a := range q.assume {
			valid &= at(a)
		}
		for i, s := range q.left {
			need((at(s)^at(q.right[i]))&valid == 0, "outputs differ for some inputs")
		}
	}
}
