package verilog

import (
	"math/big"
	"strconv"
	"strings"

	"tv/proofs/bits/gates"
)

// A node of an expression. op is "name", "number", "text", "part", "row", "times", "?" or an
// operator; a minus sign in front is "neg".
type node struct {
	op      string
	text    string
	args    []*node
	value   *big.Int
	unknown bool // some bit is x or z
	width   int  // of a number
	bare    bool // a number without a width
	signed  bool // of a number
	hi, lo  int  // of a part; times: hi
}

// A declaration of a net.
type declaration struct {
	name             string
	kind             string // input, output or wire
	signed, isRanged bool
	left, right      int
}

type instance struct {
	kind, name   string
	params, pins map[string]*node // nil: open
}

type module struct {
	name      string
	ports     []string
	declared  []declaration
	assigned  [][2]*node
	instances []instance
}

func readModules(text string) map[string]*module {
	t := split(text)
	out := map[string]*module{}
	for t.peek() != "" {
		t.want("module")
		m := &module{name: t.name()}
		gates.Need(out[m.name] == nil, "module %s twice", m.name)
		out[m.name] = m
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
			m.declared = append(m.declared, x)
		}
	}
}

// before reads what stands before the names of a declaration.
func (t *tokens) before() declaration {
	d := declaration{kind: t.next()}
	if d.kind != "wire" && !t.take("wire") {
		t.take("logic")
	}
	d.signed = t.take("signed")
	if t.take("[") {
		d.isRanged = true
		d.left = t.integer()
		t.want(":")
		d.right = t.integer()
		t.want("]")
		gates.Need(max(d.left-d.right, d.right-d.left) < 1<<16, "a net that is too wide")
		gates.Need(t.peek() != "[", "an array")
	}
	return d
}

func (d *declaration) width() int { return max(d.left-d.right, d.right-d.left) + 1 }

// integer is an index: a number that is no part of a longer expression.
func (t *tokens) integer() int {
	minus := t.take("-")
	n := number32(t.next())
	gates.Need(n.op == "number" && !n.unknown && n.value.IsInt64() && n.value.Int64() < 1<<30, "no index")
	v := int(n.value.Int64())
	if minus {
		v = -v
	}
	return v
}

func (t *tokens) item(m *module) {
	switch s := t.peek(); {
	case t.take(";"):
	case s == "input" || s == "output" || s == "wire":
		d := t.before()
		for {
			d.name = t.name()
			m.declared = append(m.declared, d)
			if t.take("=") {
				left := &node{op: "name", text: d.name}
				m.assigned = append(m.assigned, [2]*node{left, t.expression(0)})
			}
			if !t.take(",") {
				break
			}
		}
		t.want(";")
	case t.take("assign"):
		for {
			left := t.primary()
			t.want("=")
			m.assigned = append(m.assigned, [2]*node{left, t.expression(0)})
			if !t.take(",") {
				break
			}
		}
		t.want(";")
	default:
		in := instance{kind: t.name()}
		if t.take("#") {
			in.params = t.connections()
		}
		for {
			in.name = t.name()
			in.pins = t.connections()
			m.instances = append(m.instances, in)
			if !t.take(",") {
				break
			}
		}
		t.want(";")
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
	{"<", "<=", ">", ">="}, {"<<", ">>", "<<<", ">>>"}, {"+", "-"}, {"*"}}

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
		x = &node{op: found, args: []*node{x, t.expression(level + 1)}}
	}
	if level == 0 && t.take("?") {
		yes := t.expression(0)
		t.want(":")
		return &node{op: "?", args: []*node{x, yes, t.expression(0)}}
	}
	return x
}

func (t *tokens) unary() *node {
	t.deep++
	defer func() { t.deep-- }()
	gates.Need(t.deep < deepest, "expressions nest too deeply")
	for _, op := range []string{"+", "-", "~", "!", "&", "|", "^", "~&", "~|", "~^", "^~"} {
		if t.take(op) {
			name := map[string]string{"-": "neg", "+": "pos", "&": "all", "|": "some",
				"^": "parity", "~&": "not all", "~|": "not some", "~^": "not parity",
				"^~": "not parity"}[op]
			if name == "" {
				name = op
			}
			return &node{op: name, args: []*node{t.unary()}}
		}
	}
	return t.primary()
}

func (t *tokens) primary() *node {
	s := t.next()
	switch {
	case s == "(":
		x := t.expression(0)
		t.want(")")
		return x
	case s == "{":
		x := &node{op: "row", args: []*node{t.expression(0)}}
		if t.peek() == "{" {
			n := x.args[0]
			gates.Need(n.op == "number" && !n.unknown && n.value.IsInt64(), "a count is a number")
			count := int(n.value.Int64())
			gates.Need(count >= 1 && count <= 1<<16, "a count of %d", count)
			inner := t.primary()
			t.want("}")
			return &node{op: "times", hi: count, args: []*node{inner}}
		}
		for t.take(",") {
			x.args = append(x.args, t.expression(0))
		}
		t.want("}")
		return x
	case s == "$signed" || s == "$unsigned":
		t.want("(")
		x := &node{op: s, args: []*node{t.expression(0)}}
		t.want(")")
		return x
	case s[0] == nameMark:
		x := &node{op: "name", text: s[1:]}
		gates.Need(t.peek() != "(" && t.peek() != ".", "a call or a name elsewhere")
		if t.take("[") {
			x.op = "part"
			x.hi = t.integer()
			if x.lo = x.hi; t.take(":") {
				x.lo = t.integer()
			}
			t.want("]")
			gates.Need(t.peek() != "[", "a part of a part")
		}
		return x
	case s[0] == textMark:
		return &node{op: "text", text: s[1:]}
	case isDigit(s[0]) || s[0] == '\'':
		return number32(s)
	}
	gates.Refuse("an expression is expected, not %q", s)
	return nil
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
		return x
	}
	v, ok := new(big.Int).SetString(part[2], radix)
	gates.Need(ok && v.Sign() >= 0 && v.BitLen() <= x.width, "the number %s", s)
	x.value = v
	return x
}
