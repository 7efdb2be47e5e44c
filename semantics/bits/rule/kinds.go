package rule

import "tv/internal/source"

// A kind says how an operation is used: of how many arguments, at least and at most (-1: any number), with how many
// indices, and whether arguments and result are Bools.
type kind struct {
	least, most, indices int
	boolArgs, boolResult bool
}

var kinds = map[string]kind{
	"bvnot": {1, 1, 0, false, false}, "bvneg": {1, 1, 0, false, false},
	"bvand": {2, -1, 0, false, false}, "bvor": {2, -1, 0, false, false}, "bvxor": {2, -1, 0, false, false},
	"bvadd": {2, -1, 0, false, false}, "bvmul": {2, -1, 0, false, false},
	"bvnand": {2, 2, 0, false, false}, "bvnor": {2, 2, 0, false, false}, "bvxnor": {2, 2, 0, false, false},
	"bvsub": {2, 2, 0, false, false}, "bvudiv": {2, 2, 0, false, false}, "bvurem": {2, 2, 0, false, false},
	"bvsdiv": {2, 2, 0, false, false}, "bvsrem": {2, 2, 0, false, false}, "bvsmod": {2, 2, 0, false, false},
	"bvshl": {2, 2, 0, false, false}, "bvlshr": {2, 2, 0, false, false}, "bvashr": {2, 2, 0, false, false},
	"bvult": {2, 2, 0, false, true}, "bvule": {2, 2, 0, false, true}, "bvugt": {2, 2, 0, false, true}, "bvuge": {2, 2, 0, false, true},
	"bvslt": {2, 2, 0, false, true}, "bvsle": {2, 2, 0, false, true}, "bvsgt": {2, 2, 0, false, true}, "bvsge": {2, 2, 0, false, true},
	"bvcomp": {2, 2, 0, false, false}, "bveq": {2, 2, 0, false, true},
	"concat": {2, -1, 0, false, false}, "extract": {1, 1, 2, false, false},
	"zero_extend": {1, 1, 1, false, false}, "sign_extend": {1, 1, 1, false, false}, "repeat": {1, 1, 1, false, false},
	"rotate_left": {1, 1, 1, false, false}, "rotate_right": {1, 1, 1, false, false},
	"not": {1, 1, 0, true, true}, "and": {2, -1, 0, true, true}, "or": {2, -1, 0, true, true}, "xor": {2, -1, 0, true, true},
	"=>": {2, -1, 0, true, true}, "bool->bitvector": {1, 1, 0, true, false}, "bitvector->bool": {1, 1, 0, false, true},
}

// check holds a term to the table, and says whether it is a Bool. =, distinct and ite take words as well as Bools.
func (t *Term) check() error {
	ill := func(format string, args ...any) error { return source.Errorf(t.Span, "ill-typed", format, args...) }
	n := len(t.Args)
	switch t.Op {
	case "=", "distinct", "ite":
		if t.Bool = t.Op != "ite"; n < 2 || t.Op == "ite" && n != 3 || len(t.Indices) > 0 {
			return ill("%s of %d arguments", t.Op, n)
		}
		same := t.Args
		if t.Op == "ite" {
			if !t.Args[0].Bool {
				return source.Errorf(t.Args[0].Span, "ill-typed", "the condition of ite is a Bool")
			}
			same, t.Bool = t.Args[1:], t.Args[1].Bool
		}
		for _, a := range same {
			if a.Bool != same[0].Bool {
				return source.Errorf(a.Span, "ill-typed", "%s of words and Bools", t.Op)
			}
		}
		return nil
	}
	k, ok := kinds[t.Op]
	switch {
	case !ok:
		return ill("no operation of bit-vectors is called %s", t.Op)
	case n < k.least || k.most >= 0 && n > k.most:
		return ill("%s of %d arguments", t.Op, n)
	case len(t.Indices) != k.indices:
		return ill("%s has %d indices, and takes %d", t.Op, len(t.Indices), k.indices)
	}
	t.Bool = k.boolResult
	for _, a := range t.Args {
		if a.Bool != k.boolArgs {
			return source.Errorf(a.Span, "ill-typed", "an argument of %s is %s", t.Op, map[bool]string{true: "a word", false: "a Bool"}[k.boolArgs])
		}
	}
	return nil
}
