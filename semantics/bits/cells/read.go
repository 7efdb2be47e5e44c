package cells

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"tv/internal/sexpr"
	"tv/internal/source"
)

// readTable reads a table. What is wrong with it is an error of tv.
func readTable(arch, name, text string) map[string]*Cell {
	f := source.NewFile(name, text)
	forms, err := sexpr.Read(f)
	if err != nil {
		panic(err)
	}
	out := map[string]*Cell{}
	for _, x := range forms {
		must(x, x.Head() == "cell" && len(x.List) > 2, "a table has cells")
		names := []*sexpr.Form{x.List[1]}
		if x.List[1].IsList { // of one meaning
			names = x.List[1].List
		}
		for _, n := range names {
			must(x, out[n.Atom] == nil, "cell %s is there twice", n.Atom)
			out[n.Atom] = readCell(arch, n.Atom, x.List[2:])
		}
	}
	return out
}

func must(x *sexpr.Form, ok bool, format string, args ...any) {
	if !ok {
		panic(x.Errorf("syntax", format, args...))
	}
}

func readCell(arch, name string, items []*sexpr.Form) *Cell {
	c := &Cell{Arch: arch, Name: name, ignored: map[string]bool{}, rows: map[string]row{}}
	tables := map[string]bool{}
	for _, x := range items {
		lookups(x, tables)
	}
	for _, x := range items {
		switch x.Head() {
		case "param":
			p := Param{Name: x.List[1].Atom}
			if x.List[2].Quoted {
				for _, t := range x.List[2:] {
					p.Texts = append(p.Texts, t.Atom)
				}
			} else {
				p.Width, p.Table, p.Any = integer(x.List[2]), tables[p.Name], x.List[3].Atom == "x"
				if p.Default = new(big.Int); !p.Any {
					p.Default = constant(x.List[3])
				}
			}
			c.Params = append(c.Params, p)
		case "in", "out":
			for _, y := range x.List[1:] {
				p := Pin{Name: y.Atom, Width: 1}
				if y.IsList {
					p.Name, p.Width = y.List[0].Atom, integer(y.List[1])
					if len(y.List) > 2 {
						p.Default = constant(y.List[2])
					}
				}
				c.add(x.Head(), p)
			}
		case "row":
			word, width := x.List[2].Atom, integer(x.List[3])
			c.rows[word] = row{width}
			for i := range width {
				p := Pin{Name: fmt.Sprintf("%s%d", word, i), Width: 1}
				if len(x.List) > 4 {
					p.Default = constant(x.List[4])
				}
				c.add(x.List[1].Atom, p)
			}
		case "ignored":
			for _, y := range x.List[1:] {
				c.ignored[y.Atom] = true
			}
		case "let", "is", "clock", "register", "inactive", "asynchronous", "forbidden", "illegal", "trusts":
			c.items = append(c.items, x)
		default:
			must(x, false, "an item of a cell is expected")
		}
	}
	return c
}

// lookups finds the names that lookups read, or a part of them.
func lookups(x *sexpr.Form, found map[string]bool) {
	if x.Head() == "lookup" {
		table := x.List[1]
		if table.IsList {
			table = table.List[0]
		}
		found[table.Atom] = true
	}
	for _, y := range x.List {
		lookups(y, found)
	}
}

func (c *Cell) add(kind string, p Pin) {
	if kind == "in" {
		c.Inputs = append(c.Inputs, p)
	} else {
		c.Outputs = append(c.Outputs, p)
	}
}

func integer(x *sexpr.Form) int {
	n, err := strconv.Atoi(x.Atom)
	must(x, err == nil, "a number is expected")
	return n
}

// constant reads a decimal number or #x or #b digits.
func constant(x *sexpr.Form) *big.Int {
	text, base := x.Atom, 10
	for prefix, b := range map[string]int{"#x": 16, "#b": 2} {
		if strings.HasPrefix(text, prefix) {
			text, base = text[2:], b
		}
	}
	v, ok := new(big.Int).SetString(text, base)
	must(x, ok, "a number is expected")
	return v
}
