package bits

import (
	"math/big"
	"strconv"
	"strings"
)

// Words of Verilog: names keep a mark in front that no text has, escaped or not, so that none is
// taken for a keyword; texts keep their quote; numbers with a base are one word without blanks.
type tokens struct {
	list []string
	at   int
	deep int
}

const (
	nameMark = '\x01'
	textMark = '"'
)

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// keywords that this subset has, or that it must not take for names.
var keywords = strings.Fields(`module endmodule input output inout wire reg logic assign signed
	always initial parameter localparam defparam function task generate genvar specify integer
	supply0 supply1 tri wand wor and or not nand nor xor xnor buf begin end if else case casez for
	always_ff always_comb always_latch primitive real time event`)

// split makes words of a text; comments, attributes and harmless directives are none.
func split(text string) *tokens {
	t := &tokens{}
	reserved := map[string]bool{}
	for _, k := range keywords {
		reserved[k] = true
	}
	text = strings.TrimPrefix(text, "\ufeff")
	until := func(i int, end string) int {
		n := strings.Index(text[i:], end)
		need(n >= 0, "the text ends within a comment, attribute or string")
		return i + n + len(end)
	}
	blank := func(c byte) bool { return strings.IndexByte(" \t\n\r\f", c) >= 0 }
	for i := 0; i < len(text); {
		c := text[i]
		rest := text[i:]
		j := i
		switch {
		case blank(c):
			i++
		case strings.HasPrefix(rest, "//"):
			if n := strings.IndexByte(rest, '\n'); n < 0 {
				i = len(text)
			} else {
				i += n
			}
		case strings.HasPrefix(rest, "/*"):
			i = until(i+2, "*/")
		case strings.HasPrefix(rest, "(*") && !strings.HasPrefix(rest, "(*)"):
			i = until(i+2, "*)")
		case c == '`':
			line, _, _ := strings.Cut(rest, "\n")
			directive, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch directive {
			case "`timescale", "`default_nettype", "`resetall", "`celldefine", "`endcelldefine":
			default:
				refuse("the directive %s", directive)
			}
			i += len(line)
		case c == '\\':
			for j++; j < len(text) && text[j] > ' ' && text[j] < 0x7f; j++ {
			}
			need(j > i+1, "an empty name")
			t.list = append(t.list, string(nameMark)+text[i+1:j])
			i = j
		case isLetter(c):
			for ; j < len(text) && (isLetter(text[j]) || isDigit(text[j])); j++ {
			}
			w := text[i:j]
			if !reserved[w] && w[0] != '$' {
				w = string(nameMark) + w
			}
			t.list = append(t.list, w)
			i = j
		case c == '"':
			end := until(i+1, `"`)
			s := text[i : end-1]
			need(!strings.ContainsAny(s, "\\\n"), "a string with an escape")
			t.list = append(t.list, s)
			i = end
		case isDigit(c) || c == '\'':
			for ; j < len(text) && (isDigit(text[j]) || text[j] == '_'); j++ {
			}
			size := text[i:j]
			k := j
			for k < len(text) && blank(text[k]) {
				k++
			}
			if k < len(text) && text[k] == '\'' {
				k++
				base := ""
				for k < len(text) && isLetter(text[k]) && len(base) < 2 {
					base += strings.ToLower(text[k : k+1])
					k++
					if base != "s" {
						break
					}
				}
				for k < len(text) && blank(text[k]) {
					k++
				}
				first := k
				for k < len(text) && (isLetter(text[k]) || isDigit(text[k]) || text[k] == '?') {
					k++
				}
				size += "'" + base + "'" + strings.ToLower(text[first:k])
				j = k
			} else {
				ends := j == len(text) || text[j] != '.' && !isLetter(text[j])
				need(ends, "a number that goes on")
			}
			t.list = append(t.list, strings.ReplaceAll(size, "_", ""))
			i = j
		default:
			n := 1
			for _, m := range []string{"<<<", ">>>", "===", "!==", "<<", ">>", "<=", ">=", "==",
				"!=", "&&", "||", "~&", "~|", "~^", "^~", "**", "+:", "-:"} {
				if strings.HasPrefix(rest, m) {
					n = len(m)
					break
				}
			}
			need(strings.IndexByte("()[]{},;:.#=+-*/%&|^~!<>?@", c) >= 0, "a strange character")
			t.list = append(t.list, rest[:n])
			i += n
		}
	}
	return t
}

func (t *tokens) peek() string {
	if t.at == len(t.list) {
		return ""
	}
	return t.list[t.at]
}

func (t *tokens) next() string {
	s := t.peek()
	need(s != "", "the text ends too early")
	t.at++
	return s
}

func (t *tokens) take(s string) bool {
	if t.peek() == s {
		t.at++
		return true
	}
	return false
}

func (t *tokens) want(s string) { need(t.take(s), "%q is expected, not %q", s, t.peek()) }

func (t *tokens) name() string {
	s := t.next()
	need(s[0] == nameMark, "a name is expected, not %q", s)
	return s[1:]
}

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
		need(out[m.name] == nil, "module %s twice", m.name)
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
		need(max(d.left-d.right, d.right-d.left) < 1<<16, "a net that is too wide")
		need(t.peek() != "[", "an array")
	}
	return d
}

func (d *declaration) width() int { return max(d.left-d.right, d.right-d.left) + 1 }

// integer is an index: a number that is no part of a longer expression.
func (t *tokens) integer() int {
	minus := t.take("-")
	n := number32(t.next())
	need(n.op == "number" && !n.unknown && n.value.IsInt64() && n.value.Int64() < 1<<30, "no index")
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
		need(!twice, "%s is connected twice", name)
		t.want("(")
		out[name] = nil
		if t.peek() != ")" {
			out[name] = t.expression(0)
		}
		t.want(")")
	}
	return out
}

// levels of binary operators, from the one that binds least.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^", "~^", "^~"}, {"&"}, {"==", "!=", "===", "!=="},
	{"<", "<=", ">", ">="}, {"<<", ">>", "<<<", ">>>"}, {"+", "-"}, {"*"}}

// expression reads operators of a level and of those that bind more. Level 0 has ? : too.
func (t *tokens) expression(level int) *node {
	t.deep++
	defer func() { t.deep-- }()
	need(t.deep < 20*deepest, "expressions nest too deeply")
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
	need(t.deep < 20*deepest, "expressions nest too deeply")
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
			need(n.op == "number" && !n.unknown && n.value.IsInt64(), "a count is a number")
			count := int(n.value.Int64())
			need(count >= 1 && count <= 1<<16, "a count of %d", count)
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
		need(t.peek() != "(" && t.peek() != ".", "a call or a name elsewhere")
		if t.take("[") {
			x.op = "part"
			x.hi = t.integer()
			if x.lo = x.hi; t.take(":") {
				x.lo = t.integer()
			}
			t.want("]")
			need(t.peek() != "[", "a part of a part")
		}
		return x
	case s[0] == textMark:
		return &node{op: "text", text: s[1:]}
	case isDigit(s[0]) || s[0] == '\'':
		return number32(s)
	}
	refuse("an expression is expected, not %q", s)
	return nil
}

// number32 is the number of a word: digits alone have 32 bits and a sign.
func number32(s string) *node {
	need(s[0] == '\'' || isDigit(s[0]), "a number is expected, not %q", s)
	part := strings.Split(s, "'")
	x := &node{op: "number", width: 32, bare: true}
	if len(part) == 1 {
		v, ok := new(big.Int).SetString(s, 10)
		need(ok && v.BitLen() < 32, "the number %s", s)
		x.value, x.signed = v, true
		return x
	}
	need(len(part) == 3, "the number %s", s)
	if part[0] != "" {
		n, err := strconv.Atoi(part[0])
		need(err == nil && n >= 1 && n <= 1<<16, "the number %s", s)
		x.width, x.bare = n, false
	}
	base := part[1]
	if strings.HasPrefix(base, "s") {
		x.signed, base = true, base[1:]
	}
	radix := map[string]int{"b": 2, "o": 8, "d": 10, "h": 16}[base]
	need(radix > 0 && part[2] != "", "the number %s", s)
	if strings.ContainsAny(part[2], "xz?") {
		x.unknown, x.value = true, new(big.Int)
		return x
	}
	v, ok := new(big.Int).SetString(part[2], radix)
	need(ok && v.Sign() >= 0 && v.BitLen() <= x.width, "the number %s", s)
	x.value = v
	return x
}
