package equiv

import (
	"time"

	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/semantics"
	"tv/semantics/domain"
)

// Verdict is the answer to a question; the zero value is Unknown.
type Verdict uint8

const (
	Unknown Verdict = iota
	Proved
	Refuted
)

// String returns "unknown", "proved" or "refuted".
func (v Verdict) String() string { return [...]string{"unknown", "proved", "refuted"}[v] }

// Arith is the arithmetic of a question.
type Arith = domain.Arith

const (
	Real  = domain.Real  // every element is a real number or MIN
	Exact = domain.Exact // bit for bit in the element types
	Auto  = domain.Auto  // floats are real numbers, all others bit for bit
)

// Equality is what equal means.
type Equality uint8

const (
	Tensor Equality = iota // same dims and values
	Access                 // the same split as well
	Bits                   // of circuits: the same outputs, bit for bit, at every cycle
)

// String returns "tensor", "access" or "bits".
func (e Equality) String() string { return [...]string{"tensor", "access", "bits"}[e] }

// Options are the parameters of a question. The zero value asks with the defaults of the command line.
type Options struct {
	Equal   Equality
	Arith   Arith
	Tensors []Declaration // from --shapes and --input, in that order
	Timeout time.Duration // 0: 60 s
	RLimit  uint64        // Z3 resource units a query; 0: the default
	Memory  int64         // bytes; 0: 4 GiB
	Steps   int           // of the engines of tv's own, as they count them; 0: DefaultSteps
	Solver  string        // "z3", "cvc5", "auto" or "none"; empty: "auto"
	Explain bool          // collect the normal forms and steps for Result.Explanation
	Seed    uint64        // of the sample engine; 0: the default
	Memos   Memos         // what earlier answers left, for questions with a certificate and without Explain; nil: nothing

	// For those who count verdicts by the hundred, and for what is asked beside a question.
	Uncertified bool // a proof stands without a certificate that the checker accepts
	Unmended    bool // of a rule that is refuted no guard is looked for under which it is right
	FirstOnly   bool // nor is it asked whether it is right wherever both sides are well formed
	Unblamed    bool // of a refutation no token of AFTER is looked for with which the programs agree

	of       *Case // a rule; nil: a pair of programs
	runsFrom int64 // added to the sizes of the runs that relations of recurrences are guessed from
}

// A Case is what is asked of a pair that is a case of a rule: sizes may all be 0, and there is no exactness line.
type Case struct {
	WhereBoth bool // only where AFTER is well formed as well, with the type of BEFORE
	ProofOnly bool // an answer other than a proof is of no use: nothing is spent on a refutation
}

// SearchSteps returns how many points may be looked at for members of a domain.
func (c *Case) SearchSteps() int {
	if c != nil && c.ProofOnly {
		return sizes.FewSteps
	}
	return sizes.SearchSteps
}

// A Declaration of a tensor from outside the program texts.
type Declaration struct {
	domain.Input
	Origin string // "--input" or the name of the shapes file
	Weak   bool   // from a shapes file: ignored where no program reads the name
}

// An Obligation is what a program owes, and at how many places.
type Obligation = semantics.Obligation

// A Result answers one question. Its fields are those of a result in the JSON report.
type Result struct {
	Before, After string // file names as given
	SHA256        string // of the statement: both texts, declarations, arithmetic, equality
	Verdict       Verdict
	Reason        string // of an unknown: timeout, rlimit, memory, unsupported, incomplete; of a refutation: values, shape, type, split, undefined
	Detail        string // one line: what was left, or what differs
	Failed        string // of a refutation of a procedure: the obligation that AFTER does not meet, such as "bounds"
	Form          bool   // of a refutation: AFTER is not well formed there, or of another type
	Engine        string // type, sample, normal-form, enumerate, smt
	Arith         Arith
	Types         []TypeArith // the element types, in the order in which they first occur, and how they are taken
	Equal         Equality
	Domain        []string // one condition each: "N >= 3", "16 | K"; empty: a single point
	Bound         string   // who of AFTER is who of BEFORE, where names differ: "by position: A = X, N = 2*K"
	// Owed is what BEFORE and AFTER owe besides, of programs of which that is known: see semantics.Debtor.
	Owed           [2][]Obligation
	Disjoint       string // tensors that are taken not to overlap: "A, B, C"; empty: none that could
	Order          string // of a machine's program, whose units run side by side: "in program order"; else empty
	Exact          []ExactVerdict
	RestsOn        []Contract
	Idealised      []string     // accelerator calls taken by their ideal meaning
	Trusts         []string     // "z3 4.8.12"
	Where          []string     // definedness: "D[i] != 0"
	Certificate    []byte       // of a proof, but with Options.Uncertified: what the checker accepted
	Point          domain.Point // of a proof over named sizes: a point at which both programs were run
	Counterexample *sample.Counterexample
	Blame          []sample.Blame
	Regions        []string // the boxes of the output that differ on random inputs, where they are known
	Explanation    []string // with Options.Explain
	Stats          Stats
	Elapsed        time.Duration
}

// An ExactVerdict says whether a proof in real arithmetic holds bit for bit in an element type.
type ExactVerdict struct {
	Type    domain.Elem
	Verdict string                 // yes, no, unknown
	Reason  string                 // of an unknown: as of a verdict, or deep: the stages of the proof do not tell; of a no: values
	Witness *sample.Counterexample // of a no
}

// A Contract is an accelerator contract that a verdict rests on.
type Contract struct {
	Name    string
	Verdict Verdict
}

// Stats count work in units that do not depend on the machine.
type Stats struct {
	Nodes    int // distinct nodes of both programs
	Terms    int // terms built
	Queries  int // solver queries
	Contexts int // Z3 contexts created
	Samples  int // output elements evaluated
}

func (s *Stats) Add(o Stats) {
	s.Nodes += o.Nodes
	s.Terms += o.Terms
	s.Queries += o.Queries
	s.Contexts += o.Contexts
	s.Samples += o.Samples
}
