package eval

// coreRules are the operators of Glenside's core. All they do is say where elements are.
var coreRules = map[string]rule{
	// Sizes, lists and literals are in the types.
	"literal":           nothing,
	"shape":             nothing,
	"list":              nothing,
	"access-shape":      nothing,
	"get-access-shape":  nothing,
	"shape-of":          nothing,
	"slice-shape":       nothing,
	"shape-insert-axis": nothing,
	"shape-remove-axis": nothing,

	"access-literal": func(k *call) result {
		return result{view: view{k.dims, constant(k.literal(k.node.Args[0].Args[0]))}}
	},
	"constant-tensor": func(k *call) result { return result{view: view{k.dims, constant(k.number(0))}} },

	"construct-tuple": func(k *call) result {
		r := result{items: make([]result, len(k.node.Args))}
		for i, a := range k.node.Args {
			r.items[i] = *k.result(a)
		}
		return r
	},
	"tuple-get-item": func(k *call) result { return k.result(k.node.Args[0]).items[k.int(1)] },

	// A split changes no element.
	"access-tensor":      same,
	"access":             same,
	"access-shift-right": same,

	"access-transpose":   func(k *call) result { return result{view: k.arg(0).transpose(k.list(1))} },
	"access-reshape":     reshaped,
	"access-flatten":     reshaped,
	"access-squeeze":     func(k *call) result { return result{view: k.arg(0).fix(int(k.int(1)), 0)} },
	"access-insert-axis": func(k *call) result { return result{view: k.arg(0).insertAxis(int(k.int(1)))} },
	"access-broadcast":   func(k *call) result { return result{view: k.arg(0).broadcast(k.dims)} },

	"access-slice": func(k *call) result {
		axis := int(k.int(1))
		return result{view: k.arg(0).slice(axis, k.int(2), k.dims[axis])}
	},
	"access-concatenate": func(k *call) result {
		return result{view: concatenate(int(k.int(2)), []view{k.arg(0), k.arg(1)})}
	},
	"access-pad": func(k *call) result {
		value := k.Zero()
		if k.word(1) == "min-padding" {
			value = k.Lowest()
		}
		return result{view: k.arg(0).pad(int(k.int(2)), k.int(3), k.int(4), value)}
	},
	"access-pair": func(k *call) result {
		return result{view: stack(k.split(0), []view{k.arg(0), k.arg(1)})}
	},

	// The result is ((S T) (2 C)).
	"access-cartesian-product": func(k *call) result {
		s, t := k.split(0), k.split(1)
		x, y := k.arg(0), k.arg(1)
		var left, right []int // where the axes of the operands are in ((S T) (C))
		for i := range x.dims {
			if i < s {
				left = append(left, i)
			} else {
				left = append(left, t+i)
			}
		}
		for i := range y.dims {
			right = append(right, s+i)
		}
		items := append(append([]int64{}, k.dims[:s+t]...), k.dims[s+t+1:]...)
		return result{view: stack(s+t, []view{x.along(items, left...), y.along(items, right...)})}
	},

	// The result is ((S O) (w)); window o begins at o*strides.
	"access-windows": func(k *call) result {
		s, strides := k.split(0), k.list(2)
		by := identity(s)
		for i, stride := range strides {
			by = append(by, axisOf(s+len(strides)+i).plus(axisOf(s+i), stride))
		}
		return result{view: k.arg(0).move(k.dims, by)}
	},
}

func nothing(*call) result { return result{} }

func same(k *call) result { return result{view: k.arg(0)} }

func reshaped(k *call) result { return result{view: k.arg(0).reshape(k.dims)} }
