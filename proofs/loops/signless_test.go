package loops

import (
	"fmt"
	"testing"

	"tv/semantics/domain"
)

// TestBits tests law 14 by itself: what holds integers without a sign is left the bits that it was left with one, whatever
// statements do with them.
func TestBits(t *testing.T) {
	boolean := domain.Elem{Kind: domain.ElemBool, Width: 1}
	uint8s, uint32s := domain.Elem{Kind: domain.ElemUint, Width: 8}, domain.Elem{Kind: domain.ElemUint, Width: 32}
	less := func(x, y *Data) *Data { return &Data{Op: DataLess, Elem: boolean, Args: []*Data{x, y}} }
	for name, value := range map[string]func(x, y *Data) *Data{
		"sum":      func(x, y *Data) *Data { return of(DataAdd, x, of(DataMul, y, number(int8s, "-3"))) },
		"quotient": func(x, y *Data) *Data { return of(DataQuotient, x, number(int8s, "3")) },
		"shift":    func(x, y *Data) *Data { return of(DataShift, x, number(int8s, "2")) },
		"without":  func(x, y *Data) *Data { return convert(int8s, of(DataShift, convert(uint8s, x), number(uint8s, "2"))) },
		"greater":  func(x, y *Data) *Data { return of(DataMax, x, y) },
		"choice": func(x, y *Data) *Data {
			return of(DataAdd, &Data{Op: DataChoose, Elem: int8s, Args: []*Data{less(x, y), x, y}}, x)
		},
		"wide": func(x, y *Data) *Data {
			return convert(int8s, of(DataShift, of(DataMul, convert(int32s, x), convert(int32s, y)), number(int32s, "3")))
		},
		"wide again": func(x, y *Data) *Data {
			return convert(int8s, of(DataShift, convert(int32s, convert(uint8s, x)), number(int32s, "1")))
		},
		"narrow":   func(x, y *Data) *Data { return convert(int8s, convert(uint32s, of(DataSub, x, y))) },
		"opposite": func(x, y *Data) *Data { return of(DataBitXor, of(DataNeg, x), of(DataBitAnd, y, number(int8s, "-2"))) },
	} {
		t.Run(name, func(t *testing.T) {
			text := func() (*Procedure, *Buffer) {
				u, v, s := buffer("U", int8s, "N"), buffer("V", int8s, "N"), buffer("s", int8s)
				u.Signless = true
				return procedure("N", []*Buffer{u, v}, &Alloc{Buffer: s}, set(s.at(), number(int8s, "-1")), loop(0, "N", func(i *For) []Stmt {
					return []Stmt{set(s.at(), value(read(s.at()), read(u.at(i)))), set(u.at(i), value(read(s.at()), read(v.at(i)))),
						set(v.at(i), value(read(u.at(i)), read(s.at())))}
				})), u
			}
			before, u := text()
			after, w := text()
			after.Unsigned([]string{"U"})
			if w.Elem != uint8s || after.Params[1].Elem != int8s {
				t.Fatal("no other type")
			}
			for size := int64(1); size < 9; size++ {
				x, err := run(before, map[string]int64{"N": size})
				y, too := run(after, map[string]int64{"N": size})
				if err != nil || too != nil {
					t.Fatal(err, too)
				}
				for at, v := range y.cells[w] {
					y.cells[w][at] = wrapped(int8s, v)
				}
				p := fmt.Sprint(x.cells[u], x.cells[before.Params[1]])
				if q := fmt.Sprint(y.cells[w], y.cells[after.Params[1]]); p != q {
					t.Fatalf("at %d: %s against %s", size, p, q)
				}
			}
		})
	}
}
