package sample

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// Limits on the work of blame by values: distinct nodes, and elements of all of their values together.
const (
	blameNodes    = 400
	blameElements = 100_000
	maxBlame      = 4
	maxBlameText  = 160
)

// Blame names, on each side, the smallest subterms whose value occurs nowhere on the other side while the
// values of all their operands do; the roots where there are none. Values are compared as the row-major
// sequence of elements, so reshapes do not count. Where the tensors are too large to compute, subterms are
// compared as texts instead.
func (s *Sampler) Blame(d *Difference) []Blame {
	programs := [2]semantics.Program{s.before, s.after}
	digests, ok := Digests(programs, s.arith, d.Point, d.Inputs)
	if !ok {
		digests = s.texts()
	}
	var out []Blame
	for side, list := range Partings(programs, digests) {
		p := programs[side]
		if len(list) == 0 {
			last := len(p.Parts()) - 1
			for _, k := range d.Path { // of a tuple the tensor that differs
				if part := p.Parts()[last]; !part.Tensor && k < len(part.Operands) {
					last = part.Operands[k]
				}
			}
			list = []int{last}
		}
		for _, part := range list[:min(len(list), maxBlame)] {
			out = append(out, Blame{Side: sideNames[side], Span: p.At(part), Text: shown(p.Text(part))})
		}
	}
	return out
}

var sideNames = [2]string{"before", "after"}

// Partings lists, of each of two programs, the parts that have no like on the other side while all their operands do: where
// the programs part. Parts are alike that have equal digests.
func Partings(programs [2]semantics.Program, digests [2][]string) (out [2][]int) {
	for side, p := range programs {
		known := map[string]bool{}
		for i, part := range programs[1-side].Parts() {
			if part.Tensor {
				known[digests[1-side][i]] = true
			}
		}
		parts := p.Parts()
		unknown := func(part int) bool { return parts[part].Tensor && !known[digests[side][part]] }
		for i := range parts {
			if unknown(i) && !parts[i].Leaf && !slices.ContainsFunc(parts[i].Operands, unknown) {
				out[side] = append(out[side], i)
			}
		}
	}
	return out
}

// Unlike names, of programs of different types, the smallest subterms on each side with dims and an element type that no subterm of
// the other side has, while those of all their operands have likes there; the point is that of the counterexample, if there is one.
func (s *Sampler) Unlike(c *Counterexample) (out []Blame) {
	if c == nil {
		return nil
	}
	programs := [2]semantics.Program{s.before, s.after}
	var types [2][]string
	for side, p := range programs {
		for _, part := range p.Parts() {
			text := ""
			if part.Tensor {
				text = fmt.Sprint(DimsAt(part.Dims, c.Point), part.Split, part.Elem)
			}
			types[side] = append(types[side], text)
		}
	}
	for side, list := range Partings(programs, types) {
		for _, part := range list[:min(len(list), maxBlame)] {
			out = append(out, Blame{Side: sideNames[side], Span: programs[side].At(part), Text: shown(programs[side].Text(part))})
		}
	}
	return out
}

// Writers blames the statements that wrote the element of a counterexample last, in place of others of their side.
func Writers(c *Counterexample, list []Blame) (out []Blame) {
	for side, name := range sideNames {
		if at := c.Writers[side]; at.File != nil {
			out = append(out, Blame{Side: name, Span: at, Text: shown(at.Text())})
			continue
		}
		for _, b := range list {
			if b.Side == name {
				out = append(out, b)
			}
		}
	}
	return out
}

// shown is a text, or its beginning.
func shown(text string) string {
	if len(text) > maxBlameText {
		return strings.ToValidUTF8(text[:maxBlameText], "") + "..." // without a part of a rune
	}
	return text
}

// texts returns a digest of the text of every part of both programs: equal ones have equal digests. Texts themselves
// would be as long together as programs are deep.
func (s *Sampler) texts() (out [2][]string) {
	numbers := map[string]string{} // by what a part is made of: its operator and the digests of its operands
	for side, p := range []semantics.Program{s.before, s.after} {
		digests := make([]string, len(p.Parts()))
		for i, part := range p.Parts() {
			var made strings.Builder
			if part.Leaf {
				made.WriteString("leaf " + part.Name)
			} else {
				made.WriteString("call " + part.Name)
			}
			for _, a := range part.Operands {
				made.WriteString(" " + digests[a])
			}
			if numbers[made.String()] == "" {
				numbers[made.String()] = strconv.Itoa(len(numbers) + 1)
			}
			digests[i] = numbers[made.String()]
		}
		out[side] = digests
	}
	return out
}

// Digests returns a digest of the value of every part of both programs on inputs, or fails where that is too much work.
func Digests(programs [2]semantics.Program, arith value.Arith, pt domain.Point, in value.Inputs) (out [2][]string, ok bool) {
	seed := maphash.MakeSeed()
	budget := int64(blameElements)
	for side, p := range programs {
		parts := p.Parts()
		if len(parts) > blameNodes {
			return out, false
		}
		ev, err := p.Evaluate(arith, pt, in, nil)
		if err != nil {
			return out, false
		}
		keys := make([]string, len(parts))
		for i := range parts {
			if !parts[i].Tensor {
				continue
			}
			dims := ev.PartDims(i)
			size := Product(dims)
			if budget -= size; budget < 0 {
				return out, false
			}
			var h maphash.Hash
			h.SetSeed(seed)
			for _, index := range Pick(dims, nil, int(size), 0, nil) {
				v, err := ev.PartElement(i, index)
				if err != nil {
					_, _ = h.WriteString("!;") // undefined and uninterpreted elements are alike
					continue
				}
				_, _ = h.WriteString(v.String())
				_ = h.WriteByte(';')
			}
			keys[i] = string(h.Sum(nil))
		}
		out[side] = keys
	}
	return out, true
}

// Blame names a subterm that is to blame for a difference.
type Blame struct {
	Side    string // "before" or "after"
	Span    source.Span
	Text    string
	Path    []string // the calls around it, innermost first, each with the operand that it is in: "access-pair 1"; nil: not known
	Instead *Instead // a change with which the programs agree on all that was tried; nil: none is known
}

// Instead is one token of a text, and what makes two programs agree in place of it.
type Instead struct {
	Span source.Span
	Text string
}
