package sample

import "tv/semantics"

// rootedInputs names the inputs that a program divides by or takes the root of, as they are or moved, shifted and scaled:
// where their elements are of both signs, hardly an element of a network has a value.
func rootedInputs(p semantics.Program, names map[string]bool) {
	parts := p.Parts()
	var mark func(part int)
	mark = func(part int) {
		switch n := &parts[part]; {
		case n.Input != "":
			names[n.Input] = true
		case !n.Leaf && n.Cost <= semantics.Scales:
			for _, a := range n.Operands {
				if parts[a].Tensor {
					mark(a)
				}
			}
		}
	}
	for i := range parts {
		for _, operand := range parts[i].Divides {
			if operand < len(parts[i].Operands) {
				mark(parts[i].Operands[operand])
			}
		}
	}
}
