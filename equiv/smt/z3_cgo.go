//go:build cgo

package smt

/*
#cgo LDFLAGS: -lz3
#include <z3.h>
*/
import "C"

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"sync/atomic"
	"time"

	"github.com/aclements/go-z3/z3"
)

func init() {
	inProcess = linked
	linkedVersion = func() string { // go-z3 does not wrap it
		var major, minor, build, revision C.uint
		C.Z3_get_version(&major, &minor, &build, &revision)
		return fmt.Sprintf("z3 %d.%d.%d", major, minor, build)
	}
}

// abandoned counts calls that did not stop when they were told to; their contexts are left behind.
var abandoned atomic.Int64

// maxAbandoned is how many of them are borne before solvers are run as processes.
const maxAbandoned = 2

// linked asks the linked Z3. A call that ignores its interrupt is abandoned, never waited for.
func linked(ctx context.Context, q *Query, opts Options) Result {
	if abandoned.Load() >= maxAbandoned {
		return external(ctx, "z3", q, opts)
	}
	Stats.Contexts.Add(1)
	cfg := z3.NewContextConfig()
	if opts.RLimit > 0 {
		cfg.SetUint("rlimit", uint(min(opts.RLimit, math.MaxUint32)))
	}
	zc := z3.NewContext(cfg)
	done := make(chan Result, 1)
	go func() { done <- solve(zc, q, opts) }()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
	}
	zc.Interrupt()
	select {
	case <-done:
	case <-time.After(grace):
		abandoned.Add(1)
	}
	return Result{Reason: "timeout"}
}

// solve builds the formula and checks it. go-z3 panics on errors of Z3, which are recovered here and nowhere else.
func solve(zc *z3.Context, q *Query, opts Options) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			r = Result{Reason: "incomplete"}
		}
	}()
	zc.SetRoundingMode(z3.RoundToNearestEven)
	b := builder{zc: zc, memo: map[*form]z3.Value{}}
	solver := z3.NewSolver(zc)
	solver.Assert(b.value(q.formula).(z3.Bool))
	sat, err := solver.Check()
	switch {
	case err != nil && opts.RLimit > 0:
		return Result{Reason: "rlimit"}
	case err != nil:
		return Result{Reason: "incomplete"}
	case sat:
		return Result{Answer: Satisfiable, Solver: linkedVersion()}
	}
	return Result{Answer: Valid, Solver: linkedVersion()}
}

type builder struct {
	zc   *z3.Context
	memo map[*form]z3.Value
}

func (b *builder) sort(s sort) z3.Sort {
	switch s.kind {
	case 'b':
		return b.zc.BoolSort()
	case 'r':
		return b.zc.RealSort()
	case 'v':
		return b.zc.BVSort(s.n)
	}
	return b.zc.FloatSort(s.n, s.m)
}

func (b *builder) value(f *form) z3.Value {
	if v, ok := b.memo[f]; ok {
		return v
	}
	v := b.make(f)
	b.memo[f] = v
	return v
}

func (b *builder) make(f *form) z3.Value {
	switch f.op {
	case "true", "false":
		return b.zc.FromBool(f.op == "true")
	case "const":
		return b.zc.Const(f.name, b.sort(f.sort))
	case "num":
		if f.sort.kind == 'r' {
			return b.zc.FromBigRat(f.value)
		}
		return b.zc.FromBigInt(new(big.Int).Set(f.value.Num()), b.sort(f.sort))
	}
	args := make([]z3.Value, len(f.args))
	for i, a := range f.args {
		args[i] = b.value(a)
	}
	switch f.op {
	case "not":
		return args[0].(z3.Bool).Not()
	case "and":
		return args[0].(z3.Bool).And(args[1].(z3.Bool))
	case "=":
		switch x := args[0].(type) {
		case z3.BV:
			return x.Eq(args[1].(z3.BV))
		case z3.Float:
			return x.Eq(args[1].(z3.Float))
		case z3.Real:
			return x.Eq(args[1].(z3.Real))
		}
	case "ite":
		return args[0].(z3.Bool).IfThenElse(args[1], args[2])
	}
	switch f.args[0].sort.kind {
	case 'r':
		return b.real(f, args)
	case 'f':
		return b.float(f, args)
	}
	return b.vector(f, args)
}

func (b *builder) real(f *form, args []z3.Value) z3.Value {
	x := args[0].(z3.Real)
	if f.op == "-" && len(args) == 1 {
		return x.Neg()
	}
	y := args[1].(z3.Real)
	switch f.op {
	case "+":
		return x.Add(y)
	case "*":
		return x.Mul(y)
	case "<":
		return x.LT(y)
	}
	panic(fmt.Sprintf("smt: %s of reals", f.op))
}

func (b *builder) float(f *form, args []z3.Value) z3.Value {
	x := args[0].(z3.Float)
	switch f.op {
	case "fp.isNaN":
		return x.IsNaN()
	case "fp.neg":
		return x.Neg()
	case "fp.sqrt":
		return x.Sqrt()
	case "fp.to_sbv":
		b.zc.SetRoundingMode(z3.RoundToZero)
		defer b.zc.SetRoundingMode(z3.RoundToNearestEven)
		return x.ToSBV(f.params[0])
	}
	y := args[1].(z3.Float)
	switch f.op {
	case "fp.add":
		return x.Add(y)
	case "fp.mul":
		return x.Mul(y)
	case "fp.div":
		return x.Div(y)
	case "fp.lt":
		return x.LT(y)
	case "fp.leq":
		return x.LE(y)
	}
	panic(fmt.Sprintf("smt: %s of floats", f.op))
}

func (b *builder) vector(f *form, args []z3.Value) z3.Value {
	x := args[0].(z3.BV)
	switch f.op {
	case "bvneg":
		return x.Neg()
	case "sign_extend":
		return x.SignExtend(f.params[0])
	case "zero_extend":
		return x.ZeroExtend(f.params[0])
	case "extract":
		return x.Extract(f.params[0], f.params[1])
	case "to_fp":
		if f.name == "bits" {
			return x.IEEEToFloat(b.sort(f.sort))
		}
		return x.SToFloat(b.sort(f.sort))
	}
	y := args[1].(z3.BV)
	switch f.op {
	case "bvadd":
		return x.Add(y)
	case "bvmul":
		return x.Mul(y)
	case "bvudiv":
		return x.UDiv(y)
	case "bvsdiv":
		return x.SDiv(y)
	case "bvshl":
		return x.Lsh(y)
	case "bvashr":
		return x.SRsh(y)
	case "bvlshr":
		return x.URsh(y)
	case "bvslt":
		return x.SLT(y)
	case "bvult":
		return x.ULT(y)
	}
	panic(fmt.Sprintf("smt: %s of bit-vectors", f.op))
}
