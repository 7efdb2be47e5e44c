package machine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/glenside"
	"tv/ila"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A Contract says, bit by bit, what an accelerator call computes where a driver carries it out: as Glenside. In
// the exact arithmetic the call stands for that text, so that the engines, the evaluator and the checker of
// certificates know one language only.
type Contract struct {
	Call     string      // of accelerator-call
	Operands []string    // as the driver names its tensors; "": it is not read, and the driver has none
	Literals []string    // numbers that a call has after them, where the contract is for these alone
	Dims     [][]string  // of the operands: sizes by name
	Elem     domain.Elem // of all operands; of others the machine has no numerics
	Meaning  string      // with the operands as $1, $2
	// Sizes are those that the driver takes, from the dims of the operands.
	Sizes func(dims [][]domain.Size) []domain.Size
}

// The contracts of VTA and FlexASR. What machines add up in 32 bits stands in a type of 32 bits, where it wraps: the
// products of AdaptivFloat<8,3> of bias 0 are multiples of 2^-28, sums of Q6.14 numbers before they are cut have 18 bits
// before the point.
var contracts = []Contract{{
	Call:     "cim-gemm",
	Operands: []string{"a", "b", ""},
	Literals: []string{"1", "0"},
	Dims:     [][]string{{"m", "k"}, {"k", "n"}, {"m", "n"}},
	Elem:     domain.Elem{Kind: domain.ElemInt, Width: 8},
	Meaning:  cimProduct,
	Sizes:    ofMatrices,
}, {
	Call:     "cim-gemm",
	Operands: []string{"a", "b", "c"},
	Literals: []string{"1", "1"},
	Dims:     [][]string{{"m", "k"}, {"k", "n"}, {"m", "n"}},
	Elem:     domain.Elem{Kind: domain.ElemInt, Width: 8},
	Meaning:  "(access (relay-operator-call relay-add " + cimProduct + " $3) 2)",
	Sizes:    ofMatrices,
}, {
	Call:     "flex-linear",
	Operands: []string{"x", "w", "bias"},
	Dims:     [][]string{{"m", "k"}, {"n", "k"}, {"n"}},
	Elem:     adaptive83,
	Meaning: "(relay-operator-call relay-cast (relay-operator-call relay-cast (relay-operator-call relay-clip " +
		"(relay-operator-call relay-add (relay-operator-call relay-cast " +
		"(compute dot-product (access-cartesian-product (access (relay-operator-call relay-cast $1 fix4.28) 1) " +
		"(access (relay-operator-call relay-cast $2 fix4.28) 1))) fix18.14) " +
		"(relay-operator-call relay-cast $3 fix18.14)) -31.99993896484375 31.99993896484375) fix6.14) adaptive8.3)",
	Sizes: ofProduct,
}, {
	Call:     "flex-maxpool",
	Operands: []string{"x"},
	Dims:     [][]string{{"t", "h"}},
	Elem:     adaptive83,
	Meaning: "(relay-operator-call relay-cast (access (compute reduce-max (access-windows " +
		"(access (relay-operator-call relay-cast $1 fix6.14) 0) (shape 2 1) (shape 2 1))) 0) adaptive8.3)",
	Sizes: func(dims [][]domain.Size) []domain.Size { return dims[0] },
}, {
	Call:     "flex-meanpool",
	Operands: []string{"x"},
	Dims:     [][]string{{"t", "h"}},
	Elem:     adaptive83,
	Meaning: "(relay-operator-call relay-cast (access (relay-operator-call relay-right-shift (compute reduce-sum (access-windows " +
		"(access (relay-operator-call relay-cast $1 fix2.15) 0) (shape 2 1) (shape 2 1))) 1) 0) adaptive8.3)",
	Sizes: func(dims [][]domain.Size) []domain.Size { return dims[0] },
}, {
	Call:     "vta-dense",
	Operands: []string{"a", "w"},
	Dims:     [][]string{{"m", "k"}, {"n", "k"}},
	Elem:     domain.Elem{Kind: domain.ElemInt, Width: 8},
	Meaning: "(relay-operator-call relay-cast (relay-operator-call relay-clip (relay-operator-call relay-right-shift " +
		"(compute dot-product (access-cartesian-product (access (relay-operator-call relay-cast $1 int32) 1) " +
		"(access (relay-operator-call relay-cast $2 int32) 1))) 8) -127 127) int8)",
	Sizes: ofProduct,
}}

// cimProduct is the product of two matrices of int8, whose sums wrap.
const cimProduct = "(compute dot-product (access-cartesian-product (access $1 1) (access (access-transpose $2 (list 1 0)) 1)))"

// adaptive83 is the element type of FlexASR.
var adaptive83 = domain.Elem{Kind: domain.ElemAdaptive, Width: 8, Frac: 3}

// ofProduct returns m, n and k of operands (m k) and (n k).
func ofProduct(dims [][]domain.Size) []domain.Size {
	return []domain.Size{dims[0][0], dims[1][0], dims[0][1]}
}

// ofMatrices returns m, n and k of operands (m k) and (k n).
func ofMatrices(dims [][]domain.Size) []domain.Size {
	return []domain.Size{dims[0][0], dims[1][1], dims[0][1]}
}

// Name names the contract by its call, "vta-dense", and the numbers that it is for: "cim-gemm(1, 0)".
func (c *Contract) Name() string {
	if len(c.Literals) == 0 {
		return c.Call
	}
	return c.Call + "(" + strings.Join(c.Literals, ", ") + ")"
}

// of tells whether a call of so many numbers after its operands, as they are spelled, is the contract's.
func (c *Contract) of(call string, spelled []string) bool {
	if c.Call != call || len(spelled) < len(c.Literals) {
		return false
	}
	for i, text := range c.Literals {
		want, _ := glenside.ParseDecimal(text)
		if n, ok := glenside.ParseDecimal(spelled[i]); !ok || n.Cmp(want) != 0 {
			return false
		}
	}
	return true
}

// Contracts returns the contracts, sorted by the names of their calls.
func Contracts() []Contract { return slices.Clone(contracts) }

// declare returns the contract on operands of the given dims as the text of a program.
func (c *Contract) declare(dims [][]string) string {
	var b strings.Builder
	for i, name := range c.Operands {
		if name == "" {
			continue
		}
		fmt.Fprintf(&b, "(input %s (shape %s) %s)\n", name, strings.Join(dims[i], " "), c.Elem)
	}
	return b.String() + c.on(c.Operands)
}

// CheckContract proves or refutes that the program of a driver computes the contract, for the sizes of the task.
// The tensors of the task are named as the contract's operands.
func CheckContract(ctx context.Context, c *Contract, task *ila.Task, opts equiv.Options) (equiv.Result, error) {
	dims := make([][]string, len(c.Operands))
	for _, x := range task.Inputs {
		if i := slices.Index(c.Operands, x.Name); i >= 0 {
			for _, n := range x.Dims {
				dims[i] = append(dims[i], strconv.Itoa(n))
			}
		}
	}
	p, err := glenside.Parse(source.NewFile(c.Call, c.declare(dims)))
	if err != nil {
		return equiv.Result{}, err
	}
	opts.Tensors, opts.Explain = nil, false
	return Check(ctx, p, task, Options{Options: opts})
}

// on returns the meaning on operands. It is of one line, so that what follows keeps its line.
func (c *Contract) on(operands []string) string {
	var pairs []string
	for i, text := range operands {
		pairs = append(pairs, "$"+string(rune('1'+i)), text)
	}
	return strings.NewReplacer(pairs...).Replace(c.Meaning)
}

// A Use is an accelerator call that its contract stands for.
type Use struct {
	Contract *Contract
	Sizes    []domain.Size // that the driver takes
}

// String prints the call and its sizes: "vta-dense 16x32x16".
func (u Use) String() string {
	parts := make([]string, len(u.Sizes))
	for i, s := range u.Sizes {
		parts[i] = s.String()
	}
	return u.Contract.Name() + " " + strings.Join(parts, "x")
}

// ApplyContracts returns two programs in which contracts stand for the accelerator calls that have one, and the
// uses that it made of them, each once. A call with operands of another element type than the contract's, or with
// literals for an operand, stays, and so do all of that name: they remain uninterpreted. Programs that cannot be typed are returned as they are.
func ApplyContracts(before, after *glenside.Program, outside []equiv.Declaration) (b, a *glenside.Program, uses []Use) {
	env, err := equiv.Environment(language.Sources(before, after), outside)
	if err != nil {
		return before, after, nil
	}
	fit := map[string]*Contract{}
	for i := range contracts {
		fit[contracts[i].Name()] = &contracts[i]
	}
	for _, p := range []*glenside.Program{before, after} {
		ty, err := glenside.Check(p, env)
		if err != nil {
			return before, after, nil
		}
		for _, n := range p.Nodes {
			if c := callOf(n); c != nil {
				use, ok := c.use(ty, n)
				if !ok {
					delete(fit, c.Name())
				}
				if !slices.ContainsFunc(uses, func(u Use) bool { return u.String() == use.String() }) {
					uses = append(uses, use)
				}
			}
		}
	}
	uses = slices.DeleteFunc(uses, func(u Use) bool { return fit[u.Contract.Name()] == nil })
	if len(uses) == 0 {
		return before, after, nil
	}
	b, errB := expandProgram(before, fit)
	a, errA := expandProgram(after, fit)
	if errB != nil || errA != nil {
		return before, after, nil
	}
	return b, a, uses
}

// callOf returns the contract that a node is a call of, or nil.
func callOf(n *glenside.Node) *Contract {
	if n.Kind != glenside.KindCall || n.Op.Category != glenside.CatAccelerator {
		return nil
	}
	for i := range contracts {
		var spelled []string
		for _, a := range n.Args[min(len(contracts[i].Operands), len(n.Args)):] {
			spelled = append(spelled, a.Text)
		}
		if contracts[i].of(n.Op.Name, spelled) {
			return &contracts[i]
		}
	}
	return nil
}

// use returns what a call asks of the contract's driver; ok is false where its operands are of another type.
func (c *Contract) use(ty *glenside.Typing, n *glenside.Node) (use Use, ok bool) {
	dims := make([][]domain.Size, len(c.Operands))
	for i := range c.Operands {
		t := ty.Type(n.Args[i])
		if adopted := ty.Adopted(n.Args[i]); adopted && (i == 0 || !zeros(n.Args[i])) || !adopted && t.Elem != c.Elem {
			return Use{Contract: c}, false
		}
		dims[i] = t.Dims
	}
	return Use{c, c.Sizes(dims)}, true
}

// zeros tells whether an operand is relay-zeros, which are the same in every type. Other literals are not: in the
// text of a contract they would be used otherwise than in the call, and so be of another type.
func zeros(n *glenside.Node) bool {
	return n.Kind == glenside.KindCall && n.Op.Category == glenside.CatRelay && n.Op.Name == "relay-zeros"
}

// expandProgram returns a program with contracts for calls. Declarations and assumes are those of p, which may
// have more than its text: a step of a chain inherits some.
func expandProgram(p *glenside.Program, fit map[string]*Contract) (*glenside.Program, error) {
	text := expand(p.File.Text, fit, false)
	if text == p.File.Text {
		return p, nil
	}
	q, err := glenside.Parse(source.NewFile(p.File.Name, text))
	if err != nil {
		return nil, err
	}
	q.Inputs, q.Assumes = p.Inputs, p.Assumes
	return q, nil
}

// expand replaces calls in a text of lists by the meaning of their contracts and keeps the lines. In rule files
// text in double quotes is no list.
func expand(text string, fit map[string]*Contract, quotes bool) string {
	x := &expander{text: text, fit: fit, quotes: quotes}
	var b strings.Builder
	for x.at < len(x.text) {
		b.WriteString(x.gap())
		b.WriteString(x.item())
	}
	return b.String()
}

type expander struct {
	text   string
	at     int
	fit    map[string]*Contract
	quotes bool
}

// gap takes blanks and comments.
func (x *expander) gap() string {
	start := x.at
	for x.at < len(x.text) {
		switch c := x.text[x.at]; {
		case c == ';':
			for x.at < len(x.text) && x.text[x.at] != '\n' {
				x.at++
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			x.at++
		default:
			return x.text[start:x.at]
		}
	}
	return x.text[start:]
}

// item takes an atom, a list or a closing bracket that closes nothing, and returns it with calls replaced.
func (x *expander) item() string {
	if x.at == len(x.text) {
		return ""
	}
	start := x.at
	switch c := x.text[x.at]; {
	case c == '(':
		return x.list()
	case c == ')':
		x.at++
		return ")"
	case c == '"' && x.quotes:
		if end := strings.IndexByte(x.text[x.at+1:], '"'); end >= 0 {
			x.at += end + 2
			return x.text[start:x.at]
		}
		x.at = len(x.text)
		return x.text[start:]
	}
	for x.at < len(x.text) && !strings.ContainsRune("(); \t\r\n", rune(x.text[x.at])) {
		x.at++
	}
	return x.text[start:x.at]
}

func (x *expander) list() string {
	x.at++
	var gaps, items []string
	for {
		gaps = append(gaps, x.gap())
		if x.at == len(x.text) || x.text[x.at] == ')' {
			break
		}
		items = append(items, x.item())
	}
	closing := ""
	if x.at < len(x.text) {
		closing = ")"
		x.at++
	}
	if len(items) >= 2 && items[0] == "accelerator-call" {
		if c := x.contract(items[1], items[2:]); c != nil {
			// line breaks before an operand stay before it
			operands := slices.Clone(items[2 : 2+len(c.Operands)])
			operands[0] = lineBreaks(gaps[0]+gaps[1]+gaps[2]) + operands[0]
			for i := range operands[1:] {
				operands[i+1] = lineBreaks(gaps[3+i]) + operands[i+1]
			}
			last := len(operands) - 1
			operands[last] += lineBreaks(strings.Join(gaps[3+last:], ""))
			return c.on(operands)
		}
	}
	var b strings.Builder
	b.WriteByte('(')
	for i, item := range items {
		b.WriteString(gaps[i] + item)
	}
	b.WriteString(gaps[len(items)] + closing)
	return b.String()
}

// contract returns that of a call with the given operands, as they are written, or nil.
func (x *expander) contract(call string, operands []string) *Contract {
	for _, c := range x.fit { // at most one is of the call
		if n := len(c.Operands); len(operands) >= n && c.of(call, operands[n:]) {
			return c
		}
	}
	return nil
}

func lineBreaks(gap string) string { return strings.Repeat("\n", strings.Count(gap, "\n")) }
