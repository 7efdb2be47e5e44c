package loops

import "testing"

// TestCarried tests law 13 by itself: with scalars for what iterations carry a procedure leaves what it left before, errors among it;
// where the element is not that of the iteration before, or another statement writes it, there is none.
func TestCarried(t *testing.T) {
	for _, step := range []int{1, 2, -1, -2} {
		for _, lo := range []any{0, 2, "M", "N"} {
			for _, hi := range []any{"N", minus("N", 3), 1} {
				for _, back := range []int{step, 0, step + 1, -step} {
					for beside := range 3 {
						text := func() *Procedure {
							return vectors("NM", steps(lo, hi, step, func(i *For) []Stmt {
								at := func(k int) *Int { return plus(k+4, integer0(i)) }
								list := []Stmt{set(y.at(at(0)), of(DataAdd, read(x.at(at(0))), read(y.at(at(-back))))),
									add(z.at(at(1)), read(y.at(at(0))))}
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
						if want := back == step && beside != 1; carried != want {
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
