package mapped

import (
	"fmt"
	"slices"
	"strings"

	"tv/glenside"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A contract says of a call of an accelerator what it computes bit by bit, at the sizes at which a
// program of the machine is known to (doc/machines.md, "Contracts of accelerator calls"). To every
// certificate the call is any function, so what the contract says of it contradicts none.
type contract struct {
	elem    string           // of its operands, which are matrices
	meaning string           // of $1 and $2
	sizes   func([]int) bool // of m, n and k: $1 is m by k, $2 n by k
}

var contracts = map[string]contract{"vta-dense": {
	elem: "int8",
	meaning: "(relay-operator-call relay-cast (relay-operator-call relay-clip " +
		"(relay-operator-call relay-right-shift (compute dot-product (access-cartesian-product " +
		"(access (relay-operator-call relay-cast $1 int32) 1) " +
		"(access (relay-operator-call relay-cast $2 int32) 1))) 8) -127 127) int8)",
	sizes: func(s []int) bool {
		m, n, k := s[0], s[1], s[2]
		return m >= 1 && n >= 16 && k >= 16 && n%16 == 0 && k%16 == 0 && k/16 <= 1023 &&
			(n/16)*(k/16) <= 1024 && m*(k/16) <= 2048 && m*(n/16) <= 2048
	},
}}

// byContract says of which call, and at which sizes, an instance states the contract: one side is
// the call, and the other the meaning, of the same operands. It is "" where that is not so.
func byContract(left, right program) string {
	for _, sides := range [][2]program{{left, right}, {right, left}} {
		meaning, call := sides[0], sides[1]
		n := call.Program.Root
		if n.Kind != glenside.KindCall || n.Op.Category != glenside.CatAccelerator {
			continue
		}
		c, known := contracts[n.Op.Name]
		if !known || len(n.Args) != 2 {
			continue
		}
		sizes, fit := productSizes(c.elem, call.Type(n.Args[0]), call.Type(n.Args[1]))
		if !fit || !c.sizes(sizes) {
			continue
		}
		// both at once: the text of an operand may hold the sign of the other
		var operands []string
		for i, a := range n.Args {
			operands = append(operands, fmt.Sprintf("$%d", i+1), call.File.Text[a.Start:a.End])
		}
		text := strings.NewReplacer(operands...).Replace(c.meaning)
		env, err := glenside.MergeEnv([]*glenside.Program{left.Program})
		if err != nil {
			algebra.Fail(algebra.CodeStatement, "%v", err)
		}
		if stated := typed("the contract", text, env); identical(stated, meaning) {
			return fmt.Sprintf("%s %dx%dx%d", n.Op.Name, sizes[0], sizes[1], sizes[2])
		}
	}
	return ""
}

// productSizes returns m, n and k of matrices of m by k and n by k.
func productSizes(elem string, x, w *glenside.Type) (sizes []int, ok bool) {
	for _, t := range []*glenside.Type{x, w} {
		if t.Kind != glenside.TypeAccess || t.Elem.String() != elem || len(t.Dims) != 2 {
			return nil, false
		}
	}
	for _, d := range []domain.Size{x.Dims[0], w.Dims[0], x.Dims[1]} {
		n, number := d.Int64()
		if !number || n > maxSize {
			return nil, false
		}
		sizes = append(sizes, int(n))
	}
	return sizes, x.Dims[1].Equal(w.Dims[1])
}

// identical tells whether two programs are one: their nodes have the same operators, leaves and
// types.
func identical(p, q program) bool {
	same := func(a, b *glenside.Node) bool {
		if a.Kind != b.Kind || a.Op != b.Op || a.Text != b.Text || !alike(p.Type(a), q.Type(b)) {
			return false
		}
		return a.Kind != glenside.KindInt || a.Int.Equal(b.Int)
	}
	var walk func(a, b *glenside.Node) bool
	walk = func(a, b *glenside.Node) bool {
		return same(a, b) && slices.EqualFunc(a.Args, b.Args, walk)
	}
	return walk(p.Program.Root, q.Program.Root)
}
