package loops

import "testing"

// TestCarried tests law 13 by itself: with scalars for what iterations carry a procedure leaves what it left before, errors among it;
// where the element is not that of the iteration before, or another statement writes it, there is none.
func TestCarried(t *testing.T) {
	for _, step := range []int{1, 2, -1, -2} {
		for _, lo := range []any{0, 2, "M", "N"} {
			for _, hi := range []any{"N", minus("N", 3), 1} {
				for _, back := range []int{step, 0, step + 1, -step} {
					for beside := range 5 {
						text := func() *Procedure {
							return vectors("NM", steps(lo, hi, step, func(i *For) []Stmt {
								at := func(k int) *Int { return plus(k+4, integer0(i)) }
								value := of(DataAdd, read(x.at(at(0))), read(y.at(at(-back))))
								if beside > 2 { // what the element was before, or that of the iteration to come
									value = of(DataSub, value, read(y.at(at((beside-3)*step))))
								}
								list := []Stmt{set(y.at(at(0)), value), add(z.at(at(1)), read(y.at(at(0))))}
								switch beside {
								case 1:
									list = append(list, set(y.at(5), zero))
								case 2:
									list = append(list, each(0, 2, func(j *For) Stmt { return add(x.at(at(0)), read(y.at(at(0)))) }))
								}
								return list
							}))
						}
						before, after := text(), text()
						after.Body = carry(after.Body)
						_, carried := after.Body[0].(*If)
						if want := back == step && beside != 1 && beside != 4; carried != want {
							t.Fatalf("step %d, back %d, beside %d: carried %t", step, back, beside, carried)
						}
						for size := int64(1); size < 8; size++ {
							if p, q := leaves(before, size, 3), leaves(after, size, 3); p != q {
								t.Fatalf("step %d from %v to %v, back %d at %d: %s against %s", step, lo, hi, back, size, p, q)
							}
						}
					}
				}
			}
		}
	}
}

// TestInside tests law 15 by itself: a nest whose outermost loop is put inside leaves what it left before, errors among it, and none is
// put inside where the element that is read is not that of the outermost loop's iteration before, or others write it too.
func TestInside(t *testing.T) {
	moved, kept := 0, 0
	for _, step := range []int{1, 2, -1} {
		for _, inner := range []int{1, -1, 3} {
			for _, back := range []int{step, 0, step + 1, -step} {
				for _, aside := range []int{0, 1} {
					for _, at := range []func(i, j *For) []any{ // where it writes
						func(i, j *For) []any { return []any{i, j} },
						func(i, j *For) []any { return []any{minus("N", j), i} },
						func(i, j *For) []any { return []any{plus(i, j), j} }, // no subscript for i alone
						func(i, j *For) []any { return []any{i, 3} },          // j is in none
						func(i, j *For) []any { return []any{plus(i, div(j, 2)), j} },
						func(i, j *For) []any { return []any{i, times(2, j)} },
					} {
						for beside := range 4 {
							text := func() *Procedure {
								return procedure("NM", []*Buffer{x, square}, steps(1, "M", step, func(i *For) []Stmt {
									from := any(1)
									if beside == 1 {
										from = i // its counter bounds the other
									}
									return one(steps(from, "N", inner, func(j *For) []Stmt {
										to := square.at(at(i, j)...)
										before := &For{Lo: i.Lo}
										then := Access{Buffer: square}
										for _, e := range ints(at(before, j)...) {
											then.At = append(then.At, before.put(e, plus(i, -back)))
										}
										then.At[0] = plus(then.At[0], aside)
										value := of(DataAdd, read(x.at(j)), read(then))
										switch beside {
										case 2:
											value = of(DataSub, value, read(to))
										case 3:
											value = of(DataSub, value, read(square.at(i, plus(j, 1))))
										}
										return one(set(to, value))
									}))
								}))
							}
							before, after := text(), text()
							after.Body = carry(after.Body)
							if _, whole := after.Body[0].(*For).Body[0].(*If); whole {
								moved++
							} else {
								kept++
							}
							for size := int64(1); size < 7; size++ {
								if p, q := leaves(before, size, 4), leaves(after, size, 4); p != q {
									t.Fatalf("steps %d and %d, back %d aside %d, beside %d at %d: %s against %s", step, inner, back, aside, beside, size, p, q)
								}
							}
						}
					}
				}
			}
		}
	}
	if moved < 30 || kept < 500 {
		t.Errorf("%d were put inside, %d not", moved, kept)
	}
}
