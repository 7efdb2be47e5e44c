package tc

import (
	"fmt"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

// Describe returns what is implicit in a definition, as lines of text: for each statement the ranges of its indices, what
// they have to hold, the extents of an output that it is the first to write, and the subscripts that stay conditions.
func Describe(f *source.File, function string) (string, error) {
	e, err := read(f, function)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, c := range e.done {
		c.describe(&out)
	}
	return out.String(), nil
}

func (c *scope) describe(out *strings.Builder) {
	at := c.stmt.span.Position()
	fmt.Fprintf(out, "%d:%d: %s\n", at.Line, at.Col, show(c.stmt.span))
	line := func(format string, args ...any) { fmt.Fprintf(out, "  "+format+"\n", args...) }
	for _, i := range c.order {
		how := "inferred"
		if i.range_ != nil {
			how = "written"
		}
		if !i.left {
			how += ", reduced"
		}
		line("%s <= %s < %s  (%s)", i.lo.Formula(), i.text, i.hi.Formula(), how)
	}
	for _, s := range c.conditions() {
		line("%s", s)
	}
	name := c.stmt.to.text
	if !c.again {
		var dims []string
		for _, d := range c.target.dims {
			dims = append(dims, d.Formula())
		}
		text := c.target.buffer.Elem.String()
		if len(dims) > 0 {
			text += "(" + strings.Join(dims, ", ") + ")"
		}
		line("%s: %s", name, text)
	}
	if c.again && c.stmt.init {
		line("note: ! sets cells of %s anew, which was written before; an implementation that sets those of new tensors alone differs", name)
	}
	if c.elsewhere() {
		line("note: reads %s at other cells than the one that is written: iterations run row by row", name)
	}
	if c.stmt.skipped.File != nil {
		line("note: %s is not looked at", show(c.stmt.skipped))
	}
}

// conditions are what has to hold: of inferred ranges, and of subscripts by which none was.
func (c *scope) conditions() (list []string) {
	add := func(s string) {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for _, h := range c.held {
		add("requires " + h[0].Formula() + " <= " + h[1].Formula())
	}
	if !c.again {
		for axis, i := range c.order[:len(c.stmt.indices)] {
			if domain.Le(zero, i.lo).Decide(&domain.Facts{}) != domain.Always {
				add(fmt.Sprintf("requires 0 <= %s  (axis %d of %s)", i.lo.Formula(), axis, c.stmt.to.text))
			}
		}
	}
	perhaps := map[*expr]bool{}
	c.value.perhaps(perhaps, false)
	for _, s := range c.used {
		if text := c.subscripted(s, perhaps[s.at]); text != "" && !s.used {
			add(text)
		}
	}
	return list
}

// subscripted is what has to hold of a subscript, "" if it does at all sizes. Of what is perhaps not read it has to hold there alone.
func (c *scope) subscripted(s *subscript, perhaps bool) string {
	size := c.size(s.at, nil) // simpler now that ranges are known
	of := fmt.Sprintf("  (axis %d of %s)", s.axis, s.of)
	if perhaps {
		of = fmt.Sprintf("  (axis %d of %s, where it is read)", s.axis, s.of)
	}
	all := fmt.Sprintf("requires 0 <= %s < %s%s", size.Formula(), s.extent.Formula(), of)
	least, most, ok := c.ends(size)
	if !ok {
		return all
	}
	low := domain.Le(zero, least).Decide(&domain.Facts{}) == domain.Always
	high := domain.Lt(most, s.extent).Decide(&domain.Facts{}) == domain.Always
	switch {
	case low && high:
		return ""
	case perhaps:
		return all
	case low:
		return fmt.Sprintf("requires %s < %s%s", most.Formula(), s.extent.Formula(), of)
	case high:
		return fmt.Sprintf("requires 0 <= %s%s", least.Formula(), of)
	}
	return fmt.Sprintf("requires 0 <= %s and %s < %s%s", least.Formula(), most.Formula(), s.extent.Formula(), of)
}

// perhaps collects what is computed under conditions alone.
func (x *expr) perhaps(all map[*expr]bool, under bool) {
	if under {
		all[x] = true
	}
	for k, a := range x.args {
		a.perhaps(all, under || k > 0 && (x.op == "?:" || x.op == "&&" || x.op == "||"))
	}
}

// ends are the extremes of a size, if they can be told.
func (c *scope) ends(s domain.Size) (least, most domain.Size, ok bool) {
	err := attempt(func() { c.inside(func() { least, most = c.extremes(s, c.stmt.span) }) })
	return least, most, err == nil
}

// elsewhere tells whether a statement reads what it writes at other cells.
func (c *scope) elsewhere() (found bool) {
	c.value.visit(func(x *expr) {
		if x.op != opApply || x.name != c.stmt.to.text {
			return
		}
		for axis, a := range x.args {
			found = found || a.op != opName || a.name != c.stmt.indices[axis].text
		}
	})
	return found
}
