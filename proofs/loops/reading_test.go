package loops

import (
	"strings"
	"testing"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

var (
	x, y, z = buffer("X", real32, "N"), buffer("Y", real32, "N"), buffer("Z", real32, "N")
	a, b, c = buffer("A", real32, "M", "K"), buffer("B", real32, "K", "N"), buffer("C", real32, "M", "N")
	square  = buffer("S", real32, "N", "N")
	twice   = buffer("D", real32, "2")
	s0      = buffer("s", real32)
	tile    = buffer("T", real32, "4")
	row     = buffer("R", real32, "N")
	bytes   = buffer("b", int8s, "N")
	others  = buffer("c", int8s, "N")
	words   = buffer("w", int32s, "N")
	zero    = number(real32, "0")
)

func vectors(sizes string, body ...Stmt) *Procedure {
	return procedure(sizes, []*Buffer{x, y, z}, body...)
}

func matrices(body ...Stmt) *Procedure { return procedure("MNK", []*Buffer{a, b, c}, body...) }

// each is a loop of one statement.
func each(lo, hi any, s func(i *For) Stmt) *For {
	return loop(lo, hi, func(i *For) []Stmt { return one(s(i)) })
}

func product(i, j, k any) *Data { return of(DataMul, read(a.at(i, k)), read(b.at(k, j))) }

func copied(lo, hi any) Stmt {
	return each(lo, hi, func(i *For) Stmt { return set(y.at(i), read(x.at(i))) })
}

// below is a loop with a step while it is below both of two ends.
func below(lo, hi, other any, s func(i *For) Stmt) *For {
	f := each(lo, hi, s)
	f.Hi = append(f.Hi, ints(other)...)
	return f
}

func matmul(over func(i, j *For) Stmt) *Procedure {
	return matrices(each(0, "M", func(i *For) Stmt {
		return loop(0, "N", func(j *For) []Stmt { return []Stmt{set(c.at(i, j), zero), over(i, j)} })
	}))
}

func innermost(i, j *For) Stmt {
	return each(0, "K", func(k *For) Stmt { return add(c.at(i, j), product(i, j, k)) })
}

var examples = []struct {
	name    string
	refused string // part of why
	p       *Procedure
}{
	{"copy", "", vectors("N", copied(0, "N"))},
	{"beyond the end", "", vectors("N", copied(0, plus("N", 1)))},
	{"nothing executed", "", vectors("N", copied("N", "N"), copied(5, 3), copied(plus("N", 9), "N"))},
	{"two writers", "", vectors("N", copied(1, "N"), each(0, 2, func(i *For) Stmt {
		return set(y.at(i), read(y.at(plus(i, 1))))
	}))},
	{"matmul", "", matmul(innermost)},
	{"matmul, tiled", "", matmul(func(i, j *For) Stmt {
		return steps(0, "K", 3, func(kk *For) []Stmt {
			return one(below(kk, plus(kk, 3), "K", func(k *For) Stmt { return add(c.at(i, j), product(i, j, k)) }))
		})
	})},
	{"tiled by a size of no sign", "no known sign", vectors("N", steps(0, "N", minus("N", 1), func(i *For) []Stmt {
		return one(set(y.at(i), zero))
	}))},
	{"matmul, sums outside", "", matrices(
		each(0, "M", func(i *For) Stmt {
			return each(0, "N", func(j *For) Stmt { return set(c.at(i, j), zero) })
		}),
		each(0, "K", func(k *For) Stmt {
			return each(0, "M", func(i *For) Stmt {
				return each(0, "N", func(j *For) Stmt { return add(c.at(i, j), product(i, j, k)) })
			})
		}))},
	{"tiled", "", vectors("N", steps(0, "N", 3, func(ii *For) []Stmt {
		return one(below(ii, plus(ii, 3), "N", func(i *For) Stmt { return set(y.at(i), read(x.at(i))) }))
	}))},
	{"tiled without the rest", "", vectors("N", steps(0, minus("N", 2), 3, func(ii *For) []Stmt {
		return one(each(ii, plus(ii, 3), func(i *For) Stmt { return set(y.at(i), read(x.at(i))) }))
	}))},
	{"unrolled by two, with the rest", "", vectors("N",
		steps(0, minus("N", 1), 2, func(i *For) []Stmt {
			return []Stmt{set(y.at(i), read(x.at(i))), set(y.at(plus(i, 1)), read(x.at(plus(i, 1))))}
		}),
		copied(times(div("N", 2), 2), "N"))},
	{"upwards by 3, from 1", "", vectors("N", steps(1, "N", 3, func(i *For) []Stmt {
		return one(set(y.at(i), read(x.at(minus(i, 1)))))
	}))},
	{"downward", "", vectors("N", steps(minus("N", 1), -1, -1, func(i *For) []Stmt {
		return one(set(y.at(i), read(x.at(i))))
	}))},
	{"downward by 2, in place", "", vectors("N", steps(minus("N", 1), 0, -2, func(i *For) []Stmt {
		return one(set(x.at(i), read(x.at(minus(i, 1)))))
	}))},
	{"shift down", "", vectors("N", each(0, minus("N", 1), func(i *For) Stmt {
		return set(x.at(i), read(x.at(plus(i, 1))))
	}))},
	{"shift up, from the end", "", vectors("N", steps(minus("N", 1), 0, -1, func(i *For) []Stmt {
		return one(set(x.at(i), read(x.at(minus(i, 1)))))
	}))},
	{"shift up, from the begin", "again and again", vectors("N", each(1, "N", func(i *For) Stmt {
		return set(x.at(i), read(x.at(minus(i, 1))))
	}))},
	{"prefix sums", "", vectors("N", each(1, "N", func(i *For) Stmt {
		return add(x.at(i), read(x.at(minus(i, 1))))
	}))},
	{"sums of the two before", "again and again", vectors("N", each(2, "N", func(i *For) Stmt {
		return set(x.at(i), of(DataAdd, read(x.at(minus(i, 1))), read(x.at(minus(i, 2)))))
	}))},
	{"time", "again and again", vectors("NT", each(0, "T", func(*For) Stmt {
		return each(0, minus("N", 1), func(i *For) Stmt { return set(x.at(i), read(x.at(plus(i, 1)))) })
	}))},
	{"prefix sums by a scalar", "", vectors("N", &Alloc{Buffer: s0}, set(s0.at(), zero),
		loop(0, "N", func(i *For) []Stmt {
			return []Stmt{add(s0.at(), read(x.at(i))), set(y.at(i), read(s0.at()))}
		}))},
	{"prefix sums, each by itself", "", vectors("N", loop(0, "N", func(i *For) []Stmt {
		return []Stmt{set(y.at(i), zero), each(0, plus(i, 1), func(j *For) Stmt { return add(y.at(i), read(x.at(j))) })}
	}))},
	{"triangular, upper", "", procedure("N", []*Buffer{square, x}, each(0, "N", func(i *For) Stmt {
		return each(plus(i, 1), "N", func(j *For) Stmt { return add(x.at(i), read(square.at(i, j))) })
	}))},
	{"triangular, written", "", procedure("N", []*Buffer{square, x}, each(0, "N", func(i *For) Stmt {
		return each(0, plus(i, 1), func(j *For) Stmt { return set(square.at(i, j), read(x.at(minus(i, j)))) })
	}))},
	{"triangular, bounds", "", procedure("N", []*Buffer{twice, x}, each(0, "N", func(i *For) Stmt {
		return each(plus(i, 2), "N", func(j *For) Stmt { return add(x.at(i), read(twice.at(minus(j, 2)))) })
	}))},
	{"guarded", "", vectors("N", each(0, "N", func(i *For) Stmt {
		return &If{Cond: less(i, minus("N", 1)), Then: one(set(y.at(i), read(x.at(plus(i, 1))))),
			Else: one(set(y.at(i), zero))}
	}))},
	{"guarded by parity", "", vectors("N", each(0, "N", func(i *For) Stmt {
		return &If{Cond: equal(mod(i, 2), 0), Then: one(set(y.at(i), read(x.at(i)))), Else: one(set(z.at(i), zero))}
	}))},
	{"required", "", vectors("N", each(0, "N", func(i *For) Stmt {
		return &Require{Cond: less(i, 3), Text: "i is below 3"}
	}), copied(0, "N"))},
	{"product and maximum", "", vectors("N", each(0, "N", func(i *For) Stmt {
		return each(0, "N", func(j *For) Stmt {
			return set(y.at(i), of(DataMax, read(x.at(j)), read(y.at(i))))
		})
	}), each(0, "N", func(i *For) Stmt {
		return each(1, i, func(j *For) Stmt { return set(z.at(i), of(DataMul, read(z.at(i)), read(x.at(j)))) })
	}))},
	{"sums scattered", "", vectors("N", each(0, "N", func(i *For) Stmt {
		return each(0, minus("N", i), func(j *For) Stmt { return add(y.at(plus(i, j)), read(x.at(j))) })
	}))},
	{"sums in pairs", "", vectors("N", each(0, "N", func(i *For) Stmt { return add(y.at(div(i, 2)), read(x.at(i))) }))},
	{"a local row", "", vectors("N", &Alloc{Buffer: row},
		each(0, "N", func(i *For) Stmt { return set(row.at(i), read(x.at(i))) }),
		each(0, "N", func(i *For) Stmt { return set(x.at(i), read(row.at(minus(minus("N", 1), i)))) }))},
	{"a local row, not all written", "not known to be written", vectors("N", &Alloc{Buffer: row},
		each(1, "N", func(i *For) Stmt { return set(row.at(i), read(x.at(i))) }),
		each(0, "N", func(i *For) Stmt { return set(x.at(i), read(row.at(i))) }))},
	{"a local tile", "", vectors("N", steps(0, "N", 4, func(ii *For) []Stmt {
		return []Stmt{&Alloc{Buffer: tile},
			below(ii, plus(ii, 4), "N", func(i *For) Stmt { return set(tile.at(minus(i, ii)), read(x.at(i))) }),
			below(ii, plus(ii, 4), "N", func(i *For) Stmt { return set(y.at(i), read(tile.at(minus(i, ii)))) })}
	}))},
	{"a local of an iteration before", "not known to be written", vectors("N", loop(0, "N", func(i *For) []Stmt {
		return []Stmt{&Alloc{Buffer: s0}, &If{Cond: equal(i, 0), Then: one(set(s0.at(), zero))},
			set(y.at(i), read(s0.at()))}
	}))},
	{"from both ends", "", vectors("N", loop(0, "N", func(i *For) []Stmt {
		return []Stmt{set(y.at(i), read(x.at(i))), set(y.at(minus(minus("N", 1), i)), read(z.at(i)))}
	}))},
	{"twice itself", "", vectors("N", each(0, 2, func(i *For) Stmt {
		return set(y.at(0), of(DataAdd, of(DataAdd, read(y.at(0)), read(y.at(0))), number(real32, "1")))
	}))},
	{"sum and product", "", vectors("N", loop(0, 2, func(i *For) []Stmt {
		return []Stmt{add(y.at(0), number(real32, "3")), set(y.at(0), of(DataMul, read(y.at(0)), read(x.at(0))))}
	}))},
	{"a sum subtracted from", "", vectors("N", each(0, 2, func(i *For) Stmt {
		return set(y.at(0), of(DataSub, read(x.at(0)), read(y.at(0))))
	}))},
	{"sums where one of two conditions holds", "", vectors("N", each(0, "N", func(i *For) Stmt {
		return &If{Cond: &Cond{Op: CondAny, Conds: []*Cond{less(i, 2), less(i, 3)}},
			Then: one(add(y.at(0), read(x.at(i))))}
	}))},
	{"sums that something is written into", "", vectors("N", loop(0, 3, func(i *For) []Stmt {
		return []Stmt{each(0, "N", func(j *For) Stmt { return add(y.at(0), read(x.at(j))) }),
			&If{Cond: equal(i, 1), Then: one(set(y.at(0), read(z.at(0))))}}
	}))},
	{"sums through fewer bits", "", procedure("N", []*Buffer{words}, each(0, 3, func(i *For) Stmt {
		fewer := convert(int32s, convert(int8s, read(words.at(0))))
		return set(words.at(0), of(DataAdd, fewer, number(int32s, "120")))
	}))},
	{"bytes that wrap", "", procedure("N", []*Buffer{bytes, others}, each(0, "N", func(i *For) Stmt {
		return each(0, i, func(j *For) Stmt {
			wide := func(d *Data) *Data { return convert(int32s, d) }
			term := of(DataMul, wide(read(others.at(j))), wide(read(others.at(j))))
			return set(bytes.at(i), convert(int8s, of(DataSub, wide(read(bytes.at(i))), term)))
		})
	}))},
}

func TestProcedures(t *testing.T) {
	for _, test := range examples {
		refused, n, wrong := compare(test.p, 5)
		if wrong != nil || (test.refused == "") != (refused == "") || refused == "" && n == 0 ||
			!strings.Contains(refused, test.refused) {
			t.Errorf("%s: refused %q, wrong %v, %d elements", test.name, refused, wrong, n)
		}
	}
}

// silent leaves all goals as they are.
type silent struct{}

func (silent) Answer(*algebra.Goal) string { return "" }
func (silent) Alive()                      {}

// TestPairs: what means the same is accepted without an answer, and near misses are not.
func TestPairs(t *testing.T) {
	plain := vectors("N", copied(0, "N"))
	unrolled := func(rest any) *Procedure {
		return vectors("N", steps(0, minus("N", 1), 2, func(i *For) []Stmt {
			return []Stmt{set(y.at(i), read(x.at(i))), set(y.at(plus(i, 1)), read(x.at(plus(i, 1))))}
		}), copied(rest, "N"))
	}
	tiled := func(end any) *Procedure {
		return vectors("N", steps(0, end, 4, func(ii *For) []Stmt {
			return one(below(ii, plus(ii, 4), "N", func(i *For) Stmt { return set(y.at(i), read(x.at(i))) }))
		}))
	}
	outside := func(init *Data) *Procedure {
		return matrices(each(0, "M", func(i *For) Stmt {
			return each(0, "N", func(j *For) Stmt { return set(c.at(i, j), init) })
		}), each(0, "K", func(k *For) Stmt {
			return each(0, "M", func(i *For) Stmt {
				return each(0, "N", func(j *For) Stmt { return add(c.at(i, j), product(i, j, k)) })
			})
		}))
	}
	sums := func(from, to any) *Procedure {
		return vectors("N", &Alloc{Buffer: s0}, set(s0.at(), zero), loop(0, "N", func(i *For) []Stmt {
			return []Stmt{set(y.at(i), read(s0.at())), add(s0.at(), read(x.at(i)))}
		}))
	}
	for _, test := range []struct {
		name          string
		before, after *Procedure
		code          string
	}{
		{"unrolled", plain, unrolled(times(div("N", 2), 2)), ""},
		{"unrolled, rest twice", plain, unrolled(0), ""},
		{"unrolled, no rest", plain, unrolled("N"), algebra.CodeGoal},
		{"unrolled, outside", plain, unrolled(-1), algebra.CodeStatement},
		{"tiled", plain, tiled("N"), ""},
		{"tiled, no rest", plain, tiled(minus("N", 3)), algebra.CodeGoal},
		{"tiled, too far", plain, tiled(plus("N", 9)), ""},
		{"one less", plain, vectors("N", copied(1, "N")), algebra.CodeGoal},
		{"one more", plain, vectors("N", copied(0, plus("N", 1))), algebra.CodeStatement},
		{"another element", plain, vectors("N", each(0, "N", func(i *For) Stmt {
			return set(y.at(i), read(x.at(minus(minus("N", 1), i))))
		})), algebra.CodeGoal},
		{"matmul", matmul(innermost), outside(zero), ""},
		{"matmul from 1", matmul(innermost), outside(number(real32, "1")), algebra.CodeGoal},
		{"sums", sums(0, 0), sums(0, 0), ""},
	} {
		if got := verdict(test.before, test.after, domain.Auto); got != test.code {
			t.Errorf("%s: %q, want %q", test.name, got, test.code)
		}
	}
}

// TestFloats: bit for bit, sums keep their order and begin with 0.
func TestFloats(t *testing.T) {
	dot := func(init *Data, step int) *Procedure {
		lo, hi := any(0), any("N")
		if step < 0 {
			lo, hi = minus("N", 1), -1
		}
		return vectors("N", each(0, "N", func(i *For) Stmt { return set(y.at(i), init) }),
			steps(lo, hi, step, func(k *For) []Stmt {
				return one(each(0, "N", func(i *For) Stmt {
					return add(y.at(i), of(DataMul, read(x.at(k)), read(z.at(i))))
				}))
			}))
	}
	inside := vectors("N", loop(0, "N", func(i *For) []Stmt {
		return []Stmt{set(y.at(i), zero), each(0, "N", func(k *For) Stmt {
			return add(y.at(i), of(DataMul, read(z.at(i)), read(x.at(k))))
		})}
	}))
	from := dot(read(x.at(0)), 1)
	for _, test := range []struct {
		name          string
		before, after *Procedure
		code          string
	}{
		{"loops exchanged", inside, dot(zero, 1), ""},
		{"backwards", inside, dot(zero, -1), algebra.CodeGoal},
		{"from another number", from, from, algebra.CodeUnsupported},
		{"from -0", dot(number(real32, "-0"), 1), dot(number(real32, "-0"), 1), algebra.CodeUnsupported},
	} {
		if got := verdict(test.before, test.after, domain.Exact); got != test.code {
			t.Errorf("%s: %q, want %q", test.name, got, test.code)
		}
	}
}

// verdict is the code of the refusal of a pair.
func verdict(before, after *Procedure, arith domain.Arith) string {
	q := algebra.Question{Arith: arith, Declared: before.Declarations()}
	var err error
	q.Env, err = domain.Merge([]domain.Declarations{q.Declared})
	for i, p := range []*Procedure{before, after} {
		if err == nil {
			q.Programs[i], err = p.Type(q.Env)
		}
	}
	if err == nil {
		err = func() (err error) {
			defer algebra.Recovered("test", &err)
			q.Check(nil, nil, silent{})
			return nil
		}()
	}
	if err != nil {
		return source.AsErrors(err)[0].Code
	}
	return ""
}
