package passes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// NewCall is a call of a procedure at sizes, by name, on contents of arrays, by name and row-major. Contents are decimal; an
// array without any holds zeros.
func NewCall(p *loops.Procedure, sizes map[string]int64, contents map[string][]string) (*Call, error) {
	c := &Call{Procedure: p, Sizes: sizes, Dims: map[*loops.Buffer][]int64{}, Bits: map[*loops.Buffer][]uint64{}}
	for _, h := range p.Heading {
		if h.Buffer == nil {
			continue
		}
		dims, err := extents(h.Buffer, sizes)
		if err != nil {
			return nil, err
		}
		count := int64(1)
		for _, d := range dims {
			count *= d
		}
		bits := make([]uint64, count)
		for i, s := range contents[h.Buffer.Name] {
			v, err := value.ParseValue(s, value.Exact, h.Buffer.Elem)
			if err != nil {
				return nil, err
			}
			n, ok := v.Bits()
			if !ok || int64(i) >= count {
				return nil, fmt.Errorf("%s is no element %d of %s", s, i, h.Buffer.Name)
			}
			bits[i] = n
		}
		c.Dims[h.Buffer], c.Bits[h.Buffer] = dims, bits
	}
	return c, nil
}

// extents are those of a parameter: a run of nothing has them.
func extents(b *loops.Buffer, sizes map[string]int64) ([]int64, error) {
	r, err := run.New(&loops.Procedure{Buffers: []*loops.Buffer{b}}, run.Options{Sizes: sizes})
	if err == nil {
		err = r.Do(context.Background())
	}
	if err != nil {
		return nil, err
	}
	return r.Dims(b), nil
}

// On is the same call of another procedure, whose heading is like that of the first.
func (c *Call) On(p *loops.Procedure) (*Call, error) {
	d := &Call{Procedure: p, Sizes: map[string]int64{}, Dims: map[*loops.Buffer][]int64{}, Bits: map[*loops.Buffer][]uint64{}}
	if len(p.Heading) != len(c.Procedure.Heading) {
		return nil, errors.New("other parameters")
	}
	for k, h := range p.Heading {
		from := c.Procedure.Heading[k]
		if (from.Buffer == nil) != (h.Buffer == nil) {
			return nil, errors.New("other parameters")
		}
		if h.Buffer == nil {
			d.Sizes[h.Size] = c.Sizes[from.Size]
			continue
		}
		d.Bits[h.Buffer] = c.Bits[from.Buffer]
		for axis, x := range h.Buffer.Dims {
			if x != nil && x.Op == loops.Size && axis < len(c.Dims[from.Buffer]) {
				d.Sizes[x.Name] = c.Dims[from.Buffer][axis]
			}
		}
	}
	return d, nil
}

// Evaluate runs a call in the reference evaluator, bit for bit.
func (c *Call) Evaluate(ctx context.Context) (*Outcome, error) {
	r, err := run.New(c.Procedure, run.Options{Arith: value.Exact, Sizes: c.Sizes,
		Input: func(b *loops.Buffer, offset int64) value.Value {
			if offset >= int64(len(c.Bits[b])) {
				return value.NoValue(fmt.Errorf("%s has no element %d", b.Name, offset))
			}
			return value.BitsValue(c.Bits[b][offset], b.Elem)
		}})
	if err != nil {
		return nil, err
	}
	err = r.Do(ctx)
	var ended *run.Ended
	if errors.As(err, &ended) {
		return &Outcome{Ended: ended.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	out := &Outcome{}
	for _, h := range c.Procedure.Heading {
		if h.Buffer == nil {
			continue
		}
		var words []string
		for offset := range c.Bits[h.Buffer] {
			n, ok := r.Value(h.Buffer, int64(offset)).Bits()
			if !ok {
				return nil, fmt.Errorf("element %d of %s has no value", offset, h.Buffer.Name)
			}
			words = append(words, fmt.Sprintf("%x", n))
		}
		out.Left = append(out.Left, strings.Join(words, " "))
	}
	return out, nil
}

// Difference says in which element what two programs leave differs first, in words; "" where it is the same.
func (c *Call) Difference(x, y *Outcome) string {
	switch {
	case x.Ended != "" || y.Ended != "":
		return fmt.Sprintf("%s before, %s after", ended(x), ended(y))
	case x.Same(y):
		return ""
	}
	k := 0
	for _, h := range c.Procedure.Heading {
		if h.Buffer == nil {
			continue
		}
		a, b := strings.Fields(x.Left[k]), strings.Fields(y.Left[k])
		for offset := range a {
			if a[offset] != b[offset] {
				return fmt.Sprintf("%s[%s] is %s before, %s after", h.Buffer.Name, c.index(h.Buffer, int64(offset)),
					decimal(a[offset], h.Buffer.Elem), decimal(b[offset], h.Buffer.Elem))
			}
		}
		k++
	}
	return "they differ"
}

// index is that of the element at an offset.
func (c *Call) index(b *loops.Buffer, offset int64) string {
	var list []string
	for axis := len(c.Dims[b]) - 1; axis >= 0; axis-- {
		d := c.Dims[b][axis]
		list = append(list, fmt.Sprint(offset%d))
		offset /= d
	}
	slices.Reverse(list)
	return strings.Join(list, ", ")
}

func ended(o *Outcome) string {
	if o.Ended == "" {
		return "it ends well"
	}
	return o.Ended
}

// decimal is an element that is given in hexadecimal.
func decimal(word string, e domain.Elem) string {
	var n uint64
	if _, err := fmt.Sscanf(word, "%x", &n); err != nil {
		return word
	}
	return value.BitsValue(n, e).String()
}
