//go:build cgo

package smt

/*
#cgo LDFLAGS: -lz3
#include <stdlib.h>
#include <z3.h>
*/
import "C"

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/aclements/go-z3/z3"
)

// linkedVersion asks the library, for which go-z3 has no function.
func linkedVersion() string {
	var major, minor, build, revision C.uint
	C.Z3_get_version(&major, &minor, &build, &revision)
	return fmt.Sprintf("z3 %d.%d.%d", major, minor, build)
}

var (
	abandoned atomic.Int64 // calls that did not stop when they were told to
	watermark atomic.Int64 // memory bound in force, in bytes
)

const (
	// maxAbandoned is how many of them are borne. A call that goes on holds the lock of its context, and with it
	// the finalizers of the whole process.
	maxAbandoned = 2
	// contextsPerCollection bounds the memory of contexts that are no longer used, 19 MB each. Finalizers free it,
	// two collections later, and Go, which does not see it, has no reason to run them.
	contextsPerCollection = 2
	// interruptInterval is how often a call is told to stop: Z3 forgets what it is told between two of its steps.
	interruptInterval = 20 * time.Millisecond
)

// An outcome of a call: a result, or what it panicked with.
type outcome struct {
	result Result
	fault  any
}

// linked asks the linked Z3 in a context of its own, so that equal queries have equal answers. A call that ignores
// its interrupt is abandoned with its context, never waited for; after some of those it declines.
func linked(ctx context.Context, q *Query, opts Options) (Result, bool) {
	if abandoned.Load() >= maxAbandoned {
		return Result{}, false
	}
	// The bound is a number of 32 bits in the library.
	if most := min(opts.Memory, math.MaxUint32); opts.Memory > 0 && watermark.Swap(most) != most {
		setGlobal("memory_high_watermark", fmt.Sprint(most))
	}
	if Stats.Contexts.Add(1)%contextsPerCollection == 0 {
		runtime.GC()
	}
	cfg := z3.NewContextConfig()
	if opts.RLimit > 0 {
		cfg.SetUint("rlimit", uint(min(opts.RLimit, math.MaxUint32)))
	}
	zc := z3.NewContext(cfg)
	done := make(chan outcome, 1)
	go func() { done <- solve(ctx, zc, q) }()
	finish := func(o outcome) (Result, bool) {
		if o.fault != nil {
			panic(o.fault)
		}
		return o.result, true
	}
	select {
	case o := <-done:
		return finish(o)
	case <-ctx.Done():
	}
	for left := grace; left > 0; left -= interruptInterval {
		zc.Interrupt()
		select {
		case o := <-done:
			return finish(o)
		case <-time.After(interruptInterval):
		}
	}
	abandoned.Add(1)
	return Result{Reason: "timeout"}, true
}

// setGlobal sets a parameter of the library.
func setGlobal(name, value string) {
	n, v := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(v))
	C.Z3_global_param_set(n, v)
}

// solve builds the formula and checks it. go-z3 panics with the text of an error of Z3, which is recovered here and
// nowhere else.
func solve(ctx context.Context, zc *z3.Context, q *Query) (o outcome) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case string:
			o.result = Result{Reason: stopped(ctx, p), Detail: "z3: " + p}
		default:
			o.fault = p
		}
	}()
	defer release(zc)
	b := builder{zc: zc, memo: map[*form]z3.Value{}, sorts: map[sort]z3.Sort{}}
	solver := z3.NewSolver(zc)
	leaveInterrupts(zc, solver)
	used := q.used()
	for _, f := range q.list { // arguments first, so that nothing recurses
		if used[f] {
			b.memo[f] = b.make(f)
		}
	}
	for _, f := range q.assertions() {
		solver.Assert(b.memo[f].(z3.Bool))
	}
	if ctx.Err() != nil {
		return outcome{result: Result{Reason: "timeout"}}
	}
	sat, err := solver.Check()
	defer runtime.KeepAlive(b.memo) // a finalizer would wait for the call
	switch {
	case err != nil:
		return outcome{result: Result{Reason: stopped(ctx, err.Error()), Detail: "z3: " + err.Error()}}
	case sat:
		return outcome{result: b.model(q, solver.Model())}
	}
	return outcome{result: Result{Answer: Valid, Solver: linkedVersion()}}
}

// leaveInterrupts keeps Z3 from handling SIGINT while it checks. It would do so on the stack of a goroutine, tv would not
// hear of the interrupt, and what Z3 puts back afterwards is no handler that Go can run: the next interrupt ends the process
// with a fault. go-z3 has no parameters of solvers, so that the library is told itself.
func leaveInterrupts(zc *z3.Context, solver *z3.Solver) {
	c := C.Z3_context(pointerIn(reflect.ValueOf(zc)))
	name := C.CString("ctrl_c")
	defer C.free(unsafe.Pointer(name))
	params := C.Z3_mk_params(c)
	C.Z3_params_inc_ref(c, params)
	defer C.Z3_params_dec_ref(c, params)
	C.Z3_params_set_bool(c, params, C.Z3_mk_string_symbol(c, name), false)
	C.Z3_solver_set_params(c, C.Z3_solver(pointerIn(reflect.ValueOf(solver))), params)
	runtime.KeepAlive(solver)
}

// pointerIn returns what an object of go-z3 stands for in the library.
func pointerIn(object reflect.Value) unsafe.Pointer {
	return object.Elem().Field(0).Elem().FieldByName("c").UnsafePointer()
}

// release lets go of the rounding modes that a context of go-z3 remembers. They have finalizers and refer to the
// context: a cycle with finalizers is never freed.
func release(zc *z3.Context) {
	v := reflect.ValueOf(zc).Elem()
	for _, name := range []string{"roundingModeAST", "extra"} {
		f := v.FieldByName(name)
		reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().SetZero()
	}
}

// A builder makes the nodes of a formula in a context.
type builder struct {
	zc    *z3.Context
	memo  map[*form]z3.Value
	sorts map[sort]z3.Sort
}

// model reads the values of the constants.
func (b *builder) model(q *Query, m *z3.Model) Result {
	r := Result{Answer: Counterexample, Solver: linkedVersion(), Sat: true, Exact: q.exact()}
	for _, c := range q.asked() {
		var rational *big.Rat
		bits := new(big.Int)
		v := m.Eval(b.memo[c.form], true)
		ok := v != nil
		switch x := v.(type) {
		case z3.Real:
			rational, ok = x.AsBigRat()
		case z3.Bool:
			var holds bool
			if holds, ok = x.AsBool(); holds {
				bits.SetInt64(1)
			}
		case z3.BV:
			bits, ok = x.AsBigUnsigned()
		case z3.Float:
			if nan, _ := m.Eval(x.IsNaN(), true).(z3.Bool).AsBool(); nan {
				bits = specialBits(c.form.sort, "nan")
			} else {
				bits, ok = m.Eval(x.ToIEEEBV(), true).(z3.BV).AsBigUnsigned()
			}
		}
		if !ok {
			return noModel(c, fmt.Sprint(v), linkedVersion())
		}
		r.Model = append(r.Model, Assignment{Name: c.name, Tensor: c.tensor, At: c.at, Value: c.value(rational, bits)})
	}
	return r
}

func (b *builder) sort(s sort) z3.Sort {
	if x, ok := b.sorts[s]; ok {
		return x
	}
	var x z3.Sort
	switch s.kind {
	case 'b':
		x = b.zc.BoolSort()
	case 'r':
		x = b.zc.RealSort()
	case 'v':
		x = b.zc.BVSort(s.n)
	default:
		x = b.zc.FloatSort(s.n, s.m)
	}
	b.sorts[s] = x
	return x
}

var roundings = map[mode]z3.RoundingMode{
	"": z3.RoundToNearestEven, nearestEven: z3.RoundToNearestEven, nearestAway: z3.RoundToNearestAway,
	toZero: z3.RoundToZero, down: z3.RoundToNegative,
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
		return b.zc.FromBigInt(f.value.Num(), b.sort(f.sort))
	}
	args := make([]z3.Value, len(f.args))
	for i, a := range f.args {
		args[i] = b.memo[a]
	}
	switch f.op {
	case "=":
		return equal(args[0], args[1])
	case "ite":
		return args[0].(z3.Bool).IfThenElse(args[1], args[2])
	}
	b.zc.SetRoundingMode(roundings[f.mode])
	switch x := args[0].(type) {
	case z3.Bool:
		return boolean(f, x, args[1:])
	case z3.Real:
		return realNumber(f, x, args[1:])
	case z3.Float:
		return b.float(f, x, args[1:])
	case z3.BV:
		return b.vector(f, x, args[1:])
	}
	panic(unknownOperation(f))
}

func unknownOperation(f *form) error {
	return fmt.Errorf("smt: operation %s of %v", f.op, f.args[0].sort)
}

func equal(x, y z3.Value) z3.Bool {
	switch x := x.(type) {
	case z3.Bool:
		return x.Eq(y.(z3.Bool))
	case z3.Real:
		return x.Eq(y.(z3.Real))
	case z3.Float:
		return x.Eq(y.(z3.Float))
	}
	return x.(z3.BV).Eq(y.(z3.BV))
}

func boolean(f *form, x z3.Bool, args []z3.Value) z3.Value {
	switch f.op {
	case "not":
		return x.Not()
	case "and":
		return x.And(args[0].(z3.Bool))
	case "or":
		return x.Or(args[0].(z3.Bool))
	}
	panic(unknownOperation(f))
}

func realNumber(f *form, x z3.Real, args []z3.Value) z3.Value {
	if f.op == "-" && len(args) == 0 {
		return x.Neg()
	}
	y := args[0].(z3.Real)
	switch f.op {
	case "+":
		return x.Add(y)
	case "*":
		return x.Mul(y)
	case "/":
		return x.Div(y)
	case "<":
		return x.LT(y)
	case "<=":
		return x.LE(y)
	}
	panic(unknownOperation(f))
}

func (b *builder) float(f *form, x z3.Float, args []z3.Value) z3.Value {
	switch f.op {
	case "fp.isNaN":
		return x.IsNaN()
	case "fp.isInfinite":
		return x.IsInfinite()
	case "fp.isZero":
		return x.IsZero()
	case "fp.neg":
		return x.Neg()
	case "fp.sqrt":
		return x.Sqrt()
	case "fp.roundToIntegral":
		return x.Round(roundings[f.mode])
	case "fp.to_sbv":
		return x.ToSBV(f.params[0])
	case "fp.to_ubv":
		return x.ToUBV(f.params[0])
	case "to_fp":
		return x.ToFloat(b.sort(f.sort))
	}
	y := args[0].(z3.Float)
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
	panic(unknownOperation(f))
}

func (b *builder) vector(f *form, x z3.BV, args []z3.Value) z3.Value {
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
		if f.mode == "" { // of the bits
			return x.IEEEToFloat(b.sort(f.sort))
		}
		return x.SToFloat(b.sort(f.sort))
	}
	y := args[0].(z3.BV)
	switch f.op {
	case "bvadd":
		return x.Add(y)
	case "bvsub":
		return x.Sub(y)
	case "bvmul":
		return x.Mul(y)
	case "bvudiv":
		return x.UDiv(y)
	case "bvsdiv":
		return x.SDiv(y)
	case "bvsrem":
		return x.SRem(y)
	case "bvshl":
		return x.Lsh(y)
	case "bvashr":
		return x.SRsh(y)
	case "bvlshr":
		return x.URsh(y)
	case "bvult":
		return x.ULT(y)
	case "bvule":
		return x.ULE(y)
	case "bvslt":
		return x.SLT(y)
	case "bvsle":
		return x.SLE(y)
	}
	panic(unknownOperation(f))
}
