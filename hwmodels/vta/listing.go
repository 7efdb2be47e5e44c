package vta

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tv/ila"
	"tv/internal/source"
)

// CodeListing is the code of a listing that cannot be read.
const CodeListing = "machine-listing"

// ParseListing reads a listing: directives that place tensors in DRAM, then one instruction a line, in the
// form that Fields.String prints. A ";" starts a comment. Addresses of directives count bytes.
//
//	.input a dram=0 shape=4x16 type=int8       ; row-major, elements lowest byte first
//	.input w dram=256 shape=32x32 type=int8 layout=0/16,1/16,0%16,1%16 ; in tiles of 16x16
//	.output out dram=4096 shape=4x16 type=int8
//	.uop dram=8192 dst=0 src=0 wgt=0           ; one micro-operation; the next lies 4 bytes on
//	load uop dram=2048 y=1 x=1 stride=1
//	gemm reset end=1 out=4 in=1 dst_out=1
//	alu max end=1 out=4 in=1 dst_out=1 src_out=1 imm=-127
//	word 0x3 0x0                               ; an instruction as its low and high 64 bits: finish
//
// Nothing may follow finish. The task has no contract. All problems have code machine-listing and the place of the word.
func ParseListing(f *source.File, c Config) (*ila.Task, error) {
	machine := NewModel(c)
	p := &parser{f: f, m: machine, t: &ila.Task{Name: f.Name, Model: machine.Model}}
	offset := 0
	for _, line := range strings.SplitAfter(f.Text, "\n") {
		p.line(offset, strings.TrimRight(line, "\r\n"))
		offset += len(line)
	}
	if len(p.errs) == 0 && p.t.Output.Name == "" {
		p.fail(source.Span{File: f}, "a listing wants an .output")
	}
	if len(p.errs) == 0 && len(p.t.Steps) == 0 {
		p.fail(source.Span{File: f}, "a listing wants an instruction")
	}
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	return p.t, nil
}

type parser struct {
	f    *source.File
	m    *Machine
	t    *ila.Task
	used []stretch
	errs source.Errors

	finished bool // the last instruction was finish
}

// A stretch is the bytes [start, end) of DRAM that a directive fills.
type stretch struct {
	start, end uint64
	name       string
}

// fill notes that a directive fills bytes of DRAM, each only once.
func (p *parser) fill(at source.Span, s stretch) bool {
	for _, u := range p.used {
		if s.start < u.end && u.start < s.end {
			p.fail(at, "%s lies over %s", s.name, u.name)
			return false
		}
	}
	p.used = append(p.used, s)
	return true
}

func (p *parser) fail(at source.Span, format string, args ...any) {
	p.errs = append(p.errs, source.Errorf(at, CodeListing, format, args...))
}

type word struct {
	text string
	at   source.Span
}

func (p *parser) line(offset int, text string) {
	if n := strings.IndexByte(text, ';'); n >= 0 {
		text = text[:n]
	}
	var words []word
	for start := 0; start < len(text); {
		if text[start] == ' ' || text[start] == '\t' {
			start++
			continue
		}
		end := start
		for end < len(text) && text[end] != ' ' && text[end] != '\t' {
			end++
		}
		words = append(words, word{text[start:end], source.Span{File: p.f, Start: offset + start, End: offset + end}})
		start = end
	}
	switch {
	case len(words) == 0:
	case strings.HasPrefix(words[0].text, "."):
		p.directive(words)
	default:
		p.instruction(words, text)
	}
}

// assignments reads name=value words. What is not one, or is there twice, is a problem.
func (p *parser) assignments(words []word, allowed ...string) map[string]word {
	got := map[string]word{}
	for _, w := range words {
		name, value, ok := strings.Cut(w.text, "=")
		switch {
		case !ok || !slices.Contains(allowed, name):
			p.fail(w.at, "%q is not one of %s", w.text, strings.Join(allowed, "=, ")+"=")
		case got[name].text != "":
			p.fail(w.at, "%s is given twice", name)
		default:
			got[name] = word{value, w.at}
		}
	}
	return got
}

func (p *parser) number(w word, limit uint64) uint64 {
	n, err := strconv.ParseUint(w.text, 0, 64)
	if err != nil || n >= limit {
		p.fail(w.at, "%q is no number below %d", w.text, limit)
		return 0
	}
	return n
}

// half reads 64 bits.
func (p *parser) half(w word) uint64 {
	n, err := strconv.ParseUint(w.text, 0, 64)
	if err != nil {
		p.fail(w.at, "%q is no number of 64 bits", w.text)
	}
	return n
}

func (p *parser) directive(words []word) {
	b := p.m.b
	switch kind := words[0].text; kind {
	case ".uop":
		got := p.assignments(words[1:], "dram", "dst", "src", "wgt")
		if got["dram"].text == "" {
			p.fail(words[0].at, ".uop wants dram=")
			return
		}
		at := p.number(got["dram"], dramSize-3)
		v := uint64(0)
		for _, x := range []struct {
			name       string
			low, width int
		}{{"dst", 0, 11}, {"src", 11, 11}, {"wgt", 22, 10}} {
			if w, ok := got[x.name]; ok {
				v |= p.number(w, 1<<x.width) << x.low
			}
		}
		if p.fill(got["dram"].at, stretch{at, at + 4, "a micro-operation"}) {
			p.t.PutBytes(p.m.DRAM, at, b.Bits(32, v))
		}
	case ".input", ".output":
		if len(words) < 2 || strings.Contains(words[1].text, "=") {
			p.fail(words[0].at, "%s wants a name", kind)
			return
		}
		got := p.assignments(words[2:], "dram", "shape", "type", "layout")
		for _, name := range []string{"dram", "shape", "type"} {
			if got[name].text == "" {
				p.fail(words[0].at, "%s wants %s=", kind, name)
				return
			}
		}
		before := len(p.errs)
		at := p.number(got["dram"], dramSize)
		width := map[string]int{"int8": 8, "int32": 32}[got["type"].text]
		if width == 0 {
			p.fail(got["type"].at, "type is int8 or int32, not %q", got["type"].text)
		}
		size := uint64(1)
		var dims []int
		for _, d := range strings.Split(got["shape"].text, "x") {
			wrong := len(p.errs)
			n := p.number(word{d, got["shape"].at}, 1<<16)
			if len(p.errs) > wrong {
				return
			}
			if size *= max(n, 1); n == 0 || size > 1<<24 {
				p.fail(got["shape"].at, "dims are at least 1 and elements at most %d", 1<<24)
				return
			}
			dims = append(dims, int(n))
		}
		bytes := uint64(width / 8)
		if len(p.errs) == before && at+size*bytes > dramSize {
			p.fail(got["dram"].at, "%s ends beyond the %d bytes of DRAM", words[1].text, uint64(dramSize))
		}
		for _, x := range slices.Concat(p.t.Inputs, []*ila.Tensor{&p.t.Output}) {
			if x.Name == words[1].text {
				p.fail(words[1].at, "%s is there twice", x.Name)
			}
		}
		if kind == ".output" && p.t.Output.Name != "" {
			p.fail(words[0].at, "a listing has one .output")
		}
		place := p.layout(got["layout"], dims)
		if len(p.errs) > before {
			return
		}
		if kind == ".input" {
			if !p.fill(got["dram"].at, stretch{at, at + size*bytes, words[1].text}) {
				return
			}
			x := p.t.Declare(words[1].text, width, true, dims...)
			x.Span = words[1].at
			for i := range x.Size() {
				p.t.PutBytes(p.m.DRAM, at+uint64(place(i))*bytes, p.t.Element(x, i))
			}
			return
		}
		p.t.Output = ila.Tensor{Name: words[1].text, Dims: dims, Width: width, Signed: true, Span: words[1].at}
		dram := p.m.DRAM
		p.t.Places = func(flat int) (list []ila.Place) {
			for i := range bytes {
				list = append(list, ila.Place{Memory: dram, Address: at + uint64(place(flat))*bytes + i})
			}
			return list
		}
	default:
		p.fail(words[0].at, "%q is not .input, .output or .uop", kind)
	}
}

// A part is what a layout takes of the index on an axis: all of it, its quotient or its remainder by a number.
type part struct {
	axis, by int
	kind     byte // 0, '/' or '%'
}

// layout reads the order in which the elements of a tensor lie: parts of its index, outermost first, split by
// commas. AXIS is the index on an axis, AXIS/F its quotient and AXIS%F its remainder by F, a number that
// divides the dim; each axis is there whole, or as both parts by one F. It returns the place of an element, in
// elements, by its row-major offset; no layout is row-major. Weights of a tile of 16x16 lie in
// 0/16,1/16,0%16,1%16.
func (p *parser) layout(w word, dims []int) func(flat int) int {
	if w.text == "" {
		return func(flat int) int { return flat }
	}
	before := len(p.errs)
	var parts []part
	seen := map[part]bool{}
	for _, text := range strings.Split(w.text, ",") {
		x := part{by: 1}
		axis, by := text, ""
		if i := strings.IndexAny(text, "/%"); i >= 0 {
			axis, by, x.kind = text[:i], text[i+1:], text[i]
		}
		x.axis = int(p.number(word{axis, w.at}, uint64(len(dims))))
		if x.kind != 0 {
			x.by = int(p.number(word{by, w.at}, 1<<16))
		}
		if len(p.errs) > before {
			return nil
		}
		if x.by == 0 || dims[x.axis]%x.by != 0 {
			p.fail(w.at, "%d does not divide dim %d, which is %d", x.by, x.axis, dims[x.axis])
			return nil
		}
		if seen[x] {
			p.fail(w.at, "%s is there twice", text)
			return nil
		}
		seen[x] = true
		parts = append(parts, x)
	}
	for _, x := range parts {
		other := map[byte]byte{'/': '%', '%': '/'}[x.kind]
		if x.kind != 0 && !seen[part{x.axis, x.by, other}] {
			p.fail(w.at, "%d%c%d wants %d%c%d beside it", x.axis, x.kind, x.by, x.axis, other, x.by)
		}
	}
	for axis := range dims {
		n := 0
		for _, x := range parts {
			if x.axis == axis {
				n += map[bool]int{true: 2, false: 1}[x.kind == 0]
			}
		}
		if n != 2 && len(p.errs) == before {
			p.fail(w.at, "axis %d is not there once, whole or in two parts", axis)
		}
	}
	if len(p.errs) > before {
		return nil
	}
	return func(flat int) int {
		at := make([]int, len(dims))
		for i := len(dims) - 1; i >= 0; i-- {
			at[i] = flat % dims[i]
			flat /= dims[i]
		}
		place := 0
		for _, x := range parts {
			size, n := dims[x.axis], at[x.axis]
			switch x.kind {
			case '/':
				size, n = size/x.by, n/x.by
			case '%':
				size, n = x.by, n%x.by
			}
			place = place*size + n
		}
		return place
	}
}

// step adds an instruction. One after finish never takes place on the machine.
func (p *parser) step(words []word, text string, w Word) {
	if p.finished {
		p.fail(words[0].at, "an instruction after finish, which never takes place")
		return
	}
	p.finished = Decode(w, p.m.Config.Older)["op"] == OpFinish
	span := source.Span{File: p.f, Start: words[0].at.Start, End: words[len(words)-1].at.End}
	p.t.Steps = append(p.t.Steps, ila.Step{Values: halves(p.t.Model.B, w), Text: strings.TrimSpace(text), Span: span})
}

func (p *parser) instruction(words []word, text string) {
	if words[0].text == "word" {
		if len(words) != 3 {
			p.fail(words[0].at, "word wants the low and the high 64 bits of an instruction")
			return
		}
		before := len(p.errs)
		w := Word{p.half(words[1]), p.half(words[2])}
		if len(p.errs) == before {
			p.step(words, text, w)
		}
		return
	}
	op := slices.Index(opNames, words[0].text)
	if op < 0 {
		p.fail(words[0].at, "%q is not one of %s", words[0].text, strings.Join(opNames, ", "))
		return
	}
	f := Fields{"op": uint64(op)}
	rest := words[1:]
	if kind, names := "", memNames; op == OpLoad || op == OpStore || op == OpALU {
		if kind = "mem"; op == OpALU {
			kind, names = "alu", aluNames
		}
		n, at := -1, words[0].at
		if len(rest) > 0 {
			n, at = slices.Index(names, rest[0].text), rest[0].at
		}
		if n < 0 {
			p.fail(at, "%s wants one of %s", words[0].text, strings.Join(names, ", "))
			return
		}
		if f[kind] = uint64(n); op != OpStore || !p.m.Config.Older {
			rest = rest[1:]
		} else {
			f[kind], rest = 0, rest[1:]
		}
	}
	fields := slices.Concat(fieldsOf(uint64(op), p.m.Config.Older), common[1:])
	seen := map[string]bool{}
	before := len(p.errs)
	for _, w := range rest {
		name, value, assigned := strings.Cut(w.text, "=")
		i := slices.IndexFunc(fields, func(x field) bool { return x.name == name })
		switch {
		case i < 0 || name == "mem" || name == "alu" || name == "use_imm" || !assigned && fields[i].width != 1:
			p.fail(w.at, "%q is no field of %s", w.text, words[0].text)
		case seen[name]:
			p.fail(w.at, "%s is given twice", name)
		case !assigned:
			f[name] = 1
		case name == "imm":
			n, err := strconv.ParseInt(value, 0, 64)
			if err != nil || n < -1<<15 || n >= 1<<15 {
				p.fail(w.at, "%q is no number from -32768 to 32767", value)
			}
			f["imm"], f["use_imm"] = uint64(uint16(n)), 1
		default:
			f[name] = p.number(word{value, w.at}, 1<<fields[i].width)
		}
		seen[name] = true
	}
	if len(p.errs) > before {
		return
	}
	w, err := Encode(f, p.m.Config.Older)
	if err != nil {
		p.fail(words[0].at, "%v", err)
		return
	}
	p.step(words, text, w)
}

// Listing prints the program of a task as ParseListing reads it, without directives.
func Listing(t *ila.Task, older bool) string {
	var b strings.Builder
	for _, s := range t.Steps {
		low, _ := s.Values[0].ConstBits()
		high, _ := s.Values[1].ConstBits()
		fmt.Fprintln(&b, Decode(Word{low, high}, older))
	}
	return b.String()
}
