package loops

import "tv/semantics/domain"

// IntOf is a size as an Int. The names of counters stand for those of their loops.
func IntOf(x domain.Size, counters map[string]*For) *Int {
	if n, ok := x.Const(); ok {
		return &Int{Op: IntNumber, N: n}
	}
	if name := x.Name(); name != "" {
		if f := counters[name]; f != nil {
			return CounterOf(f)
		}
		return SizeOf(name)
	}
	var args []*Int
	for _, y := range x.Operands() {
		args = append(args, IntOf(y, counters))
	}
	if x.Op() == domain.SizeMod { // x - y*(x div y)
		return Minus(args[0], IntMul.Of(args[1], IntDiv.Of(args[0], args[1])))
	}
	op := map[domain.SizeOp]IntOp{domain.SizeAdd: IntAdd, domain.SizeMul: IntMul,
		domain.SizeDiv: IntDiv, domain.SizeMax: IntMax, domain.SizeMin: IntMin}
	return op[x.Op()].Of(args...)
}

// Ends takes an end that is the greatest of several, or the least, apart.
func Ends(x domain.Size, greatest bool) (out []domain.Size) {
	op := map[bool]domain.SizeOp{true: domain.SizeMax, false: domain.SizeMin}[greatest]
	for _, t := range parts(x, domain.SizeAdd) {
		if t.Op() == op {
			for _, y := range t.Operands() {
				out = append(out, Ends(x.Sub(t).Add(y), greatest)...)
			}
			return out
		}
	}
	return []domain.Size{x}
}
