package rules

// pieces writes a word as words in a row, the highest first, of which none is a row itself (law 10.8). What a field is taken of is no row either,
// and no bitwise term, as far as it is seen at all numbers where pieces begin.
func (f *frame) pieces(t *term) []*term {
	switch t.op {
	case "concat":
		var out []*term
		for _, a := range t.args {
			out = append(out, f.pieces(a)...)
		}
		return f.neighbours(out)
	case "extract":
		return f.take(f.pieces(t.args[0]), t.at[0], t.at[1])
	case "rotate_left", "rotate_right":
		return f.turned(t)
	case "zero_extend", "sign_extend":
		return f.wider(t)
	case "bvudiv", "bvurem":
		if p := f.divided(t); p != nil {
			return f.pieces(p)
		}
	case "ite":
		if !t.truth {
			return f.columns(t, 1)
		}
	}
	if bitOperation(t.op) {
		return f.columns(t, 0)
	}
	return []*term{f.inside(t)}
}

// divided is a quotient or remainder by 2^e as a shift by e, or the bits below e, where 2^e is a word that is not 0; nil of others (law 10.9).
func (f *frame) divided(t *term) *term {
	by, w := t.args[1], t.width
	var e sum
	switch {
	case by.op == "bvshl":
		if !(isOne(by.args[0]) && by.args[1].op == "number" && f.shown(w.minus(1, by.args[1].at[0]).minus(1, plain(1)))) {
			return nil
		}
		e = by.args[1].at[0]
	case by.op == "number":
		n, ok := by.at[0].number()
		if !ok || n < 1 || n&(n-1) != 0 {
			return nil
		}
		e = plain(length(n) - 1)
	default:
		return nil
	}
	number := func(n sum) *term { return &term{op: "number", at: []sum{n, w}, width: w} }
	if t.op == "bvudiv" {
		return &term{op: "bvlshr", args: []*term{t.args[0], number(e)}, width: w}
	}
	power := &term{op: "bvshl", args: []*term{number(plain(1)), number(e)}, width: w}
	mask := &term{op: "bvsub", args: []*term{power, number(plain(1))}, width: w}
	return &term{op: "bvand", args: []*term{t.args[0], mask}, width: w}
}

func isOne(t *term) bool {
	if t.op != "number" {
		return false
	}
	n, ok := t.at[0].number()
	return ok && n == 1
}

func bitOperation(op string) bool {
	switch op {
	case "bvnot", "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor":
		return true
	}
	return false
}

// whole is a row as one word.
func (f *frame) whole(list []*term) *term {
	if len(list) == 1 {
		return list[0]
	}
	w := sum{}
	for _, p := range list {
		w = w.minus(-1, p.width)
	}
	return &term{op: "concat", args: list, width: w}
}

// plainer is a term of which every word in it is written in pieces.
func (f *frame) plainer(t *term) *term {
	if t.truth {
		return f.inside(t)
	}
	return f.whole(f.pieces(t))
}

// inside is an operation of plainer arguments.
func (f *frame) inside(t *term) *term {
	out := *t
	out.args = nil
	for _, a := range t.args {
		out.args = append(out.args, f.plainer(a))
	}
	return &out
}

func nought(w sum) *term { return &term{op: "number", at: []sum{{}, w}, width: w} }

func isNought(t *term) bool { return t.op == "number" && len(t.at[0]) == 0 }

// like is the operation of a term on other words, of a width.
func like(t *term, w sum, args ...*term) *term {
	return &term{op: t.op, at: t.at, args: args, width: w}
}

// turned is a rotation by more than no bit and less than all of them: the lowest bits go before the others.
func (f *frame) turned(t *term) []*term {
	w, list := t.width, f.pieces(t.args[0])
	low := w.minus(1, t.at[0]) // bits that are below the others before
	if t.op == "rotate_right" {
		low = t.at[0]
	}
	one := plain(1)
	if !f.shown(low.minus(1, one)) || !f.shown(w.minus(1, low).minus(1, one)) {
		return []*term{like(t, w, f.whole(list))}
	}
	first := f.take(list, low.minus(1, one), sum{})
	return f.neighbours(append(first, f.take(list, w.minus(1, one), low)...))
}

// wider is a word with zeros or its sign before it.
func (f *frame) wider(t *term) []*term {
	list := f.pieces(t.args[0])
	a := f.whole(list)
	switch {
	case len(t.at[0]) == 0:
		return list
	case t.op == "zero_extend" && f.shown(t.at[0].minus(1, plain(1))):
		return f.neighbours(append([]*term{nought(t.at[0])}, list...))
	case a.op == "bvand" || a.op == "bvor" || a.op == "bvxor" || t.op == "sign_extend" && bitOperation(a.op): // 0 and 0, or and xor are 0
		var args []*term
		for _, b := range a.args {
			args = append(args, like(t, t.width, b))
		}
		return f.columns(like(a, t.width, args...), 0)
	}
	return []*term{like(t, t.width, a)}
}

// columns is an operation bit by bit of rows; where these are cut at the same places, a row of such operations.
func (f *frame) columns(t *term, skip int) []*term {
	var rows [][]*term
	for _, a := range t.args[skip:] {
		rows = append(rows, f.pieces(a))
	}
	var fixed []*term
	for _, a := range t.args[:skip] {
		fixed = append(fixed, f.plainer(a))
	}
	alike := true
	for _, r := range rows {
		alike = alike && len(r) == len(rows[0])
		for i := 0; alike && i < len(r); i++ {
			alike = r[i].width.is(rows[0][i].width)
		}
	}
	if !alike {
		args := fixed
		for _, r := range rows {
			args = append(args, f.whole(r))
		}
		return []*term{like(t, t.width, args...)}
	}
	var out []*term
	for i := range rows[0] {
		args := append([]*term{}, fixed...)
		for _, r := range rows {
			args = append(args, r[i])
		}
		out = append(out, like(t, rows[0][i].width, args...))
	}
	return f.neighbours(out)
}

// neighbours joins fields of one word that lie beside each other, and zeros.
func (f *frame) neighbours(list []*term) []*term {
	var out []*term
	for _, p := range list {
		if n := len(out); n > 0 {
			if isNought(p) && isNought(out[n-1]) {
				out[n-1] = nought(out[n-1].width.minus(-1, p.width))
				continue
			}
			a, hi, middle := span(out[n-1])
			b, below, lo := span(p)
			if identical(a, b) && middle.is(below.minus(-1, plain(1))) {
				out[n-1] = f.slice(a, hi, lo)
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

func span(t *term) (of *term, hi, lo sum) {
	if t.op == "extract" {
		return t.args[0], t.at[0], t.at[1]
	}
	return t, t.width.minus(1, plain(1)), sum{}
}

func identical(a, b *term) bool {
	if a.op != b.op || a.text != b.text || a.signal != b.signal || len(a.at) != len(b.at) || len(a.args) != len(b.args) {
		return false
	}
	for i := range a.at {
		if !a.at[i].is(b.at[i]) {
			return false
		}
	}
	for i := range a.args {
		if !identical(a.args[i], b.args[i]) {
			return false
		}
	}
	return true
}

// take is bits hi to lo of a row: of each piece what lies between. Where it is not seen in which pieces the ends lie it is a field of the whole.
func (f *frame) take(list []*term, hi, lo sum) []*term {
	one := plain(1)
	begin := sum{}
	var out []*term
	inside, done := false, false
	for i := len(list) - 1; i >= 0 && !done; i-- {
		p := list[i]
		end := begin.minus(-1, p.width) // the first bit that is not in it
		from, to := sum{}, p.width.minus(1, one)
		if !inside && f.shown(lo.minus(1, begin)) && f.shown(end.minus(1, lo).minus(1, one)) {
			inside, from = true, lo.minus(1, begin)
		}
		if inside && f.shown(hi.minus(1, begin)) && f.shown(end.minus(1, hi).minus(1, one)) {
			done, to = true, hi.minus(1, begin)
		}
		if inside {
			out = append([]*term{f.slice(p, to, from)}, out...)
		}
		begin = end
	}
	if done {
		return f.neighbours(out)
	}
	return []*term{{op: "extract", at: []sum{hi, lo}, args: []*term{f.whole(list)}, width: hi.minus(1, lo).minus(-1, plain(1))}}
}

// slice is bits hi to lo of a piece.
func (f *frame) slice(p *term, hi, lo sum) *term {
	w := hi.minus(1, lo).minus(-1, plain(1))
	if len(lo) == 0 && w.is(p.width) {
		return p
	}
	of := func(a *term) *term { return f.whole(f.take(f.pieces(a), hi, lo)) }
	all := func(from []*term) (out []*term) {
		for _, a := range from {
			out = append(out, of(a))
		}
		return out
	}
	sums := p.op == "bvadd" || p.op == "bvsub" || p.op == "bvneg" || p.op == "bvmul"
	switch {
	case isNought(p):
		return nought(w)
	case p.op == "extract":
		return f.whole(f.take(f.pieces(p.args[0]), hi.minus(-1, p.at[1]), lo.minus(-1, p.at[1])))
	case p.op == "zero_extend" || p.op == "sign_extend":
		if a := p.args[0]; f.shown(a.width.minus(1, hi).minus(1, plain(1))) {
			return of(a)
		}
	case p.op == "ite":
		return like(p, w, append([]*term{p.args[0]}, all(p.args[1:])...)...)
	case bitOperation(p.op) || sums && len(lo) == 0:
		return like(p, w, all(p.args)...)
	}
	return &term{op: "extract", at: []sum{hi, lo}, args: []*term{p}, width: w}
}
