package loops

import (
	"fmt"
	"maps"
	"testing"
)

// unrolled is a loop in steps of n·step, whose body is n times that of a counter. What is wrong is of one of them.
func unrolled(n, step int, lo, hi any, wrong int, body func(i *Int, wrong bool) []Stmt) *Procedure {
	return vectors("NM", steps(lo, hi, n*step, func(i *For) (out []Stmt) {
		for k := range n {
			at := integer0(i)
			if k > 0 {
				at = plus(k*step, i)
			}
			out = append(out, body(at, k == wrong)...)
		}
		return out
	}))
}

// bodies are iterations. The last one of a wrong loop is another.
var bodies = map[string]func(i *Int, wrong bool) []Stmt{
	"subscript": func(i *Int, wrong bool) []Stmt {
		if wrong {
			i = plus(i, 1)
		}
		return []Stmt{add(y.at(div(i, 2)), read(x.at(div(plus(i, i), 3))))}
	},
	"statements": func(i *Int, wrong bool) []Stmt {
		list := []Stmt{set(y.at(i), read(x.at(i))), add(z.at(div(i, 2)), read(y.at(i)))}
		if wrong {
			list[0], list[1] = list[1], list[0]
		}
		return list
	},
	"branches and loops": func(i *Int, wrong bool) []Stmt {
		ends := map[bool]any{false: minus(i, "M"), true: minus("M", i)}
		return []Stmt{&If{Cond: less(ends[wrong], 3), Then: []Stmt{each(0, ends[wrong], func(j *For) Stmt {
			return add(y.at(div(j, 2)), of(DataMul, read(x.at(times(j, 2))), read(y.at(div(i, 3)))))
		})}, Else: one(set(z.at(div(i, 4)), zero))}}
	},
	"locals": func(i *Int, wrong bool) []Stmt {
		t := buffer("t", real32, "2")
		from := map[bool]int{false: 1, true: 0}
		return []Stmt{&Alloc{Buffer: t}, set(t.at(0), read(x.at(i))), set(t.at(1), read(y.at(div(i, 2)))),
			set(y.at(i), read(t.at(from[wrong])))}
	},
}

// leaves is what a procedure leaves at sizes.
func leaves(p *Procedure, n, m int64) string {
	out, err := run(p, map[string]int64{"N": n, "M": m})
	if err != nil {
		return err.Error()
	}
	var text string
	for _, q := range p.Params {
		text += fmt.Sprint(out.cells[q])
	}
	return text
}

// TestUnrolled tests law 10 by itself: what was rolled leaves what it left before, errors among it, and what is no
// iteration again and again keeps its step.
func TestUnrolled(t *testing.T) {
	for name, body := range maps.All(bodies) {
		for _, n := range []int{2, 4} {
			for _, step := range []int{1, 2} {
				for _, lo := range []any{0, 1, "M"} {
					for _, hi := range []any{"N", minus("N", n*step-1), times(div("N", n*step), n*step)} {
						for _, wrong := range []int{-1, n - 1, 1} {
							before, after := unrolled(n, step, lo, hi, wrong, body), unrolled(n, step, lo, hi, wrong, body)
							after.roll()
							got := after.Body[0].(*For).Step.N.Int64()
							if right := wrong < 0; right && got != int64(step) || !right && n < 4 && got != int64(n*step) {
								t.Fatalf("%s, %d times, step %d, wrong %d: a step of %d", name, n, step, wrong, got)
							}
							for size := int64(1); size < 14; size++ {
								if x, y := leaves(before, size, 2), leaves(after, size, 2); x != y {
									t.Fatalf("%s, %d times, step %d from %v to %v at %d: %s against %s", name, n, step, lo, hi, size, x, y)
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestUnrolledOutside: a local that is read behind the loop does not go.
func TestUnrolledOutside(t *testing.T) {
	var last *Buffer
	p := unrolled(2, 1, 0, "N", -1, func(i *Int, _ bool) []Stmt {
		last = buffer("t", real32)
		return []Stmt{&Alloc{Buffer: last}, set(last.at(), read(x.at(i)))}
	})
	p.Body = append(p.Body, set(y.at(0), read(last.at())))
	if p.roll(); p.Body[0].(*For).Step.N.Int64() != 2 {
		t.Error("rolled")
	}
}
