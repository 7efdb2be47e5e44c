package cnest

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/proofs/procedures"
)

// check ends the reading where something does not hold.
var check = procedures.Check

// A token is a preprocessing token (6.4). What a macro leaves has the place of the macro's name.
type token struct {
	text string
	at   source.Span
	hide []string // macros that it came out of, which it does not call again (6.10.3.4)
}

// A macro is a #define.
type macro struct {
	call   bool // with parameters, if only an empty list of them
	params []string
	body   []token
}

// Limits of texts, which are taken apart by recursion.
const (
	maxText   = 1 << 17
	maxTokens = 1 << 17 // of macros too
	maxNested = 200
)

var (
	space = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([ \t\r\f\v]|\\\r?\n|//(\\\r?\n|[^\n])*|(?s:/\*.*?\*/))+`)
	})
	spliced = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\S\\\r?\n\S`) })
	word    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Za-z_]\w*|\.?[0-9]([eEpP][+-]|[\w.])*|` +
			`"([^"\\\n]|\\.)*"|'([^'\\\n]|\\.)*'|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|` +
			`\|\||##|[-+*/%&|^]=|[][(){}.&*+~!/%<>^|?:;=,#-])`)
	})
)

// preprocess takes a text apart, as far as it is no contracts, carries out its macros and leaves
// out all other directives.
func preprocess(f *source.File) []token {
	return tokensOf(f, 0, contracts(f), &macros{map[string]*macro{}, 0})
}

func tokensOf(f *source.File, at, end int, m *macros) []token {
	check(len(f.Text) <= maxText, source.Span{File: f}, "too-large", "more than %d bytes", maxText)
	for _, odd := range []string{"??", "<:", ":>", "<%", "%>", "%:"} { // 5.2.1.1, 6.4.6
		i := strings.Index(f.Text, odd)
		check(i < 0, source.Span{File: f, Start: max(i, 0)}, "bad-syntax", "trigraphs and digraphs")
	}
	if at := spliced().FindStringIndex(f.Text); at != nil { // 5.1.1.2
		s := source.Span{File: f, Start: at[0], End: at[1]}
		check(false, s, "bad-syntax", "a line that goes on where no space is")
	}
	var out, plain []token
	for fresh := true; ; {
		at += len(space().FindString(f.Text[at:end]))
		if at == end {
			break
		}
		if f.Text[at] == '\n' {
			at, fresh = at+1, true
			continue
		}
		n := len(word().FindString(f.Text[at:end]))
		t := token{at: source.Span{File: f, Start: at, End: at + n}}
		check(n > 0, t.at, "bad-syntax", "a character that no token begins with")
		if t.text = t.at.Text(); t.text == "#" && fresh {
			out, plain = append(out, m.expand(plain)...), nil
			at = m.directive(f, at+1)
			continue
		}
		at, fresh = at+n, false
		plain = append(plain, t)
	}
	return append(out, m.expand(plain)...)
}

// macros are those that are defined.
type macros struct {
	of   map[string]*macro
	made int
}

// directive carries out one, and returns where the next line begins.
func (m *macros) directive(f *source.File, at int) int {
	var line []token
	for at < len(f.Text) {
		at += len(space().FindString(f.Text[at:]))
		if at == len(f.Text) || f.Text[at] == '\n' {
			break
		}
		n := max(1, len(word().FindString(f.Text[at:])))
		s := source.Span{File: f, Start: at, End: at + n}
		line, at = append(line, token{text: s.Text(), at: s}), at+n
	}
	if line == nil {
		return at
	}
	switch line[0].text {
	case "include", "pragma":
		return at
	case "define":
	default:
		check(false, line[0].at, "unsupported-op", "the directive #%s", line[0].text)
	}
	check(len(line) > 1 && isName(line[1].text), line[0].at, "bad-syntax", "a macro has a name")
	name, x, rest := line[1], &macro{}, line[2:]
	if len(rest) > 0 && rest[0].text == "(" && rest[0].at.Start == name.at.End { // 6.10.3
		end := slices.IndexFunc(rest, func(t token) bool { return t.text == ")" })
		check(end > 0, name.at, "bad-syntax", "parameters of a macro end with )")
		x.call = true
		for i, t := range rest[1:end] {
			check(isName(t.text) == (i%2 == 0) && (i%2 == 0 || t.text == ","), t.at, "bad-syntax",
				"parameters of a macro are names")
			if i%2 == 0 {
				check(!slices.Contains(x.params, t.text), t.at, "redefined-name",
					"twice a parameter")
				x.params = append(x.params, t.text)
			}
		}
		check(end == 1 || end%2 == 0, name.at, "bad-syntax", "parameters of a macro are names")
		rest = rest[end+1:]
	}
	for _, t := range rest {
		check(t.text != "#" && t.text != "##", t.at, "unsupported-op", "# and ## of macros")
	}
	x.body = rest
	old := m.of[name.text]
	same := func(s, t token) bool { return s.text == t.text }
	check(old == nil || old.call == x.call && slices.Equal(old.params, x.params) &&
		slices.EqualFunc(old.body, x.body, same), name.at, "redefined-name", "%s is defined twice",
		name.text)
	m.of[name.text] = x
	return at
}

func isName(s string) bool { return s != "" && (s[0] == '_' || s[0]|32 >= 'a' && s[0]|32 <= 'z') }

// expand carries out macros (6.10.3.4). A name that is left at the end and would go on behind it is
// refused by what has no function of that name.
func (m *macros) expand(list []token) (out []token) {
	for len(list) > 0 {
		t := list[0]
		list = list[1:]
		m.made++
		check(m.made <= maxTokens, t.at, "too-large", "macros make more than %d tokens", maxTokens)
		x := m.of[t.text]
		if x == nil {
			x = m.polybench(t.text)
		}
		called := len(list) > 0 && list[0].text == "("
		if x == nil || slices.Contains(t.hide, t.text) || x.call && !called {
			out = append(out, t)
			continue
		}
		var args [][]token
		if x.call {
			args, list = arguments(t, list[1:])
			if len(x.params) == 0 && len(args) == 1 && len(args[0]) == 0 {
				args = nil
			}
			check(len(args) == len(x.params), t.at, "bad-syntax", "%s has %d parameters", t.text,
				len(x.params))
			for i, a := range args {
				args[i] = m.expand(a)
				plain := len(a) == 1 && isName(a[0].text) && m.of[a[0].text] == nil
				check(plain || !strings.HasPrefix(x.params[i], "const "),
					t.at, "unsupported-op", "an array of a size by a macro")
			}
		}
		var made []token
		for _, b := range x.body {
			if k := slices.Index(x.params, b.text); k >= 0 {
				made = append(made, args[k]...)
			} else {
				made = append(made, token{text: b.text, at: t.at})
			}
		}
		for i := range made {
			made[i].at, made[i].hide = t.at, append(slices.Clone(made[i].hide), t.text)
		}
		m.made += len(made)
		list = append(made, list...)
	}
	return out
}

// arguments are those of a call of a macro, and what stands behind it.
func arguments(t token, list []token) (args [][]token, rest []token) {
	args = [][]token{nil}
	for depth, i := 0, 0; i < len(list); i++ {
		switch text := list[i].text; {
		case text == ")" && depth == 0:
			return args, list[i+1:]
		case text == "," && depth == 0:
			args = append(args, nil)
			continue
		case text == "(":
			depth++
		case text == ")":
			depth--
		}
		args[len(args)-1] = append(args[len(args)-1], list[i])
	}
	check(false, t.at, "bad-syntax", "a call of a macro has no end")
	return nil, nil
}

var polybenchArray = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^POLYBENCH_[1-5]D$`)
})

// polybench are the macros of BLAS's header and of PolyBench's headers, these for any sizes:
// DATA_TYPE is double, arrays and loops are those of the parameters. A text that defines one of the
// type or a size by itself means what these headers then make of it, which is none of this.
func (m *macros) polybench(name string) *macro {
	one := func(params []string, body ...string) *macro {
		x := &macro{call: params != nil, params: params}
		for _, s := range body {
			x.body = append(x.body, token{text: s})
		}
		return x
	}
	if value := constants[name]; value != "" {
		return one(nil, value)
	}
	upper, bound := strings.CutPrefix(name, "_PB_")
	switch own := m.of["DATA_TYPE"] != nil; {
	case bound && upper != "" && m.of[upper] == nil:
		return one(nil, strings.ToLower(upper))
	case name == "DATA_TYPE":
		return one(nil, "double")
	case name == "SCALAR_VAL" && !own:
		return one([]string{"x"}, "x")
	case polybenchArray().MatchString(name):
		params, body, dims := []string{"var"}, []string{"var"}, []string(nil)
		for i := range name[10] - '0' {
			d := string(rune('a' + i))
			params, dims = append(params, "const "+d), append(dims, d)
			body = append(body, "[", d, "]")
		}
		return one(append(params, dims...), body...)
	}
	return nil
}
