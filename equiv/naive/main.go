//go:build cgo

// Command naive proves a blocked matmul the obvious way, for comparison: every element of both results is one Z3
// term over the elements of the inputs, and Z3 is asked whether some element differs. It prints how long building
// the terms and checking them took, as JSON. Usage: naive N SECONDS, for N by N matrices in blocks of 16.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/aclements/go-z3/z3"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: naive N SECONDS")
		os.Exit(2)
	}
	n, errN := strconv.Atoi(os.Args[1])
	seconds, errS := strconv.Atoi(os.Args[2])
	if errN != nil || errS != nil || n <= 0 || n%16 != 0 {
		fmt.Fprintln(os.Stderr, "naive: N must be a multiple of 16 and SECONDS a number")
		os.Exit(2)
	}
	// the clock covers building too: a run that does not come to the check has no answer either
	time.AfterFunc(time.Duration(seconds)*time.Second, func() {
		report(n, time.Duration(seconds)*time.Second, 0, "none")
		os.Exit(0)
	})
	start := time.Now()
	ctx := z3.NewContext(z3.NewContextConfig())
	solver := z3.NewSolver(ctx)
	matrix := func(name string) [][]z3.Real {
		m := make([][]z3.Real, n)
		for i := range m {
			m[i] = make([]z3.Real, n)
			for j := range m[i] {
				m[i][j] = ctx.RealConst(fmt.Sprintf("%s_%d_%d", name, i, j))
			}
		}
		return m
	}
	a, b := matrix("A"), matrix("B")
	dot := func(i, j, lo, hi int) z3.Real {
		sum := a[i][lo].Mul(b[lo][j])
		for k := lo + 1; k < hi; k++ {
			sum = sum.Add(a[i][k].Mul(b[k][j]))
		}
		return sum
	}
	differ := ctx.FromBool(false)
	for i := range n {
		for j := range n {
			blocked := dot(i, j, 0, 16)
			for k := 16; k < n; k += 16 {
				blocked = blocked.Add(dot(i, j, k, k+16))
			}
			differ = differ.Or(dot(i, j, 0, n).NE(blocked))
		}
	}
	solver.Assert(differ)
	built := time.Since(start)
	start = time.Now()
	sat, err := solver.Check()
	answer := map[bool]string{true: "refuted", false: "proved"}[sat]
	if err != nil {
		answer = "unknown"
	}
	report(n, built, time.Since(start), answer)
}

func report(n int, build, check time.Duration, answer string) {
	out := map[string]any{"n": n, "build_ms": build.Milliseconds(), "check_ms": check.Milliseconds(), "answer": answer}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		os.Exit(2)
	}
}
