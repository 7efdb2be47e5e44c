package equiv_test

import (
	"context"
	"fmt"

	"tv/equiv"
	"tv/internal/source"
	"tv/semantics/comprehension"
	"tv/semantics/glenside"
)

// Two programs in two languages, for all sizes.
func ExampleCheck() {
	before, err := glenside.Language.Parse(source.NewFile("before.sexp", `
(input A (shape M K))
(input B (shape N K))
(compute dot-product (access-cartesian-product (access A 1) (access B 1)))`))
	if err != nil {
		panic(err)
	}
	for _, product := range []string{"A(i, k) * B(j, k)", "A(j, k) * B(i, k)"} {
		after, err := comprehension.Language.Parse(source.NewFile("after.comp", `
function mm(A float32[M, K], B float32[N, K], C float32[M, N])
C(i, j) +=! `+product))
		if err != nil {
			panic(err)
		}
		r, err := equiv.Check(context.Background(), equiv.Question{Before: before, After: after}, equiv.Options{})
		if err != nil {
			panic(err)
		}
		fmt.Println(r.Verdict, r.Detail, len(r.Certificate) > 0)
	}
	// Output:
	// proved  true
	// refuted AFTER is undefined at K=1, M=1, N=2: axis 0 of A (M) is accessed from 0 to N - 1 false
}
