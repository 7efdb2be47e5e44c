package loops

import (
	"strings"
	"testing"
)

func TestProcedures(t *testing.T) {
	x, y, z := buffer("X", real32, "N"), buffer("Y", real32, "N"), buffer("Z", real32, "N")
	a, b, c := buffer("A", real32, "M", "K"), buffer("B", real32, "K", "N"), buffer("C", real32, "M", "N")
	vectors := []*Buffer{x, y, z}
	product := func(i, j, k any) *Data { return of(DataMul, read(a.at(i, k)), read(b.at(k, j))) }
	scalar0 := buffer("s", real32)
	for _, test := range []struct {
		name    string
		refused string // part of why
		p       *Procedure
	}{
		{"copy", "", procedure("N", vectors, loop(0, "N", func(i *For) []Stmt {
			return one(set(y.at(i), read(x.at(i))))
		}))},
		{"matmul", "", procedure("MNK", []*Buffer{a, b, c}, loop(0, "M", func(i *For) []Stmt {
			return one(loop(0, "N", func(j *For) []Stmt {
				return []Stmt{set(c.at(i, j), number(real32, "0")), loop(0, "K", func(k *For) []Stmt {
					return one(add(c.at(i, j), product(i, j, k)))
				})}
			}))
		}))},
		{"prefix sums by a scalar", "", procedure("N", vectors,
			&Alloc{Buffer: scalar0}, set(scalar0.at(), number(real32, "0")),
			loop(0, "N", func(i *For) []Stmt {
				return []Stmt{add(scalar0.at(), read(x.at(i))), set(y.at(i), read(scalar0.at()))}
			}))},
	} {
		refused, wrong, n := compare(test.p, 4)
		if wrong != nil || test.refused == "" && (refused != "" || n == 0) || !strings.Contains(refused, test.refused) {
			t.Errorf("%s: refused %q, wrong %v, %d elements", test.name, refused, wrong, n)
		}
	}
}
