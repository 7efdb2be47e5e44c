package programs

import (
	"fmt"
	"math/rand/v2"

	"tv/glenside"
)

// doubled returns a program that uses the result of another one twice, one in eight times; else it is as it was. What is
// shared is a definition, or stands in the text twice.
func doubled(p *Program, seed uint64) *Program {
	rng := rand.New(rand.NewPCG(seed, 0x74776963))
	if rng.IntN(8) > 0 || p.Typing.Root().Kind != glenside.TypeAccess {
		return p
	}
	x, decls := glenside.FormatNode(p.Parsed.Root), Declarations(p.Parsed)+assumptions(p.Parsed)
	text := decls + fmt.Sprintf("(define s %s)\n(relay-operator-call relay-add s s)", x)
	if rng.IntN(4) == 0 {
		text = decls + fmt.Sprintf("(relay-operator-call relay-add %s %s)", x, x)
	}
	if twice, err := Typed(p.Parsed.File.Name, text); err == nil {
		return twice
	}
	return p
}

// defined writes a program with definitions, one in three times: of all that is used more than once, or of a subterm,
// which the result uses, or not. It is the same program.
func defined(p *Program, seed uint64) *Program {
	rng := rand.New(rand.NewPCG(seed, 0x646566696e65))
	var text string
	switch rng.IntN(9) {
	case 0:
		text = glenside.Share(p.Parsed)
	case 1, 2:
		var sites []*glenside.Node
		for _, n := range p.Parsed.Nodes {
			if k := p.Typing.Type(n).Kind; n.Kind == glenside.KindCall && (k == glenside.TypeAccess || k == glenside.TypeTuple) {
				sites = append(sites, n)
			}
		}
		if len(sites) == 0 {
			return p
		}
		n, by := sites[rng.IntN(len(sites))], "s"
		if rng.IntN(4) == 0 {
			by = glenside.FormatNode(n)
		}
		text = fmt.Sprintf("(define s %s)\n%s%s%s", glenside.FormatNode(n), Declarations(p.Parsed), assumptions(p.Parsed),
			replaced(p.Parsed.Root, n, by))
	default:
		return p
	}
	q, err := Typed(p.Parsed.File.Name, text)
	if err != nil {
		panic(fmt.Sprintf("programs: a program that does not type with definitions: %v\n%s", err, text))
	}
	return q
}
