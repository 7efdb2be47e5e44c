package mapping

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tv/equiv/egraph"
	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A Model gives each operator its cost. The last part of it is at least 1, so that a program costs more than its parts.
type Model struct {
	Name string

	calls bool // a program without calls is as good as the source
	node  func(x *operator, t *glenside.Type, args []*glenside.Type) egraph.Cost

	file   *source.File    // where the model is read from one
	absent map[string]bool // operators that it was asked about and has no cost for
}

// Err returns an error that names the operators that were met and have no cost, nor is there a default.
func (m *Model) Err() error {
	if len(m.absent) == 0 {
		return nil
	}
	return source.Errors{source.Errorf(source.Span{File: m.file, End: len(strings.SplitN(m.file.Text, "\n", 2)[0])}, CodeCost,
		"nothing says what these cost, and there is no default: %s", strings.Join(slices.Sorted(maps.Keys(m.absent)), " "))}
}

// Calls prefers the programs with the least work of products and pools on the host, then those with the fewest host operators,
// then those with the fewest calls.
func Calls() *Model {
	return &Model{Name: "calls", calls: true, node: func(x *operator, t *glenside.Type, args []*glenside.Type) egraph.Cost {
		c := egraph.Cost{3: 1}
		switch {
		case isCall(x.op):
			c[2] = 1
		case isHost(x.op):
			c[0], c[1] = uint64(work(x, t, args)), 1
		}
		return c
	}}
}

// Ops prefers the fewest operators, shapes and names of tensors aside.
func Ops() *Model {
	return &Model{Name: "ops", node: func(x *operator, _ *glenside.Type, _ []*glenside.Type) egraph.Cost {
		c := egraph.Cost{3: 1}
		if x.op != nil && x.op != glenside.OpAccessTensor {
			c[0] = 1
		}
		return c
	}}
}

// ParseCosts reads a cost model: "tv-cost 1", then lines "OPERATOR NUMBER [per out|in|mac]" and "default N", without which [Model.Err]
// says what was asked about in vain. Comments begin with "#". Errors: source.Errors.
func ParseCosts(f *source.File) (*Model, error) {
	type row struct {
		n   int64
		per string
	}
	rows, least := map[string]row{}, row{}
	at := 0
	for number, line := range strings.SplitAfter(f.Text, "\n") {
		start := at
		at += len(line)
		fail := func(format string, args ...any) error {
			return source.Errors{source.Errorf(source.Span{File: f, Start: start, End: start + len(strings.TrimRight(line, "\n"))},
				CodeCost, format, args...)}
		}
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if number == 0 {
			if strings.Join(words, " ") != "tv-cost 1" {
				return nil, fail("the first line of a cost model is tv-cost 1")
			}
			continue
		}
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 && (len(words) != 4 || words[2] != "per") {
			return nil, fail("a line is OPERATOR NUMBER, or OPERATOR NUMBER per out, in or mac")
		}
		n, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil || n < 0 {
			return nil, fail("a cost is a natural number, not %s", words[1])
		}
		r := row{n: n}
		if len(words) == 4 {
			if r.per = words[3]; r.per != "out" && r.per != "in" && r.per != "mac" {
				return nil, fail("a cost is per out, in or mac, not per %s", r.per)
			}
		}
		switch _, twice := rows[words[0]]; {
		case words[0] == "shape-words" && n == 0 && r.per == "":
		case words[0] == "shape-words":
			return nil, fail("shapes, lists and numbers cost nothing: shape-words 0")
		case n == 0:
			return nil, fail("an operator costs at least 1")
		case words[0] == "default" && r.per == "":
			least = r
		case glenside.LookupOp(words[0]) == nil:
			return nil, fail("there is no operator %s", words[0])
		case twice:
			return nil, fail("%s is there twice", words[0])
		default:
			rows[words[0]] = r
		}
	}
	m := &Model{Name: f.Name, file: f, absent: map[string]bool{}}
	m.node = func(x *operator, t *glenside.Type, args []*glenside.Type) egraph.Cost {
		if x.op == nil {
			return egraph.Cost{3: 1}
		}
		r, ok := rows[x.op.Name]
		if !ok {
			if r = least; r.n == 0 {
				m.absent[x.op.Name] = true
			}
		}
		times := int64(1)
		switch r.per {
		case "out":
			times = elements(t)
		case "in":
			times = 0
			for _, a := range args {
				times = added(times, elements(a))
			}
		case "mac":
			times = work(x, t, args)
		}
		return egraph.Cost{uint64(multiplied(r.n, max(times, 1))), 3: 1}
	}
	return m, nil
}

// CodeCost is the code of what is wrong with a cost model.
const CodeCost = "bad-cost-model"

// isCall tells whether an operator is a call of an accelerator.
func isCall(op *glenside.Op) bool {
	return op != nil && (op.Category == glenside.CatAccelerator || op.Category == glenside.CatHardware)
}

// moves are the operators of the core that move elements.
var moves = map[string]bool{"access-reshape": true, "access-flatten": true, "access-transpose": true, "access-pad": true,
	"access-slice": true, "access-concatenate": true, "access-windows": true, "access-squeeze": true, "access-insert-axis": true,
	"access-broadcast": true}

// isHost tells whether an operator computes or moves elements on the host. Constants do neither.
func isHost(op *glenside.Op) bool {
	return op != nil && !adopts(op) && (op.Category == glenside.CatRelay || op.Category == glenside.CatCompute || moves[op.Name])
}

// work counts the multiply-adds of a product, or the comparisons and additions of a pool, wherever it is done; 0 of what is
// neither. A pool of n numbers has n - 1 of these, as it has in halves: a call that takes pairs first does no more.
func work(x *operator, t *glenside.Type, args []*glenside.Type) int64 {
	if x.op == nil {
		return 0
	}
	out := elements(t)
	last := func(i int) int64 { return number(args[i].Dims[len(args[i].Dims)-1]) }
	switch name := x.op.Name; name {
	case "relay-dense", "relay-batch-matmul", "vta-dense", "flex-linear", "cim-gemm", "systolic-array", "systolic-array-with-blocking":
		if len(args) > 0 && len(args[0].Dims) > 0 {
			return multiplied(out, last(0))
		}
	case "flex-attention":
		return multiplied(2, elements(args[0]))
	case "relay-conv1d", "relay-conv2d", "hlscnn-conv2d":
		o := args[1].Dims[0]
		for _, s := range x.slots {
			if s != nil && s.text == "relay-kernel-layout-hwio" {
				o = args[1].Dims[len(args[1].Dims)-1]
			}
		}
		return multiplied(out, divided(elements(args[1]), number(o)))
	case "dot-product":
		if n := len(args[0].Compute()); n > 0 {
			return multiplied(out, product(args[0].Compute()[1:]))
		}
	case "reduce-max", "reduce-mean", "flex-maxpool", "flex-meanpool", "relay-global-avg-pool2d":
		return max(elements(args[0])-out, 0)
	case "relay-max-pool2d", "relay-avg-pool2d":
		for _, s := range x.slots {
			if s != nil && s.kind == shapeValue { // the first one is the window
				return multiplied(out, max(product(sizesOf(s.ints))-1, 0))
			}
		}
	default:
		if strings.HasPrefix(name, "systolic-array-conv2d") {
			o := args[0].Dims[0]
			if strings.Contains(name, "hwio") {
				o = args[0].Dims[3]
			}
			return multiplied(out, divided(elements(args[0]), number(o)))
		}
	}
	return 0
}

func number(s domain.Size) int64 {
	n, _ := s.Int64()
	return n
}

func elements(t *glenside.Type) int64 {
	if t.Kind == glenside.TypeTuple {
		n := int64(0)
		for _, item := range t.Items {
			n = added(n, elements(item))
		}
		return n
	}
	return product(t.Dims)
}

func product(dims []domain.Size) int64 {
	n := int64(1)
	for _, d := range dims {
		n = multiplied(n, number(d))
	}
	return n
}

// multiplied and added stay at the largest number where it is passed; both take natural numbers.
func multiplied(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

func added(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func divided(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return a / b
}
