package equiv

import (
	"hash/maphash"
	"strconv"
	"strings"

	"tv/glenside"
	"tv/semantics/glenside/eval"
)

// Limits on the work of blame by values: distinct nodes, and elements of all of their values together.
const (
	blameNodes    = 400
	blameElements = 100_000
	maxBlame      = 4
	maxBlameText  = 160
)

// blame names, on each side, the smallest subterms whose value occurs nowhere on the other side while the
// values of all their operands do; the roots where there are none. Values are compared as the row-major
// sequence of elements, so reshapes do not count. Where the tensors are too large to compute, subterms are
// compared as texts instead.
func (s *sampler) blame(d *difference) []Blame {
	digests, ok := s.values(d)
	if !ok {
		digests = s.texts()
	}
	key := func(n *glenside.Node, ty *glenside.Typing) string { return digests[ty][n.ID] }
	var out []Blame
	for _, side := range []struct {
		name      string
		ty, other *glenside.Typing
	}{{"before", s.before, s.after}, {"after", s.after, s.before}} {
		known := map[string]bool{}
		for _, n := range side.other.Program.Nodes {
			if isArray(side.other.Type(n)) {
				known[key(n, side.other)] = true
			}
		}
		found := 0
		p := side.ty.Program
		report := func(n *glenside.Node) {
			text := glenside.FormatNode(n)
			if len(text) > maxBlameText {
				text = strings.ToValidUTF8(text[:maxBlameText], "") + "..." // without a part of a rune
			}
			out = append(out, Blame{Side: side.name, Span: p.Span(n), Text: text})
			found++
		}
		for _, n := range p.Nodes {
			if found == maxBlame || !isArray(side.ty.Type(n)) || known[key(n, side.ty)] {
				continue
			}
			operands := true
			for _, a := range n.Args {
				if isArray(side.ty.Type(a)) && !known[key(a, side.ty)] {
					operands = false
				}
			}
			if operands && n.Kind == glenside.KindCall {
				report(n)
			}
		}
		if found == 0 {
			report(p.Root)
		}
	}
	return out
}

func isArray(t *glenside.Type) bool {
	return t != nil && (t.Kind == glenside.TypeAccess || t.Kind == glenside.TypeTensor)
}

// texts returns a digest of the text of every node of both programs: equal ones have equal digests. Texts themselves
// would be as long together as programs are deep.
func (s *sampler) texts() map[*glenside.Typing][]string {
	numbers := map[string]string{} // by what a node is made of: its operator and the digests of its operands
	out := map[*glenside.Typing][]string{}
	for _, ty := range []*glenside.Typing{s.before, s.after} {
		digests := make([]string, len(ty.Program.Nodes))
		for _, n := range ty.Program.Nodes {
			var made strings.Builder
			if n.Kind == glenside.KindCall {
				made.WriteString("call " + n.Op.Name)
			} else {
				made.WriteString("leaf " + glenside.FormatNode(n))
			}
			for _, a := range n.Args {
				made.WriteString(" " + digests[a.ID])
			}
			if numbers[made.String()] == "" {
				numbers[made.String()] = strconv.Itoa(len(numbers) + 1)
			}
			digests[n.ID] = numbers[made.String()]
		}
		out[ty] = digests
	}
	return out
}

// values returns a digest of the value of every node of both programs, or fails where that is too much work.
func (s *sampler) values(d *difference) (map[*glenside.Typing][]string, bool) {
	seed := maphash.MakeSeed()
	budget := int64(blameElements)
	out := map[*glenside.Typing][]string{}
	for _, ty := range []*glenside.Typing{s.before, s.after} {
		p := ty.Program
		if len(p.Nodes) > blameNodes {
			return nil, false
		}
		ev, err := eval.New(ty, s.arith, d.point, d.inputs)
		if err != nil {
			return nil, false
		}
		keys := make([]string, len(p.Nodes))
		for _, n := range p.Nodes {
			if !isArray(ty.Type(n)) {
				continue
			}
			dims := ev.NodeDims(n)
			size := product(dims)
			if budget -= size; budget < 0 {
				return nil, false
			}
			var h maphash.Hash
			h.SetSeed(seed)
			for _, index := range pick(dims, nil, int(size), 0, nil) {
				v, err := ev.NodeElement(n, index)
				if err != nil {
					_, _ = h.WriteString("!;") // undefined and uninterpreted elements are alike
					continue
				}
				_, _ = h.WriteString(v.String())
				_ = h.WriteByte(';')
			}
			keys[n.ID] = string(h.Sum(nil))
		}
		out[ty] = keys
	}
	return out, true
}
