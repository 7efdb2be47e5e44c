package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/index"
)

// MaxPoolAll is MaxPool for all sizes that it takes: 2·P timesteps of 16·V lanes.
func MaxPoolAll(bias int) *ila.Family { return poolAll(NewModel, modeMax, bias, nil) }

// MeanPoolAll is MeanPool for all sizes that it takes.
func MeanPoolAll(bias int) *ila.Family { return poolAll(NewModel, modeMean, bias, nil) }

// AddPoolAll is AddPool for all sizes that it takes.
func AddPoolAll(bias int) *ila.Family { return poolAll(NewModel, modeAdd, bias, nil) }

// poolAll is a pooling on a machine that model makes; wreck, if not nil, changes the nest.
func poolAll(model func() *Machine, mode, bias int, wreck func(*ila.Nest)) *ila.Family {
	return &ila.Family{
		Name:  poolings[mode].driver,
		Sizes: []ila.Size{{Name: "P", Least: 1}, {Name: "V", Least: 1}},
		Domain: []string{"timesteps = 2*P", "width = 16*V", "1 <= P <= 32767", "1 <= V <= 255",
			"V*((P + 7) div 8) <= 4096"},
		New: func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
			m := model()
			ix := m.B.Index
			s := sizes(ix)
			pairs, vectors := s[0], s[1]
			blocks := ix.Div(ix.Root(), ix.AddInt(pairs, 7), ix.Const(8)) // of 16 timesteps
			facts := []*index.Expr{ix.Sub(ix.Const(32767), pairs), ix.Sub(ix.Const(255), vectors),
				ix.Sub(ix.Const(largeSize/256), ix.Mul(vectors, blocks))}
			n := reduce(m, poolings[mode], pairs, vectors, bias)
			if wreck != nil {
				wreck(n)
			}
			return n, facts, nil
		},
		Print: func(point []int) string { return fmt.Sprintf("%dx%d", 2*point[0], lanes*point[1]) },
	}
}
