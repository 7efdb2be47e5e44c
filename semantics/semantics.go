// Package semantics is the seam between languages and everything that asks about their programs: tv's engines, campaigns
// and reports know a program by what is said here, and nothing of its syntax.
//
//	Language    a row of the registry: name, extensions, how a text is read and printed
//	Source      a text that was read, but not typed
//	Program     a typed text: conditions, inputs, results, parts; its evaluator and its lowering
//	Part        what is known of a subterm: operands, dims, cost
//	Evaluator   elements of one program at a point of its domain, exactly
//	Lowered     the results of one program as arrays of terms
//
// A language has an evaluator and a lowering that share no code: each is tested against the other. The checker of
// certificates reads texts by itself (package proofs). doc/languages.md says how to add a language.
package semantics

import (
	"fmt"
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
	"tv/semantics/value"
)

// A Language is one that programs are written in.
type Language struct {
	Name       string   // in certificates, reports and --lang
	Extensions []string // of its files, with the dot
	Exact      bool     // programs compute bit for bit alone
	Functions  bool     // a text may have several, of which [source.File.Function] is meant
	Parse      func(*source.File) (Source, error)
	Format     func(Source) string      // the text in canonical layout; nil: none
	Generator  func(seed uint64) []byte // a random program; nil: none
	// Like lists the words one of which may stand where another does, such as operators with the same operands; nil: the text
	// has numbers, names and signs alone.
	Like func(word string) []string
}

// A Nested is a Source that knows the calls around a place of its text.
type Nested interface {
	// Around lists the lists or calls that the byte at an offset is in, innermost first.
	Around(offset int) []Enclosing
}

// An Enclosing is a call around some place of a text, or a list that is no value by itself, such as a shape.
type Enclosing struct {
	Span    source.Span
	Name    string // of what is called
	Operand int    // which operand the place is in, from 0; -1: none
	Value   bool   // it has a value
}

// A Source is a text that was read.
type Source interface {
	Language() *Language
	File() *source.File
	// Root is the place of what the program returns.
	Root() source.Span
	// Declarations are what the text declares, assumes and names.
	Declarations() domain.Declarations
	// Reads names the tensors that the text reads.
	Reads() []string
	// Signature is what the program is called with.
	Signature() Signature
	// Infer declares the tensors of a program that declares none. Errors: source.Errors.
	Infer() (*domain.Env, error)
	// Type types the program under declarations. Errors: source.Errors.
	Type(*domain.Env) (Program, error)
}

// A Computer is a Program that computes in element types that none of its parts may have.
type Computer interface{ Computes() []domain.Elem }

// A Stepper is a Program that takes many elements at a time: sizes near such numbers are those at which it does something else.
type Stepper interface{ Numbers() []int64 }

// Constants is a Program that knows the numbers that its elements are made of or compared with.
type Constants interface{ Constants() []*big.Rat }

// A Debtor is a Program that owes more than its conditions show: how often it owes each of what doc/loops.md names.
type Debtor interface{ Obligations() []Obligation }

// An Obligation is what a program owes, such as "bounds", and at how many places of its text.
type Obligation struct {
	Name  string
	Count int
}

// A Breach is an error that says which of its obligations a call did not meet: "bounds".
type Breach interface {
	error
	Breached() string
	Place() source.Span
}

// An Ender is a Program of which it can be asked how a call ends, whatever is known of its conditions: nil, an error that wraps a
// Breach, or one that says that nobody knows.
type Ender interface {
	Ends(a value.Arith, pt domain.Point, in value.Inputs) error
}

// An Overlap puts two parameters into one memory: Of begins Distance elements behind where Behind does, or before it.
type Overlap struct {
	Of       string `json:"of"` // by their names in the question
	Behind   string `json:"behind"`
	Distance int64  `json:"distance"`
}

// String prints "C begins 1 element behind A".
func (o Overlap) String() string {
	n, way := o.Distance, "behind"
	switch {
	case n == 0:
		return fmt.Sprintf("%s begins where %s does", o.Of, o.Behind)
	case n < 0:
		n, way = -n, "before"
	}
	elements := "elements"
	if n == 1 {
		elements = "element"
	}
	return fmt.Sprintf("%s begins %d %s %s %s", o.Of, n, elements, way, o.Behind)
}

// An Overlapper is a Program with parameters that may overlap.
type Overlapper interface {
	// Overlaps lists pairs of them, each at no distance yet.
	Overlaps() []Overlap
	// Overlapped is the program called with such parameters, to be evaluated.
	Overlapped(Overlap) Program
}

// A Worker is an Evaluator whose work is not only that it reads inputs.
type Worker interface {
	// Worked returns what else it did since it was asked last, as a number of elements read.
	Worked() int
	// Bound sets how much of that it may do for the elements of one input, 0 for any amount. It returns false where nothing is
	// known of any element then, whatever the inputs are.
	Bound(most int) bool
}

// A Chronicle is an Evaluator of a procedure that knows who wrote an element of the result last.
type Chronicle interface {
	// LastWrite returns it; the place is zero where nobody wrote the element. An error is that of [Evaluator.Element].
	LastWrite(path []int, index []int64) (Write, error)
}

// A Write is one execution of a statement.
type Write struct {
	Cell      string      // "C[7,0]"
	At        source.Span // of the statement; the zero value: none
	Iteration string      // of the loops around, outermost first: "i = 7, j = 0"
}

// String prints "a.c:6:9 writes C[7,0] last, at i = 7, j = 0".
func (w Write) String() string {
	switch {
	case w.At.File == nil:
		return "nothing writes " + w.Cell
	case w.Iteration == "":
		return fmt.Sprintf("%s writes %s last", w.At.Position(), w.Cell)
	}
	return fmt.Sprintf("%s writes %s last, at %s", w.At.Position(), w.Cell, w.Iteration)
}

// A Remarker is a Source that has something to say which is no error, such as what was read over.
type Remarker interface{ Remarks() source.Errors }

// An Assumer is a Source that can be asked about under further conditions on its sizes.
type Assumer interface {
	Assuming([]*domain.Assume) Source
}

// A Sketcher is a Source that has a program even where what it owes is no condition on sizes that tv can state. Such a program can
// be run, and is refuted by what it does; nothing holds of it for all sizes. The error, source.Errors, says what is not
// stated, nil where all is: then the program is that of Type. Without a program it says why there is none.
type Sketcher interface {
	Sketch(*domain.Env) (Program, error)
}

// A Runner is a Source that can be typed for less where the program is run and nothing else: none of what it owes is a condition.
type Runner interface {
	Run(*domain.Env) (Program, error)
}

// An Observer is a procedure of which the contents of parameters can be asked for that it does not write.
type Observer interface{ Observing(names []string) Source }

// A Signless program has parameters of integers that are bits. Unsigned has those of some be numbers without a sign.
type Signless interface{ Unsigned(names []string) Source }

// Signed gives parameters of integers that are bits the sign that those have that they are bound to; of says which parameter of
// BEFORE one of AFTER is.
func Signed(before, after Source, of func(Parameter) (Parameter, bool)) (Source, Source) {
	var here, there []string
	for _, y := range after.Signature().Parameters {
		x, ok := of(y)
		switch {
		case !ok || x.Elem.Width != y.Elem.Width:
		case y.Signless && x.Elem.Kind == domain.ElemUint && !x.Signless:
			there = append(there, y.Name)
		case x.Signless && y.Elem.Kind == domain.ElemUint && !y.Signless:
			here = append(here, x.Name)
		}
	}
	if s, ok := before.(Signless); ok && len(here) > 0 {
		before = s.Unsigned(here)
	}
	if s, ok := after.(Signless); ok && len(there) > 0 {
		after = s.Unsigned(there)
	}
	return before, after
}

// A Sizer is a procedure some of whose parameters may be sizes where another program has them for such: Sized makes them so, or returns
// nil where they cannot be.
type Sizer interface{ Sized(names []string) Source }

// A Signature says what a program is given and what it writes.
type Signature struct {
	Procedure bool   // the contents of parameters before the call become those after it
	Ordered   bool   // parameters have places; otherwise they are known by name
	RowMajor  bool   // parameters are their contents in row-major order: they bind to tensors of other ranks and as many elements
	Function  string // which one of the text it is, where that may have several
	// Storage names the parameters that a caller could have overlap, where that could change what happens: the program is read
	// as if they did not.
	Storage    []string
	Parameters []Parameter
	Sizes      []SizeParameter
}

// A SizeParameter is a size that a program is given beside tensors.
type SizeParameter struct {
	Name  string
	Place int // how many tensors are given before it
	Span  source.Span
}

// A Parameter is a tensor that a program is given. Inputs are those that it never writes.
type Parameter struct {
	Name     string
	Typed    bool          // the fields below; otherwise it is what it is bound to
	Dims     []domain.Size // in the program's own sizes
	Elem     domain.Elem
	Read     bool // its contents before the call can be seen
	Written  bool // it is a tensor of the result
	Signless bool // integers are bits, with a sign or without one as what it is bound to has them
	Unsized  bool // Dims[0] is a name, which stands for what makes it as large as what it is bound to
	Span     source.Span
}

// A Program is a typed text. It is immutable and may be used from several goroutines.
type Program interface {
	Source() Source
	// Conditions are those on named sizes under which the program is well formed; those on numbers hold.
	Conditions() []Condition
	// Inputs are the tensors that the program reads, in the order of first occurrence.
	Inputs() []domain.Tensor
	// Result is the type of what the program returns.
	Result() *Type
	// Parts are the subterms, operands before what is made of them and the root last: Parts()[i].Operands are less than i.
	// They must not be changed. A language without stages and blame has none.
	Parts() []Part
	// At is the place of a part.
	At(part int) source.Span
	// Text is a part as it is written, on one line.
	Text(part int) string
	// Line is a part as a list of all parts has it: its type, and its text, in which operands that have a line too are
	// written as name says. What is written where it stands, such as a number, has no type.
	Line(part int, name func(part int) string) (typ, text string)
	// Sizes are the sizes that the text has where the language wants integers.
	Sizes() []domain.Size
	// Limits are those of the sizes that the text is meant for.
	Limits() domain.Limits
	// Depth is how deep calls nest: 1 for one whose operands are none. What is lowered recurses so deep.
	Depth() int
	// Evaluate prepares the program for evaluation at a point. It fails, with a *source.Error, where the program is ill
	// formed at the point or a tensor is too large.
	Evaluate(value.Arith, domain.Point, value.Inputs, Standing) (Evaluator, error)
	// Lower makes terms of the results. Both programs of a question are lowered with one builder.
	Lower(*term.Builder, LowerOptions) (*Lowered, error)
}

// A Condition is one on named sizes under which a part of a program is well formed.
type Condition struct {
	Pred *domain.Pred
	Part int
	Code string // of the error that its failure is: "window-too-long"
	Msg  string // its message, in terms of the program's sizes: "window 3 is longer than axis 0 (N)"

	// Of what a procedure owes: the obligation, "bounds", and where.
	Owed string
	At   source.Span
}

// A Type is that of a result: a tensor, or a tuple of types.
type Type struct {
	Tuple bool
	Items []*Type // of a tuple
	Dims  []domain.Size
	Split int // how many of the dims are iterated over, where the language says so; 0 otherwise
	Elem  domain.Elem
	Text  string // as the language writes it
}

// A Component is a tensor of a result.
type Component struct {
	Path []int // of indices into tuples; empty where the program returns a tensor
	*Type
}

// Components lists the tensors of a result, from left to right.
func (t *Type) Components() []Component { return t.components(nil) }

func (t *Type) components(path []int) (out []Component) {
	if !t.Tuple {
		return []Component{{path, t}}
	}
	for i, item := range t.Items {
		out = append(out, item.components(append(slices.Clip(path), i))...)
	}
	return out
}

// Paths lists the components of a result: one empty path unless it is a tuple.
func (t *Type) Paths() (out [][]int) {
	for _, c := range t.Components() {
		out = append(out, c.Path)
	}
	return out
}

// A Part is what stages, samples and blame know of a subterm.
type Part struct {
	Name     string // of the operator, or what a leaf is written as
	Leaf     bool   // nothing is applied: a name, a number, a word
	Applies  bool   // what it computes is told by its name and its operands
	Input    string // the name of the input that a leaf stands for, or empty
	Inner    string // which of what a call computes on the way it is, that no text stands for; empty for a subterm
	Operands []int  // other parts, in order
	Tensor   bool   // has elements: the fields below, and Dims and Element of an Evaluator
	Dims     []domain.Size
	Split    int // as of a Type
	Elem     domain.Elem
	Cost     Cost
	Divides  []int        // operands that are divided by, or under a root
	Of       domain.Kinds // element types that have what is applied
}

// mostMissing bounds the errors about one program.
const mostMissing = 20

// Suits says where a program applies a function to elements of a type that does not have it. A type has what real numbers
// have under Real alone: exp of an int8 has no meaning bit for bit, nor has a shift of a float. Errors: source.Errors.
func Suits(p Program, a domain.Arith) error {
	var errs source.Errors
	for i, part := range p.Parts() {
		if a == domain.Real || !part.Tensor || part.Of.Has(part.Elem) || len(errs) == mostMissing {
			continue
		}
		errs = append(errs, source.Errorf(p.At(i), "missing-function", "%s has no %s in the arithmetic %s: convert first, "+
			"or ask with --arith real", part.Elem, part.Name, a))
	}
	if len(errs) == 0 {
		return nil
	}
	slices.SortStableFunc(errs, func(x, y *source.Error) int { return x.Span.Start - y.Span.Start })
	return errs
}

// Cost says what an operator does to the elements of its operands.
type Cost uint8

const (
	Moves    Cost = iota // elements of the operands at other places, and constants
	Scales               // sums and products of two elements, each from its operand
	Sums                 // whatever else the normal form expands through, or takes as it is
	Function             // functions that no law distributes over sums
	Enclosed             // functions whose values are known by enclosures alone
)

// Standing are parts that stand as input tensors of the names given: what they are made of does not count.
type Standing map[int]string

// An Evaluator computes elements of one program, exactly. It is not safe for concurrent use.
type Evaluator interface {
	// Dims returns the dims of a component of the result, which must not be changed.
	Dims(path []int) []int64
	// Element returns an element of a component. Errors wrap value.ErrUndefined, value.ErrUndecided, a
	// *value.UninterpretedError or what the inputs failed with.
	Element(path []int, index []int64) (value.Value, error)
	// PartDims returns the dims of a part that is a tensor.
	PartDims(part int) []int64
	// PartElement returns an element of a part that is a tensor; errors as of Element.
	PartElement(part int, index []int64) (value.Value, error)
	// Reset forgets every element: whoever changes what the inputs give calls it before asking again.
	Reset()
}

// LowerOptions are the parameters of a lowering.
type LowerOptions struct {
	Arith domain.Arith                  // whose exact element types have sorts of their own; all others are real
	Size  func(name string) *index.Expr // the expression that a named size stands for
	Part  int                           // the part to lower; with Whole, the program
	Whole bool
	Cuts  Standing // parts that stand as tensors
}

// Lowered is a program as arrays of terms.
type Lowered struct {
	Components []LoweredComponent
	Idealised  []string // accelerator calls that were given their ideal meaning, sorted, each once
	Opaque     []string // symbols that the arithmetic does not interpret, sorted, each once
}

// A LoweredComponent is a tensor of a result as an array of terms.
type LoweredComponent struct {
	Path  []int
	Array term.Array
}
