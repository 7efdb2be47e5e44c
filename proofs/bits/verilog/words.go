package verilog

import (
	"strings"

	"tv/proofs/bits/gates"
)

// Words of Verilog: names keep a mark in front that no text has, escaped or not, so that none is
// taken for a keyword; texts keep their quote; numbers with a base are one word without blanks.
type tokens struct {
	text string
	list []string
	from []int // where each begins in the text
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
	always initial parameter localparam defparam function task generate endgenerate genvar specify
	integer supply0 supply1 tri wand wor and or not nand nor xor xnor buf begin end if else case
	casez for int always_ff always_comb always_latch primitive real time event posedge negedge
	endfunction endcase default automatic casex while repeat forever`)

// split makes words of a text; comments, attributes and harmless directives are none.
func split(text string) *tokens {
	text = strings.TrimPrefix(text, "\ufeff")
	t := &tokens{text: text, list: make([]string, 0, len(text)/4), from: make([]int, 0,
		len(text)/4)}
	reserved := map[string]bool{}
	for _, k := range keywords {
		reserved[k] = true
	}
	until := func(i int, end string) int {
		n := strings.Index(text[i:], end)
		gates.Need(n >= 0, "the text ends within a comment, attribute or string")
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
				gates.Refuse("the directive %s", directive)
			}
			i += len(line)
		case c == '\\':
			for j++; j < len(text) && text[j] > ' ' && text[j] < 0x7f; j++ {
			}
			gates.Need(j > i+1, "an empty name")
			t.add(string(nameMark)+text[i+1:j], i)
			i = j
		case isLetter(c):
			for ; j < len(text) && (isLetter(text[j]) || isDigit(text[j])); j++ {
			}
			w := text[i:j]
			if !reserved[w] && w[0] != '$' {
				w = string(nameMark) + w
			}
			t.add(w, i)
			i = j
		case c == '"':
			end := until(i+1, `"`)
			s := text[i : end-1]
			gates.Need(!strings.ContainsAny(s, "\\\n"), "a string with an escape")
			t.add(s, i)
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
				gates.Need(ends, "a number that goes on")
			}
			t.add(strings.ReplaceAll(size, "_", ""), i)
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
			gates.Need(strings.IndexByte("()[]{},;:.#=+-*/%&|^~!<>?@", c) >= 0,
				"a strange character")
			t.add(rest[:n], i)
			i += n
		}
	}
	return t
}

func (t *tokens) add(word string, from int) {
	t.list, t.from = append(t.list, word), append(t.from, from)
}

// place is where the next word begins, counted in bytes.
func (t *tokens) place() int {
	if t.at == len(t.from) {
		return 0
	}
	return t.from[t.at]
}

func (t *tokens) peek() string {
	if t.at == len(t.list) {
		return ""
	}
	return t.list[t.at]
}

func (t *tokens) next() string {
	s := t.peek()
	gates.Need(s != "", "the text ends too early")
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

// want does not use Need: what it would say is costly to have at hand for each word.
func (t *tokens) want(s string) {
	if !t.take(s) {
		gates.Refuse("%q is expected, not %q", s, t.peek())
	}
}

func (t *tokens) name() string {
	s := t.next()
	if s[0] != nameMark {
		gates.Refuse("a name is expected, not %q", s)
	}
	return s[1:]
}
