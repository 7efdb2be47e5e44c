package mapping

import (
	"context"

	"tv/equiv/egraph"
)

// pick finds a cheap term of a class, and tells whether it is proved that there is no cheaper one.
func pick(ctx context.Context, g *graph, root egraph.Class, costs egraph.Costs, how string) (*egraph.Choice, bool, error) {
	switch how {
	case ExtractGreedy:
		c, err := g.Tree(root, costs)
		return c, false, err
	case ExtractOptimum:
		return g.Optimum(ctx, root, costs, egraph.Limit{})
	}
	c, err := g.Shared(root, costs)
	return c, false, err
}
