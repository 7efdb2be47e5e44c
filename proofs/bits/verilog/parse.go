package verilog

import (
	"math/big"
	"strconv"
	"strings"

	"tv/proofs/bits/gates"
)

// A node of an expression. op is "name", "number", "text", "row", "times" (a count and a row),
// "call", "?", an operator, or a select of a name: "bit" (an index), "part" (two constants), "up"
// or "down" (a start and a width). A minus sign in front is "neg".
type node struct {
	op      string
	text    string
	args    []*node
	value   *big.Int
	wild    *big.Int // digits that are ? or z
	unknown bool     // some bit is x or z
	width   int      // of a number
	bare    bool     // a number without a width
	signed  bool     // of a number
	cell    string   // of Yosys', which it is; nothing in Verilog
	at      int      // where its first word stands in the text, that is no parenthesis
}

// A declaration of a net, a variable or a parameter.
type declaration struct {
	name   string
	kind   string // input, output, or nothing
	form   string // wire, reg, logic or integer
	signed bool
	rng    *[2]*node // left and right; nil of one bit
	first  *node     // of a variable: what it holds first; of a parameter: what it is
}

type instance struct {
	kind, name   string
	params, pins map[string]*node // nil: open
	own          *ownRegister     // of Yosys
}

type module struct {
	name      string
	ports     []string
	params    []declaration
	local     map[string]bool // parameters that no instance may set
	declared  []declaration
	assigned  [][2]*node
	processes []*process
	functions map[string]*function
	instances []instance
	generated []*generated
}

func readModules(text string) map[string]*module {
	t := split(text)
	out := map[string]*module{}
	for t.peek() != "" {
		t.want("module")
		m := &module{name: t.name(), local: map[string]bool{}, functions: map[string]*function{}}
		gates.Need(out[m.name] == nil, "module %s twice", m.name)
		out[m.name] = m
		if t.take("#") {
			t.want("(")
			for n := 0; !t.take(")"); n++ {
				gates.Need(n == 0 || t.take(","), "parameters without a comma between them")
				t.parameter(m, t.take("parameter"), n == 0)
			}
		}
		if t.take("(") {
			t.header(m)
		}
		t.want(";")
		for !t.take("endmodule") {
			t.item(m)
		}
	}
	return out
}

// parameter reads one. Where its keyword is left out it has the type of the one before it.
func (t *tokens) parameter(m *module, named, first bool) {
	gates.Need(named || !first, "a parameter is expected")
	d := declaration{}
	switch {
	case !named && len(m.params) > 0 && t.peek()[0] == nameMark:
		d = m.params[len(m.params)-1]
	case t.take("integer") || t.take("int"):
		d.form, d.signed, d.rng = "integer", true, integerRange
	default:
		d.signed = t.take("signed")
		d.rng = t.ranged()
	}
	d.name = t.name()
	t.want("=")
	d.first = t.expression(0)
	m.params = append(m.params, d)
}

func plain(n int64) *node {
	return &node{op: "number", value: big.NewInt(n), width: 32, bare: true, signed: true}
}

var integerRange = &[2]*node{plain(31), plain(0)}

func (t *tokens) header(m *module) {
	var d *declaration
	for n := 0; !t.take(")"); n++ {
		if n > 0 {
			t.want(",")
		}
		if t.peek() == "input" || t.peek() == "output" {
			x := t.before()
			d = &x
		}
		name := t.name()
		m.ports = append(m.ports, name)
		if d != nil {
			x := *d
			x.name = name
			t.initial(&x)
			m.declared = append(m.declared, x)
		}
	}
}

// before reads what stands before the names of a declaration.
func (t *tokens) before() declaration {
	d := declaration{form: "wire"}
	if s := t.peek(); s == "input" || s == "output" {
		d.kind = t.next()
	}
	for _, form := range []string{"wire", "logic", "reg", "integer", "int"} {
		if t.take(form) {
			gates.Need(d.kind != "input" || form == "wire" || form == "logic",
				"an input that is a variable")
			d.form = form
			break
		}
	}
	if d.form == "int" { // of two values: it starts with 0
		d.form, d.first = "integer", plain(0)
	}
	if d.form == "integer" {
		d.signed, d.rng = true, integerRange
		return d
	}
	d.signed = t.take("signed")
	d.rng = t.ranged()
	return d
}

// ranged reads a range, if there is one.
func (t *tokens) ranged() *[2]*node {
	if !t.take("[") {
		return nil
	}
	left := t.expression(0)
	t.want(":")
	right := t.expression(0)
	t.want("]")
	gates.Need(t.peek() != "[", "an array")
	return &[2]*node{left, right}
}

// initial reads what a variable holds first.
func (t *tokens) initial(d *declaration) {
	if d.form != "wire" && t.take("=") {
		d.first = t.expression(0)
	}
}

// listed reads what stands between commas, up to the semicolon.
func (t *tokens) listed(one func()) {
	for one(); t.take(","); {
		one()
	}
	t.want(";")
}

func (t *tokens) item(m *module) {
	switch s := t.peek(); {
	case t.take(";"):
	case s == "input" || s == "output" || s == "wire" || s == "reg" || s == "logic" ||
		s == "integer" || s == "int":
		d := t.before()
		t.listed(func() {
			x := d
			x.name = t.name()
			gates.Need(t.peek() != "[", "an array")
			t.initial(&x)
			m.declared = append(m.declared, x)
			if x.form == "wire" && t.take("=") {
				left := &node{op: "name", text: x.name}
				m.assigned = append(m.assigned, [2]*node{left, t.expression(0)})
			}
		})
	case t.take("assign"):
		t.listed(func() {
			left := t.target()
			t.want("=")
			m.assigned = append(m.assigned, [2]*node{left, t.expression(0)})
		})
	case s == "parameter" || s == "localparam":
		isFirst := true
		t.next()
		t.listed(func() {
			t.parameter(m, isFirst, isFirst)
			isFirst = false
			if p := m.params[len(m.params)-1]; s == "localparam" {
				m.local[p.name] = true
			}
		})
	case t.take("generate"):
		for !t.take("endgenerate") {
			t.item(m)
		}
	case t.take("genvar"):
		t.listed(func() { t.name() })
	case s == "for" || s == "if" || s == "case":
		m.generated = append(m.generated, t.generated(len(m.generated)+1))
	case s == "always" || s == "always_comb" || s == "always_ff" || s == "initial":
		m.processes = append(m.processes, t.process())
	case t.take("function"):
		f := t.function()
		gates.Need(m.functions[f.name] == nil, "function %s twice", f.name)
		m.functions[f.name] = f
	default:
		in := instance{kind: t.name()}
		if t.take("#") {
			in.params = t.connections()
		}
		t.listed(func() {
			in.name = t.name()
			in.pins = t.connections()
			m.instances = append(m.instances, in)
		})
	}
}

func (t *tokens) connections() map[string]*node {
	t.want("(")
	out := map[string]*node{}
	for n := 0; !t.take(")"); n++ {
		if n > 0 {
			t.want(",")
		}
		t.want(".")
		name := t.name()
		_, twice := out[name]
		gates.Need(!twice, "%s is connected twice", name)
		t.want("(")
		out[name] = nil
		if t.peek() != ")" {
			out[name] = t.expression(0)
		}
		t.want(")")
	}
	return out
}

// deepest is how deep expressions nest.
const deepest = 80000

// levels of binary operators, from the one that binds least.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^", "~^", "^~"}, {"&"}, {"==", "!=", "===", "!=="},
	{"<", "<=", ">", ">="}, {"<<", ">>", "<<<", ">>>"}, {"+", "-"}, {"*", "/", "%"}, {"**"}}

// expression reads operators of a level and of those that bind more. Level 0 has ? : too.
func (t *tokens) expression(level int) *node {
	t.deep++
	defer func() { t.deep-- }()
	gates.Need(t.deep < deepest, "expressions nest too deeply")
	if level == len(levels) {
		return t.unary()
	}
	x := t.expression(level + 1)
	for {
		found := ""
		for _, op := range levels[level] {
			if t.take(op) {
				found = op
				break
			}
		}
		if found == "" {
			break
		}
		x = &node{op: found, at: x.at, args: []*node{x, t.expression(level + 1)}}
	}
	if level == 0 && t.take("?") {
		yes := t.expression(0)
		t.want(":")
		return &node{op: "?", at: x.at, args: []*node{x, yes, t.expression(0)}}
	}
	return x
}

func (t *tokens) unary() *node {
	t.deep++
	defer func() { t.deep-- }()
	gates.Need(t.deep < deepest, "expressions nest too deeply")
	at := t.place()
	for _, op := range []string{"+", "-", "~", "!", "&", "|", "^", "~&", "~|", "~^", "^~"} {
		if t.take(op) {
			name := map[string]string{"-": "neg", "+": "pos", "&": "all", "|": "some",
				"^": "parity", "~&": "not all", "~|": "not some", "~^": "not parity",
				"^~": "not parity"}[op]
			if name == "" {
				name = op
			}
			return &node{op: name, at: at, args: []*node{t.unary()}}
		}
	}
	return t.primary()
}

func (t *tokens) primary() *node {
	at := t.place()
	s := t.next()
	switch {
	case s == "(":
		x := t.expression(0)
		t.want(")")
		return x
	case s == "{":
		x := &node{op: "row", at: at, args: []*node{t.expression(0)}}
		if t.take("{") {
			inner := t.row(t.expression)
			t.want("}")
			return &node{op: "times", at: at, args: []*node{x.args[0], inner}}
		}
		for t.take(",") {
			x.args = append(x.args, t.expression(0))
		}
		t.want("}")
		return x
	case s == "$signed" || s == "$unsigned":
		t.want("(")
		x := &node{op: s, at: at, args: []*node{t.expression(0)}}
		t.want(")")
		return x
	case s[0] == nameMark:
		gates.Need(t.peek() != ".", "a name elsewhere")
		if t.take("(") {
			x := &node{op: "call", text: s[1:], at: at}
			for n := 0; n == 0 || t.take(","); n++ {
				x.args = append(x.args, t.expression(0))
			}
			t.want(")")
			return x
		}
		return t.selected(s[1:], at)
	case s[0] == textMark:
		return &node{op: "text", text: s[1:], at: at}
	case s == "''0" || s == "''1": // one bit, which is extended by itself
		zero := &node{op: "number", width: 1, value: new(big.Int), at: at}
		if s == "''1" {
			return &node{op: "~", at: at, args: []*node{zero}}
		}
		return zero
	case isDigit(s[0]) || s[0] == '\'':
		x := number32(s)
		x.at = at
		return x
	}
	gates.Refuse("an expression is expected, not %q", s)
	return nil
}

// row reads what stands between commas up to a brace.
func (t *tokens) row(one func(level int) *node) *node {
	x := &node{op: "row"}
	for n := 0; n == 0 || t.take(","); n++ {
		x.args = append(x.args, one(0))
	}
	t.want("}")
	return x
}

// selected reads what of a name is meant.
func (t *tokens) selected(name string, at int) *node {
	x := &node{op: "name", text: name, at: at}
	if !t.take("[") {
		return x
	}
	x.op, x.args = "bit", []*node{t.expression(0)}
	for mark, op := range map[string]string{":": "part", "+:": "up", "-:": "down"} {
		if t.take(mark) {
			x.op, x.args = op, append(x.args, t.expression(0))
			break
		}
	}
	t.want("]")
	gates.Need(t.peek() != "[", "a part of a part")
	return x
}

// target reads what may be assigned to: a name, a part of it, or a row of such.
func (t *tokens) target() *node {
	if t.take("{") {
		return t.row(func(int) *node { return t.target() })
	}
	at := t.place()
	return t.selected(t.name(), at)
}

// number32 is the number of a word: digits alone have 32 bits and a sign.
func number32(s string) *node {
	gates.Need(s[0] == '\'' || isDigit(s[0]), "a number is expected, not %q", s)
	part := strings.Split(s, "'")
	x := &node{op: "number", width: 32, bare: true}
	if len(part) == 1 {
		v, ok := new(big.Int).SetString(s, 10)
		gates.Need(ok && v.BitLen() < 32, "the number %s", s)
		x.value, x.signed = v, true
		return x
	}
	gates.Need(len(part) == 3, "the number %s", s)
	if part[0] != "" {
		n, err := strconv.Atoi(part[0])
		gates.Need(err == nil && n >= 1 && n <= 1<<16, "the number %s", s)
		x.width, x.bare = n, false
	}
	base := part[1]
	if strings.HasPrefix(base, "s") {
		x.signed, base = true, base[1:]
	}
	radix := map[string]int{"b": 2, "o": 8, "d": 10, "h": 16}[base]
	gates.Need(radix > 0 && part[2] != "", "the number %s", s)
	if strings.ContainsAny(part[2], "xz?") {
		x.unknown, x.value = true, new(big.Int)
		x.wild = wildcards(part[2], base, x.width)
		part[2] = strings.Map(func(c rune) rune {
			if c == 'z' || c == '?' {
				return '0'
			}
			return c
		}, part[2])
		if x.wild == nil || x.bare {
			x.wild = nil
			return x
		}
	}
	v, ok := new(big.Int).SetString(part[2], radix)
	gates.Need(ok && v.Sign() >= 0 && v.BitLen() <= x.width, "the number %s", s)
	x.value = v
	return x
}

// wildcards are the bits of digits that are ? or z; nil where some are x, or where digits do not
// stand for bits.
func wildcards(digits, base string, width int) *big.Int {
	bits := map[string]int{"b": 1, "o": 3, "h": 4}[base]
	if bits == 0 || strings.Contains(digits, "x") {
		return nil
	}
	w := new(big.Int)
	for _, c := range digits {
		for range bits {
			w.Lsh(w, 1)
			if c == 'z' || c == '?' {
				w.SetBit(w, 0, 1)
			}
		}
	}
	// a z in front goes on to the left
	if len(digits)*bits < width && (digits[0] == 'z' || digits[0] == '?') {
		for i := len(digits) * bits; i < width; i++ {
			w.SetBit(w, i, 1)
		}
	}
	if w.BitLen() > width {
		return nil
	}
	return w
}
