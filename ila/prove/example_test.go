package prove_test

import (
	"context"
	"fmt"

	"tv/hwmodels"
	"tv/ila/prove"
)

// A driver's program, at sizes, computes its contract for all values of its tensors.
func ExampleVerify() {
	d, ok := hwmodels.Carrier("vta-dense")
	if !ok {
		panic("no driver carries it out")
	}
	task, err := d.New([]int{16, 16, 16})
	if err != nil {
		panic(err)
	}
	r, err := prove.Verify(context.Background(), task)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Verdict)
	// Output: proved
}
