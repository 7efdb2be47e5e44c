package flexasr

import (
	"sync"

	"tv/ila"
	"tv/ila/format"
	"tv/semantics/term"
)

// functions are those that the machine computes by tables, and the narrow division. Proofs take them for symbols.
type functions struct{ sigm, tanh, inverseRoot, exp, share *ila.Function }

// Names by which contracts apply them.
const (
	functionSigm        = "sigm"
	functionTanh        = "tanh"
	functionInverseRoot = "inverse-root"
	functionExp         = "exponential"
	functionShare       = "share"
)

// functions adds them to the model.
func (m *Machine) functions() {
	t := m.config.Tables
	// of adds a function of one argument; one of at most 20 bits is data
	of := func(name, doc string, width, result int, f func(x int64) int64, distance func() string) *ila.Function {
		value := func(x uint64) uint64 { return uint64(f(term.Signed64(x, width))) & term.Ones(result) }
		stand := func(args []uint64) uint64 { return value(args[0]) }
		if width <= 20 {
			data := sync.OnceValue(func() []uint32 {
				list := make([]uint32, 1<<width)
				for x := range list {
					list[x] = uint32(value(uint64(x)))
				}
				return list
			})
			stand = func(args []uint64) uint64 { return uint64(data()[args[0]]) }
		}
		fn := &ila.Function{Name: name, Doc: doc, Width: result, Stand: stand, Tables: t.Release, Distance: distance}
		m.Function(fn)
		return fn
	}
	const q614 = format.Q614
	m.fn.sigm = of(functionSigm, "sigmoid, Q6.14", q614, q614, t.sigmoid, t.sigmoidDistance)
	m.fn.tanh = of(functionTanh, "hyperbolic tangent, Q6.14", q614, q614, t.tanh, t.tanhDistance)
	m.fn.inverseRoot = of(functionInverseRoot, "1/sqrt of 20 bits without sign, 14 of them behind the point", q614, q614,
		func(x int64) int64 { return t.inverseRoot(x & (1<<q614 - 1)) }, t.inverseRootDistance)
	m.fn.exp = of(functionExp, "e^x of Q12.20, to 32 bits without sign, 20 of them behind the point", 32, 32, t.exp, t.expDistance)
	m.fn.share = &ila.Function{Name: functionShare, Doc: "quotient of 6 bits, 4 of them behind the point, to 10 bits with 8", Width: 10,
		Stand: func(args []uint64) uint64 { return share(args[0], args[1]) }, Tables: "ac_fixed, cut off", Distance: shareDistance}
	m.Function(m.fn.share)
}
