package glenside

import "tv/semantics/domain"

// The operators of compute, applied to each item. x is ((S) (C)).
var computeOps = []*Op{
	{
		Name: "dot-product", Aliases: []string{"dotProd"}, Category: CatCompute, Cost: Sums,
		Operands: operands("x:access"),
		Shapes:   "((S) (n c...)) -> ((S) ())",
		Meaning:  "out[s] = sum over c of the product over i < n of x[s i c]",
		Example: "(input A (shape 2 4))\n(input B (shape 3 4))\n" +
			"(compute dot-product (access-cartesian-product (access A 1) (access B 1)))",
		typ: func(k *call) *Type {
			k.hasItems()
			return k.access(k.args[0].Access(), k.args[0].Split)
		},
	},
	{
		Name: "reduce-sum", Aliases: []string{"reduceSum"}, Category: CatCompute, Cost: Sums,
		Operands: operands("x:access"),
		Shapes:   "((S) (C)) -> ((S) ())",
		Meaning:  "out[s] = sum over c of x[s c]; 0 for an empty item",
		Example:  "(input A (shape 2 3))\n(compute reduce-sum (access A 1))",
		typ:      typeReduction,
	},
	{
		Name: "reduce-max", Aliases: []string{"reduceMax"}, Category: CatCompute, Cost: Function,
		Operands: operands("x:access"),
		Shapes:   "((S) (C)) -> ((S) ())",
		Meaning:  "out[s] = max of MIN and x[s c] over all c",
		Example:  "(input A (shape 2 3))\n(compute reduce-max (access A 1))",
		typ:      typeReduction,
	},
	{
		Name: "reduce-mean", Category: CatCompute, Cost: Sums, Operands: operands("x:access"),
		Shapes:  "((S) (C)) -> ((S) ())",
		Meaning: "out[s] = (sum over c of x[s c]) / |C|; undefined for an empty item",
		Example: "(input A (shape 2 3))\n(compute reduce-mean (access A 1))",
		typ:     typeReduction,
	},
	{
		Name: "elementwise-add", Category: CatCompute, Cost: Sums, Operands: operands("x:access"),
		Shapes:  "((S) (n c...)) -> ((S) (c...))",
		Meaning: "out[s c] = sum over i < n of x[s i c]",
		Example: "(input A (shape 2 3))\n(input B (shape 2 3))\n" +
			"(compute elementwise-add (access-pair (access A 1) (access B 1)))",
		typ: typeElementwise,
	},
	{
		Name: "elementwise-mul", Category: CatCompute, Cost: Sums, Operands: operands("x:access"),
		Shapes:  "((S) (n c...)) -> ((S) (c...))",
		Meaning: "out[s c] = product over i < n of x[s i c]",
		Example: "(input A (shape 2 3))\n(input B (shape 2 3))\n" +
			"(compute elementwise-mul (access-pair (access A 1) (access B 1)))",
		typ: typeElementwise,
	},
	{
		Name: "elementwise-div", Category: CatCompute, Cost: Function, Operands: operands("x:access"),
		Shapes:  "((S) (n c...)), n >= 1 -> ((S) (c...))",
		Meaning: "out[s c] = x[s 0 c] / x[s 1 c] / ... / x[s n-1 c], from the left",
		Example: "(input A (shape 2 3))\n(input B (shape 2 3))\n" +
			"(compute elementwise-div (access-pair (access A 1) (access B 1)))",
		typ: func(k *call) *Type {
			t := typeElementwise(k)
			if k.err == nil {
				k.atLeastOne(0, k.args[0].Compute()[0], "the number of operands of elementwise-div")
			}
			return t
		},
	},
	{
		Name: "relu", Category: CatCompute, Cost: Function, Operands: operands("x:access"),
		Shapes:  "((S) (C)) -> ((S) (C))",
		Meaning: "out[s c] = x[s c] where that is >= 0, else 0",
		Example: "(input A (shape 2 3))\n(compute relu (access A 1))",
		typ:     func(k *call) *Type { return k.args[0] },
	},
	{
		Name: "negative", Category: CatCompute, Cost: Sums, Operands: operands("x:access"),
		Shapes:  "((S) (C)) -> ((S) (C))",
		Meaning: "out[s c] = -x[s c]",
		Example: "(input A (shape 2 3))\n(compute negative (access A 1))",
		typ:     func(k *call) *Type { return k.args[0] },
	},
	{
		Name: "sqrt", Category: CatCompute, Cost: Enclosed, Divides: []int{0}, Operands: operands("x:access"),
		Shapes:  "((S) (C)) -> ((S) (C))",
		Meaning: "out[s c] = the square root of x[s c]; undefined where that is negative",
		Example: "(input A (shape 2 3))\n" +
			"(compute sqrt (compute elementwise-mul (access-pair (access A 1) (access A 1))))",
		typ: func(k *call) *Type { return k.args[0] },
	},
	{
		Name: "softmax", Category: CatCompute, Cost: Enclosed, Of: domain.RealKinds, Operands: operands("x:access"),
		Shapes:  "((S) (n)) -> ((S) (n))",
		Meaning: "out[s i] = exp(x[s i]) / (sum over j < n of exp(x[s j]))",
		Example: "(input A (shape 2 3))\n(compute softmax (access A 1))",
		typ: func(k *call) *Type {
			if x := k.args[0]; len(x.Compute()) != 1 {
				k.fail(0, "rank-mismatch", "softmax takes items of one axis, got %s", x.shape())
			}
			return k.args[0]
		},
	},
}

// hasItems states that the items have an axis.
func (k *call) hasItems() {
	if x := k.args[0]; len(x.Compute()) == 0 {
		k.fail(0, "rank-mismatch", "%s takes items with at least one axis, got %s", k.n.Op.Name, x.shape())
	}
}

func typeReduction(k *call) *Type { return k.access(k.args[0].Access(), k.args[0].Split) }

func typeElementwise(k *call) *Type {
	if k.hasItems(); k.err != nil {
		return nil
	}
	x := k.args[0]
	return k.access(replace(x.Dims, x.Split, x.Split+1), x.Split)
}
