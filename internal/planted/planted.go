// Package planted names faults that tests plant in the prover. It is there to see that what stands behind the
// prover notices: the checker of certificates accepts no proof that a faulty prover gives, and the soundness hunt of
// package fuzz finds every fault.
//
//	Fault  a place in the prover that goes wrong while the fault is planted
//	Plant  plants one, in tests only
//	All    lists them
//
// The prover (semantics/index, semantics/glenside/lower, equiv and equiv/normal) asks [Fault.Here] where it could go wrong. The
// checker, the finder of answers and the reference evaluator do not import this package; internal/archtest holds that,
// and that nothing but tests plants anything. For each fault testdata/planted has a false pair that it proves.
package planted

import "sync/atomic"

// A Fault is a place in the prover that may be made to go wrong. The zero value is none.
type Fault int32

// The faults, by what the prover forgets or takes for true.
const (
	None                Fault = iota
	AbsorbUnchecked           // a condition narrows a range whose ends it may exceed
	CountDropped              // an unused variable leaves a sum without its count
	EmptyMaximum              // an unused variable leaves a maximum though it may have no place
	OverlapInSum              // overlapping windows are one range in a sum as in a maximum
	DigitsUnchecked           // a variable is split into digits by a radix that does not divide its range
	CutUncovered              // the second half of a range that is cut is left out
	RegionUncovered           // the region of the output in which a cut holds is not compared
	DuplicateMerged           // equal summands count once in a sum as in a maximum
	SignLost                  // the negative of a value is the value
	NegativeContent           // a negative factor is taken out of a maximum
	MaximumIsSum              // a maximum is a sum
	MinimumInIntegers         // min(a, b) = -max(-a, -b) where integers wrap
	FloatsAsIntegers          // sums of floats may be re-associated
	InverseOfZero             // 0 may be divided by
	NeedsOfValues             // what AFTER's values divide by is not asked for
	NeedsOfSizes              // conditions on sizes under which AFTER is well formed are not asked for
	DomainOfAfter             // conditions on sizes under which AFTER is well formed are part of the domain
	CasesDropped              // of a domain that is a disjunction one case is looked at
	LeastSizes                // sizes that may be 0 are at least 1
	TypesIgnored              // element types are not compared
	SplitsIgnored             // splits are not compared
	LengthsIgnored            // lengths of axes are not compared
	FirstComponent            // of a tuple one component is compared
	StaleHash                 // reads are told apart by a hash that was taken before their offsets were known
	ConditionDropped          // the condition of a conditional term is dropped
	BoundOffByOne             // the first part of a concatenation has a place too many
	InversePermutation        // a permutation is taken for its inverse
	RemainderDropped          // (g·x + y) div (g·k) = x div k whatever y is
	ModulusOfBytes            // coefficients count modulo 2^8 in every type
	LowestIsNumber            // MIN is a number
	OperandsIgnored           // functions without laws are told apart by their first operand
	EmptyProduct              // a product of zeros is 0 though it may have no factor
	AllPositive               // reads are positive
	MaximumOfFloats           // max commutes in floats
	OneOrder                  // of two members of a maximum one order is looked at
	PinnedOutside             // a variable that conditions fix need not lie in its range
	GatheredWithin            // an index that is gathered lies within its axis
	WideningDistributes       // a conversion to a wider integer keeps sums and products
	SignedRelu                // relu of a signed integer is the integer
	TermsGathered             // terms of a maximum lose their values where a condition of theirs is gathered
	StageUnproved             // subterms with the same values at samples are cut without a proof
	CutHasValue               // the elements of a cut have a value
	CutOfLowest               // a cut may hold MIN
	PeeledFromOne             // a sum of one float is that of none and the float
	InfinityIsLeast           // no maximum of floats is below MIN
	BoundCaptured             // a polynomial inside an atom keeps the names of its variables where others have them
	NegativeFactor            // a factor of any sign is taken out of a maximum
	FallsAsRises              // a function that falls is taken out of a maximum as one that rises
	NarrowingRises            // a conversion to a narrower integer rises
	numFaults
)

// names are those of the files in testdata/planted.
var names = [numFaults]string{
	None:                "none",
	AbsorbUnchecked:     "absorb-unchecked",
	CountDropped:        "count-dropped",
	EmptyMaximum:        "empty-maximum",
	OverlapInSum:        "overlap-in-sum",
	DigitsUnchecked:     "digits-unchecked",
	CutUncovered:        "cut-uncovered",
	RegionUncovered:     "region-uncovered",
	DuplicateMerged:     "duplicate-merged",
	SignLost:            "sign-lost",
	NegativeContent:     "negative-content",
	MaximumIsSum:        "maximum-is-sum",
	MinimumInIntegers:   "minimum-in-integers",
	FloatsAsIntegers:    "floats-as-integers",
	InverseOfZero:       "inverse-of-zero",
	NeedsOfValues:       "needs-of-values",
	NeedsOfSizes:        "needs-of-sizes",
	DomainOfAfter:       "domain-of-after",
	CasesDropped:        "cases-dropped",
	LeastSizes:          "least-sizes",
	TypesIgnored:        "types-ignored",
	SplitsIgnored:       "splits-ignored",
	LengthsIgnored:      "lengths-ignored",
	FirstComponent:      "first-component",
	StaleHash:           "stale-hash",
	ConditionDropped:    "condition-dropped",
	BoundOffByOne:       "bound-off-by-one",
	InversePermutation:  "inverse-permutation",
	RemainderDropped:    "remainder-dropped",
	ModulusOfBytes:      "modulus-of-bytes",
	LowestIsNumber:      "lowest-is-number",
	OperandsIgnored:     "operands-ignored",
	EmptyProduct:        "empty-product",
	AllPositive:         "all-positive",
	MaximumOfFloats:     "maximum-of-floats",
	OneOrder:            "one-order",
	PinnedOutside:       "pinned-outside",
	GatheredWithin:      "gathered-within",
	WideningDistributes: "widening-distributes",
	SignedRelu:          "signed-relu",
	TermsGathered:       "terms-gathered",
	StageUnproved:       "stage-unproved",
	CutHasValue:         "cut-has-value",
	CutOfLowest:         "cut-of-lowest",
	PeeledFromOne:       "peeled-from-one",
	InfinityIsLeast:     "infinity-is-least",
	BoundCaptured:       "bound-captured",
	NegativeFactor:      "negative-factor",
	FallsAsRises:        "falls-as-rises",
	NarrowingRises:      "narrowing-rises",
}

// String returns the name of the fault's file in testdata/planted: "absorb-unchecked".
func (f Fault) String() string { return names[f] }

var here atomic.Int32

// Here reports whether f is planted.
func (f Fault) Here() bool { return Fault(here.Load()) == f }

// Plant plants f, instead of what was planted before, and returns the function that removes it. The whole process has
// one fault at a time: tests that plant do not run in parallel.
func Plant(f Fault) (remove func()) {
	here.Store(int32(f))
	return func() { here.Store(int32(None)) }
}

// All returns the faults in the order of their declaration.
func All() []Fault {
	var out []Fault
	for f := None + 1; f < numFaults; f++ {
		out = append(out, f)
	}
	return out
}
