package vta

import (
	"fmt"

	"tv/ila"
	"tv/semantics/index"
)

// DenseAll is Dense for all sizes of which one chunk is the whole: m rows, N tiles of n and K tiles of k, which fit
// the memories together.
func DenseAll(name string, c Config, o DenseOptions) *ila.Family {
	return denseAll(name, func() *Machine { return NewModel(c) }, o, nil)
}

// denseAll is DenseAll on a machine that model makes; wreck, if not nil, changes the nest.
func denseAll(name string, model func() *Machine, o DenseOptions, wreck func(*ila.Nest)) *ila.Family {
	return &ila.Family{
		Name:  name,
		Sizes: []ila.Size{{Name: "m", Least: 1}, {Name: "N", Least: 1}, {Name: "K", Least: 1}},
		Domain: []string{"m >= 1", "n = 16*N", "k = 16*K", "N >= 1", "1 <= K <= 1023", "N*K <= 1024", "m*K <= 2048",
			"m*N <= 2048"},
		New: func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
			machine := model()
			ix := machine.b.Index
			s := sizes(ix)
			m, n, k, one := s[0], s[1], s[2], ix.Const(1)
			most := func(limit int64, x, y *index.Expr) *index.Expr { return ix.Sub(ix.Const(limit), ix.Mul(x, y)) }
			facts := []*index.Expr{most(mostDepth, k, one), most(wgtTiles, n, k), most(inpTiles, m, k), most(accTiles, m, n)}
			nest, err := dense(machine, cut{m: m, n: n, k: k, mc: m, nc: n, kc: k, ms: one, ns: one, ks: one}, o)
			if err == nil && wreck != nil {
				wreck(nest)
			}
			return nest, facts, err
		},
		Print: func(point []int) string { return fmt.Sprintf("%dx%dx%d", point[0], lanes*point[1], lanes*point[2]) },
	}
}
