package proofs_test

import (
	"fmt"

	"tv/internal/languages"
	"tv/proofs"
)

// A certificate is a statement and a witness; a checker has the readings of the languages that it knows.
func ExampleChecker_Check() {
	s := proofs.Statement{
		Before: "(input A (shape N M))\n(access-transpose (access-transpose (access A 2) (list 1 0)) (list 1 0))",
		After:  "(access A 2)",
	}
	data := proofs.Format([]proofs.Pair{{Statement: s}}) // nothing to answer: both sides are one element
	statements, err := languages.Checker.Check("example", data)
	fmt.Println(len(statements), err)

	s.After = "(access-transpose (access A 2) (list 1 0))"
	_, err = languages.Checker.Check("example", proofs.Format([]proofs.Pair{{Statement: s}}))
	fmt.Println(err != nil)
	// Output:
	// 1 <nil>
	// true
}
