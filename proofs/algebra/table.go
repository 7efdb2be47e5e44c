package algebra

// Tables. A constant is written as numbers side by side, so that its element at an index without a
// value is a choice among all of them. Two constants are compared by asking both for the number at
// each index instead, one index after the other.

// Bounds of tables: how many parts make one, and how many elements it has. Smaller constants are
// goals like anything else.
const (
	tableParts    = 256
	tableElements = 1 << 16
)

// tabled tells whether a side is a constant of many parts.
func (s side) tabled() bool { return s.elements.Fixed(s.part) >= tableParts }

// table tells whether two tensors are known to be the same numbers: it asks for each element, until
// one is no number, or another one. False says nothing.
func (e *engine) table(dims []*Expr, x, y func(*Context, []*Expr) *Scalar) bool {
	ends := make([]int64, len(dims))
	total := int64(1)
	for i, d := range dims {
		n, number := d.Const()
		m, small := n.Int64()
		if !number || !small || m < 1 || m > tableElements/total {
			return false
		}
		ends[i], total = m, total*m
	}
	position, at := make([]int64, len(dims)), make([]*Expr, len(dims))
	for n := range total {
		if n%1024 == 0 {
			e.alive()
		}
		for i, p := range position {
			at[i] = e.Const(p)
		}
		s, t := x(e.Root, at), y(e.Root, at)
		if s != t || s.Op != OpConst || s.Val == nil { // equal terms are one pointer
			return false
		}
		for k := len(position) - 1; k >= 0; k-- {
			if position[k]++; position[k] < ends[k] {
				break
			}
			position[k] = 0
		}
	}
	return true
}
