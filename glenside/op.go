package glenside

import (
	"fmt"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// An Op is a row of the operator table, which drives the parser, the shape rules, the lowering and
// doc/operators.md.
type Op struct {
	Name     string   // Glenside's token: "access-windows", "dot-product", "relay-add"
	Aliases  []string // other spellings accepted: the paper's, and what Glenside prints but cannot read
	Category Category
	Operands []Operand
	Shapes   string       // operand and result shapes, for the reference
	Meaning  string       // element formula, for the reference
	Example  string       // a complete small program, for the reference; a test parses, types and evaluates it
	Cost     Cost         // what it does to elements, for those who weigh programs
	Divides  []int        // operands that it divides by or takes roots of
	Of       domain.Kinds // element types that have it, where elements are what their bits say (doc/semantics.md 6.10)

	typ   func(*call) *Type
	elems elemRule
	sized bool // makes a shape, a list or a literal: no tensor, and nothing that a definition may be of
	index int
	least int // number of operands that cannot be left out
	rest  int // index of the variadic operand, or -1
}

// Cost says what an operator does to the elements of its operands: what proving and evaluating it takes.
type Cost uint8

const (
	Moves    Cost = iota + 1 // elements of the operands at other places, and constants
	Scales                   // sums and products of two elements, each from its operand
	Sums                     // whatever else the normal form expands through, or takes as it is
	Function                 // functions that no law distributes over sums
	Enclosed                 // functions whose values are known by enclosures alone
)

// Category says how a call is spelt.
type Category uint8

const (
	CatCore        Category = iota // (access-windows ...)
	CatCompute                     // (compute dot-product ...)
	CatHardware                    // (systolic-array ...)
	CatRelay                       // (relay-operator-call relay-add ...)
	CatAccelerator                 // (accelerator-call flex-linear ...)
)

// callWords are the words before the name of an operator.
var callWords = [...]string{
	CatCompute: "compute", CatRelay: "relay-operator-call", CatAccelerator: "accelerator-call",
}

// An Operand describes one operand of an operator.
type Operand struct {
	Name     string
	Sort     Sort
	Optional bool     // may be left out (and so may all that follow)
	Variadic bool     // any number, none included; the last operand but in relay-stack, flex-lstm and its cells
	Signed   bool     // of SortInt: may be negative
	Words    []string // of SortToken: those accepted; nil means the element types
}

// Sort is the sort of an operand.
type Sort uint8

const (
	SortAccess      Sort = iota // an access pattern; in the paper's spelling a tensor name too
	SortTensor                  // a raw tensor
	SortInt                     // an integer or a size expression; negative only where the operator says so
	SortShape                   // a list of sizes
	SortAccessShape             // two shapes, or any access pattern
	SortList                    // a list of integers
	SortFloat                   // a decimal literal, or an integer where one is meant
	SortLiteral                 // a (literal F)
	SortTuple
	SortToken // a word, one of those that the operator knows
	SortAny
	SortSections // an integer or a list of integers
)

var sortNames = [...]string{
	SortAccess: "an access pattern", SortTensor: "a tensor name", SortInt: "an integer", SortShape: "a shape",
	SortAccessShape: "an access shape", SortList: "a list", SortFloat: "a number", SortLiteral: "a literal",
	SortTuple: "a tuple", SortToken: "a word", SortAny: "a value", SortSections: "an integer or a list",
}

// String returns a noun phrase: "an access pattern".
func (s Sort) String() string { return sortNames[s] }

// Ops returns the operator table in the order of the reference. It must not be changed.
func Ops() []*Op { return table }

// LookupOp returns the operator with the given canonical name, or nil.
func LookupOp(name string) *Op { return byName[name] }

// LookupSpelling returns the operator of a category that a spelling stands for, Glenside's or the paper's; core and
// hardware operators are found under either of their categories. The result is nil where there is none.
func LookupSpelling(c Category, spelling string) *Op { return spellings[c][spelling] }

// CallCategory returns the category of the calls that a word begins, such as compute; CatCore for other words.
func CallCategory(word string) Category {
	for c, name := range callWords {
		if name != "" && name == word {
			return Category(c)
		}
	}
	return CatCore
}

// OperandAt returns operand i of a call with n operands, or nil where that is one too many.
func (op *Op) OperandAt(i, n int) *Operand { return op.operand(i, n) }

// Accepts tells whether a call may have n operands.
func (op *Op) Accepts(n int) bool { return n >= op.least && (op.rest >= 0 || n <= len(op.Operands)) }

// Arity says how many operands a call has: "1 operand", "2 or 3 operands", "at least 1 operand".
func (op *Op) Arity() string { return op.arity() }

// Head returns how a call begins: "compute relu", "access".
func (op *Op) Head() string { return op.head() }

var (
	table  = slices.Concat(coreOps, computeOps, hardwareOps, relayOps, acceleratorOps)
	byName = indexOps()
	// spellings holds the names and aliases of each category; those of core and hardware are in one.
	spellings = spellingsOf()

	// The operators that the parser itself makes calls of.
	OpShape          = byName["shape"]
	OpList           = byName["list"]
	OpAccessTensor   = byName["access-tensor"]
	OpLiteral        = byName["literal"]
	OpConstantTensor = byName["constant-tensor"]
)

func indexOps() map[string]*Op {
	index := make(map[string]*Op, len(table))
	for i, op := range table {
		op.index = i
		op.rest = slices.IndexFunc(op.Operands, func(o Operand) bool { return o.Variadic })
		for _, o := range op.Operands {
			if !o.Optional && !o.Variadic {
				op.least++
			}
		}
		if index[op.Name] != nil {
			panic("glenside: two operators are called " + op.Name)
		}
		index[op.Name] = op
	}
	return index
}

func spellingsOf() [CatAccelerator + 1]map[string]*Op {
	var all [CatAccelerator + 1]map[string]*Op
	for c := range all {
		all[c] = map[string]*Op{}
	}
	all[CatHardware] = all[CatCore]
	for _, op := range byName {
		for _, name := range append([]string{op.Name}, op.Aliases...) {
			all[op.Category][name] = op
		}
	}
	return all
}

// operand returns the i-th of n operands of a call, or nil where there are too many. With the number still
// unknown (n < 0), those after a variadic operand count as variadic.
func (op *Op) operand(i, n int) *Operand {
	if op.rest >= 0 && i >= op.rest {
		after := len(op.Operands) - 1 - op.rest
		if n < 0 || i < n-after {
			return &op.Operands[op.rest]
		}
		i += len(op.Operands) - n
	}
	if i < 0 || i >= len(op.Operands) {
		return nil
	}
	return &op.Operands[i]
}

// afterRest returns the integer operand that follows a variadic one, or nil.
func (op *Op) afterRest() *Operand {
	if i := op.rest + 1; i < len(op.Operands) && op.Operands[i].Sort == SortInt {
		return &op.Operands[i]
	}
	return nil
}

// head returns how a call begins: "compute relu", "access".
func (op *Op) head() string {
	if w := op.Category.callWord(); w != "" {
		return w + " " + op.Name
	}
	return op.Name
}

// callWord returns the word before the name, or "".
func (c Category) callWord() string {
	if int(c) < len(callWords) {
		return callWords[c]
	}
	return ""
}

// arity returns "1 operand", "2 or 3 operands", "at least 1 operand".
func (op *Op) arity() string {
	count := fmt.Sprint(op.least)
	most := op.least
	switch {
	case op.rest >= 0:
		count = "at least " + count
	case len(op.Operands) > op.least:
		most = len(op.Operands)
		count = fmt.Sprintf("%d or %d", op.least, most)
	}
	if most == 1 {
		return count + " operand"
	}
	return count + " operands"
}

// operands reads a signature such as "x:access axis:int": a name, a sort, and after it "?" for an operand
// that may be left out or "*" for any number. A signed integer has the sort "signed", a word that is not an
// element type "a|b|c".
func operands(signature string) []Operand {
	list := make([]Operand, 0, strings.Count(signature, " ")+1)
	for field := range strings.FieldsSeq(signature) {
		name, sort, _ := strings.Cut(field, ":")
		o := Operand{Name: name}
		sort, o.Optional = strings.CutSuffix(sort, "?")
		sort, o.Variadic = strings.CutSuffix(sort, "*")
		switch sort {
		case "signed":
			o.Sort, o.Signed = SortInt, true
		case "type":
			o.Sort = SortToken
		default:
			s, ok := sortWords[sort]
			if !ok {
				s, o.Words = SortToken, strings.Split(sort, "|")
			}
			o.Sort = s
		}
		list = append(list, o)
	}
	return list
}

var sortWords = map[string]Sort{
	"access": SortAccess, "tensor": SortTensor, "int": SortInt, "shape": SortShape, "ashape": SortAccessShape,
	"list": SortList, "float": SortFloat, "literal": SortLiteral, "tuple": SortTuple, "any": SortAny,
	"sections": SortSections,
}

// The words of several operators.
const (
	padTypes      = "zero-padding|min-padding"
	layouts       = "relay-activation-layout-nchw|relay-activation-layout-nhwc"
	kernelLayouts = "relay-kernel-layout-oihw|relay-kernel-layout-hwio"
)

const layoutNCHW, layoutNHWC = "relay-activation-layout-nchw", "relay-activation-layout-nhwc"
const kernelOIHW = "relay-kernel-layout-oihw"

// elemRule says how the element types of operands and result of an operator hang together.
type elemRule uint8

const (
	elemsAgree elemRule = iota // the access operands have one, which is the result's
	elemsFree                  // the shape rule says
)
