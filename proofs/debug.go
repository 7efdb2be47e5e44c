package proofs

import (
	"fmt"
	"os"
)

func (p *poly) dump(in string) {
	for _, pt := range p.parts {
		fmt.Printf("%s body base=%d slots=%d member=%v\n", in, pt.body.base, pt.body.slots, pt.body.member)
		for _, g := range pt.body.guards {
			fmt.Printf("%s  guard %s\n", in, formattedAny(g))
		}
		for _, bx := range boxes(pt.steps) {
			fmt.Printf("%s  box %s", in, bx.coef.RatString())
			for _, r := range bx.ranges {
				fmt.Printf(" [%s,%s)", formattedAny(r.lo), formattedAny(r.hi))
			}
			fmt.Println()
		}
		for _, f := range pt.body.factors {
			fmt.Printf("%s  factor^%d kind=%d name=%s", in, f.exp, f.a.kind, f.a.name)
			if f.a.e != nil {
				fmt.Printf(" e=%s", formattedAny(f.a.e))
			}
			if f.a.number != nil {
				fmt.Printf(" n=%s", formattedAny(f.a.number.expr))
			}
			fmt.Println()
			for _, q := range f.a.polys {
				q.dump(in + "    ")
			}
		}
	}
}

func formattedAny(x *Expr) string {
	return x.Format(func(a *Atom) string {
		return fmt.Sprintf("%s%d", [...]string{"N" + a.Name, "x", "s"}[a.Kind], a.ID)
	})
}

var debug = os.Getenv("DUMP") != ""
