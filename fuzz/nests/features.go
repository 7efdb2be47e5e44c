package nests

import "slices"

// Features names what is in a program that passes stumble over, each once, in order.
func (p *Program) Features() []string {
	has := map[string]bool{}
	if p.Named() {
		has["size"] = true
	}
	written := map[*Array]bool{}
	p.accesses(func(a *Access, writes bool) {
		if has["local"] = has["local"] || a.Array.Local; writes {
			written[a.Array] = true
		}
	})
	visit(p.Body, func(s Stmt) {
		switch s := s.(type) {
		case *If:
			has["if"] = true
		case *Assign:
			for _, r := range reads(s.Value) {
				if r.Array == s.To.Array {
					has["in place"] = true
				}
			}
		case *Loop:
			s.features(has)
		}
	})
	p.accesses(func(a *Access, _ bool) {
		for _, x := range a.At {
			x.features(has)
		}
	})
	if len(p.Body) > 1 {
		has["sequence"] = true
	}
	var out []string
	for f, ok := range has {
		if ok {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out
}

func (l *Loop) features(has map[string]bool) {
	if l.Step > 1 {
		has["step"] = true
	}
	if l.Carry != nil {
		has["carried value"] = true
	}
	if len(l.Lower)+len(l.Upper) > 2 {
		has["max or min bound"] = true
	}
	for _, a := range append(slices.Clone(l.Lower), l.Upper...) {
		for _, t := range a.Terms {
			if t.Name != size {
				has["bound by a counter"] = true
			}
		}
	}
	lo, known := l.Lower[0].constant()
	hi, both := l.Upper[0].constant()
	if known && both && hi < lo {
		has["negative trip count"] = true
	} else if known && both && hi == lo {
		has["empty"] = true
	}
	for _, s := range l.Body {
		if _, ok := s.(*Loop); ok {
			has["nest"] = true
		}
	}
}

func (a Affine) features(has map[string]bool) {
	if a.Div != 0 || a.Mod != 0 {
		has["floordiv or mod"] = true
	}
	for _, t := range a.Terms {
		if t.Coef != 1 && t.Name != size {
			has["stride"] = true
		}
	}
}

// reads are the accesses that an expression reads.
func reads(e *Expr) (list []Access) {
	if e.Op == "read" {
		list = append(list, e.Read)
	}
	for _, a := range e.Args {
		list = append(list, reads(a)...)
	}
	return list
}
