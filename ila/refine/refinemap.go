package refine

import (
	"fmt"
	"strconv"
	"strings"

	"tv/ila"
	"tv/semantics/term"
)

// Say adds one entry of the map as text, "NAME=PARTS": NAME is an input or a bit-vector of Right, and PARTS, split by
// "++" and the highest bits first, are inputs and bit-vectors of Left (op), bits of them (op{3:0}) or numbers of so many
// bits (0:4: 0 in 4 bits). Their widths add up to that of NAME.
func (r *Refinement) Say(text string) error {
	name, parts, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%q is not NAME=PARTS", text)
	}
	v := scalarOf(r.Right, strings.TrimSpace(name))
	if v == nil {
		return fmt.Errorf("%s has no input or bit-vector %q", r.Right.Name, strings.TrimSpace(name))
	}
	if r.Map[v] != nil {
		return fmt.Errorf("%s is mapped twice", v.Name)
	}
	var whole *term.Term
	width := 0
	for _, text := range strings.Split(parts, "++") {
		t, err := r.part(strings.TrimSpace(text))
		if err != nil {
			return err
		}
		if width += t.Sort.Width; width > v.Width {
			break
		}
		if whole == nil {
			whole = t
		} else {
			whole = r.Left.B.Concat(whole, t)
		}
	}
	if width != v.Width {
		return fmt.Errorf("%s has %d bits, not those of %s", v.Name, v.Width, strings.TrimSpace(parts))
	}
	if r.Map == nil {
		r.Map = map[*ila.Var]*term.Term{}
	}
	r.Map[v] = whole
	return nil
}

func scalarOf(m *ila.Model, name string) (found *ila.Var) {
	scalars, _ := m.Layout()
	for _, v := range scalars {
		if v.Name == name && found == nil {
			found = v
		}
	}
	return found
}

func (r *Refinement) part(text string) (*term.Term, error) {
	if number, bits, ok := strings.Cut(text, ":"); ok && !strings.Contains(number, "{") {
		width, err := strconv.Atoi(bits)
		n, errN := strconv.ParseUint(number, 0, 64)
		if err != nil || errN != nil || width < 1 || width > 64 || n > term.Ones(width) {
			return nil, fmt.Errorf("%q is not a number and the bits that it has, such as 0:4", text)
		}
		return r.Left.B.Bits(width, n), nil
	}
	name, bits, cut := strings.Cut(text, "{")
	v := scalarOf(r.Left, name)
	if v == nil {
		return nil, fmt.Errorf("%s has no input or bit-vector %q", r.Left.Name, name)
	}
	if !cut {
		return v.Term, nil
	}
	high, low, ok := strings.Cut(strings.TrimSuffix(bits, "}"), ":")
	from, err := strconv.Atoi(low)
	to, errTo := strconv.Atoi(high)
	if !ok || err != nil || errTo != nil || !strings.HasSuffix(bits, "}") || from < 0 || to < from || to >= v.Width {
		return nil, fmt.Errorf("%q is not bits {HIGH:LOW} of %s, which has %d", text, name, v.Width)
	}
	return r.Left.B.Extract(v.Term, from, to-from+1), nil
}
