package equiv

import "tv/glenside"

// asked holds the operand of an operator that has to be positive, or not 0, for there to be a value.
var asked = map[string]int{"sqrt": 0, "relay-sqrt": 0, "relay-divide": 1, "relay-batch-norm-inference": 4}

// rootedInputs names the inputs that a program divides by or takes the root of, as they are or moved, shifted and scaled:
// where their elements are of both signs, hardly an element of a network has a value.
func rootedInputs(ty *glenside.Typing, names map[string]bool) {
	var mark func(n *glenside.Node)
	mark = func(n *glenside.Node) {
		switch {
		case n.Kind == glenside.KindSymbol:
			names[n.Text] = true
		case n.Kind == glenside.KindCall && (moving(n) || n.Op.Name == "relay-add" || n.Op.Name == "relay-multiply"):
			for _, a := range n.Args {
				if isArray(ty.Type(a)) {
					mark(a)
				}
			}
		}
	}
	for _, n := range ty.Program.Nodes {
		if n.Kind != glenside.KindCall {
			continue
		}
		if i, ok := asked[n.Op.Name]; ok && i < len(n.Args) {
			mark(n.Args[i])
		}
	}
}
