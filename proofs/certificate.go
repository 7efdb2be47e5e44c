package proofs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/recur"
	"tv/semantics/domain"
)

// A Statement says that AFTER equals BEFORE wherever BEFORE is defined, at all sizes of its domain.
type Statement struct {
	// WhereBoth says less: that they are equal at those sizes alone at which AFTER is well formed
	// as well, and has the type of BEFORE.
	WhereBoth     bool
	Arith         domain.Arith   // which numbers the elements are
	Access        bool           // the same split as well
	Declared      []domain.Input // tensors that neither text declares, by name
	Before, After string         // program texts
	Languages     [2]string      // that they are written in; empty: Glenside
	Assume        []string       // of sizes, beside BEFORE's text, as [domain.Pred] prints it
	Functions     [2]string      // that are meant, where a text may have several
	Results       [2]string      // of procedures: names with commas; empty: all that are written

	// Bound says that AFTER's names are its own, but for what these hold: the tensors of BEFORE, or
	// of Declared, that its tensors are, and what its sizes are in BEFORE's.
	Bound bool
	Names map[string]string
	Sizes map[string]domain.Size
}

// Glenside is the name of the language in which a statement is that names none.
const Glenside = "glenside"

// A Pair is a statement and the witness for it.
type Pair struct {
	Statement
	// Witness has splits and cuts, one a line; "left" and the tensors of the result that are left
	// to a solver, if any; then answers: the number of the goal, a blank, the answer.
	Witness     string
	Recurrences string   // lines of package recur, in place of answers
	Obligations []string // scripts in SMT-LIB 2: what a solver is to say of these tensors
}

// Header 1 is that of pairs of Glenside programs whose names are shared, header 2 that of all
// others, which say in which languages the texts are and what AFTER's names stand for. Header 3 is
// that of statements that say less, of pairs that are otherwise those of header 1.
const (
	header  = "tv-certificate 1 semantics 1\n"
	header2 = "tv-certificate 2 semantics 1\n"
	header3 = "tv-certificate 3 semantics 1\n" + less
	less    = "weaker: only where both sides are well formed and have one type\n"
	maxSize = 256 << 20
)

// Format returns the bytes of a certificate.
func Format(pairs []Pair) []byte {
	var b bytes.Buffer
	second := slices.ContainsFunc(pairs, func(p Pair) bool { return !p.plain() })
	switch {
	case slices.ContainsFunc(pairs, func(p Pair) bool { return p.WhereBoth }):
		b.WriteString(header3)
	case second:
		b.WriteString(header2)
	default:
		b.WriteString(header)
	}
	for _, p := range pairs {
		fmt.Fprintf(&b, "pair %s\n", p)
		if second {
			p.formatLanguages(&b)
		}
		var declared strings.Builder
		for _, in := range p.Declared {
			declared.WriteString(glenside.FormatInput(&in) + "\n")
		}
		for _, part := range []struct{ name, text string }{
			{"declared", declared.String()}, {"before", p.Before}, {"after", p.After},
			{"witness", p.Witness},
		} {
			fmt.Fprintf(&b, "%s %d\n%s\n", part.name, len(part.text), part.text)
		}
		if p.Recurrences != "" {
			fmt.Fprintf(&b, "recurrences %d\n%s\n", len(p.Recurrences), p.Recurrences)
		}
		for _, text := range p.Obligations {
			fmt.Fprintf(&b, "obligation %d\n%s\n", len(text), text)
		}
	}
	return signed(b.Bytes())
}

// plain tells whether header 1 says it all, or header 3.
func (s Statement) plain() bool {
	return s.Languages == [2]string{} && !s.Bound && len(s.Assume)+len(s.Names)+len(s.Sizes) == 0
}

// formatLanguages writes the lines that header 2 has more.
func (s Statement) formatLanguages(b *bytes.Buffer) {
	fmt.Fprintf(b, "languages %s %s\nbound %t\n", cmp.Or(s.Languages[0], Glenside),
		cmp.Or(s.Languages[1], Glenside), s.Bound)
	for _, p := range s.Assume {
		fmt.Fprintf(b, "assume %s\n", p)
	}
	if s.Functions != [2]string{} {
		fmt.Fprintf(b, "functions %q %q\n", s.Functions[0], s.Functions[1])
	}
	if s.Results != [2]string{} {
		fmt.Fprintf(b, "results %q %q\n", s.Results[0], s.Results[1])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Names)) {
		fmt.Fprintf(b, "tensor %q %q\n", name, s.Names[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Sizes)) {
		fmt.Fprintf(b, "size %q %s\n", name, s.Sizes[name])
	}
}

// languages reads them.
func (r *scanner) languages(s *Statement) {
	line := r.line()
	if _, err := fmt.Sscanf(line, "languages %s %s", &s.Languages[0], &s.Languages[1]); err != nil {
		algebra.Fail(algebra.CodeMalformed, "no languages")
	}
	s.Bound = r.line() == "bound true"
	for strings.HasPrefix(r.rest, "assume ") {
		s.Assume = append(s.Assume, strings.TrimPrefix(r.line(), "assume "))
	}
	if strings.HasPrefix(r.rest, "functions ") {
		_, err := fmt.Sscanf(r.line(), "functions %q %q", &s.Functions[0], &s.Functions[1])
		if err != nil {
			algebra.Fail(algebra.CodeMalformed, "no functions")
		}
	}
	if strings.HasPrefix(r.rest, "results ") {
		_, err := fmt.Sscanf(r.line(), "results %q %q", &s.Results[0], &s.Results[1])
		if err != nil {
			algebra.Fail(algebra.CodeMalformed, "no results")
		}
	}
	s.Names, s.Sizes = map[string]string{}, map[string]domain.Size{}
	for strings.HasPrefix(r.rest, "tensor ") {
		var name, other string
		if _, err := fmt.Sscanf(r.line(), "tensor %q %q", &name, &other); err != nil {
			algebra.Fail(algebra.CodeMalformed, "no names of a tensor")
		}
		s.Names[name] = other
	}
	for strings.HasPrefix(r.rest, "size ") {
		var name string
		line := r.line()
		if _, err := fmt.Sscanf(line, "size %q", &name); err != nil {
			algebra.Fail(algebra.CodeMalformed, "no name of a size")
		}
		text := strings.TrimPrefix(line, fmt.Sprintf("size %q ", name))
		size, err := glenside.ParseSize(source.NewFile("size", text))
		if err != nil {
			algebra.Fail(algebra.CodeMalformed, "the size %q: %v", text, err)
		}
		s.Sizes[name] = size
	}
	if !s.Bound && len(s.Names)+len(s.Sizes) > 0 {
		algebra.Fail(algebra.CodeMalformed, "names that nothing is bound to")
	}
}

// signed adds the digest of a text.
func signed(text []byte) []byte { return fmt.Appendf(text, "sha256 %x\n", sha256.Sum256(text)) }

// Parse reads a certificate of that form and no other. Errors: source.Errors with code
// certificate-malformed or certificate-damaged.
func Parse(name string, data []byte) (pairs []Pair, err error) {
	defer algebra.Recovered(name, &err)
	return parse(data), nil
}

func parse(data []byte) (pairs []Pair) {
	first, second := header, strings.HasPrefix(string(data), header2)
	weaker := strings.HasPrefix(string(data), header3)
	switch {
	case second:
		first = header2
	case weaker:
		first = header3
	}
	for r := (scanner{unsigned(data, first)}); r.rest != ""; {
		p := Pair{Statement: Statement{WhereBoth: weaker}}
		arith, equal, _ := strings.Cut(strings.TrimPrefix(r.line(), "pair "), ", ")
		p.Arith, _ = domain.ParseArith(arith)
		p.Access = equal == "access"
		if second {
			r.languages(&p.Statement)
		}
		p.Declared = declarations(r.part("declared"))
		p.Before, p.After, p.Witness = r.part("before"), r.part("after"), r.part("witness")
		if strings.HasPrefix(r.rest, "recurrences ") {
			p.Recurrences = r.part("recurrences")
		}
		for strings.HasPrefix(r.rest, "obligation ") {
			p.Obligations = append(p.Obligations, r.part("obligation"))
		}
		pairs = append(pairs, p)
	}
	if len(pairs) == 0 || !bytes.Equal(Format(pairs), data) {
		algebra.Fail(algebra.CodeMalformed, "not written as certificates are")
	}
	return pairs
}

// unsigned returns what stands between a header and the digest of both.
func unsigned(data []byte, header string) string {
	end := len(data) - len("sha256 \n") - 2*sha256.Size
	if end < len(header) || len(data) > maxSize || !strings.HasPrefix(string(data), header) {
		algebra.Fail(algebra.CodeMalformed, "not a certificate of a version that is known")
	}
	if !bytes.Equal(signed(slices.Clip(data[:end])), data) {
		algebra.Fail(algebra.CodeDigest, "the digest is not that of the text")
	}
	return string(data[len(header):end])
}

// A scanner takes a certificate apart. That it is written in the one way is for others to see.
type scanner struct{ rest string }

func (r *scanner) line() (line string) {
	line, r.rest, _ = strings.Cut(r.rest, "\n")
	return line
}

// part reads a text of a stated length.
func (r *scanner) part(name string) string {
	n, err := strconv.Atoi(strings.TrimPrefix(r.line(), name+" "))
	if err != nil || n < 0 || n >= len(r.rest) {
		algebra.Fail(algebra.CodeMalformed, "no part %s of the length that it states", name)
	}
	text := r.rest[:n]
	r.rest = r.rest[n+1:]
	return text
}

// declarations reads lines of the form (input NAME (shape DIM...) TYPE).
func declarations(text string) []domain.Input {
	if text == "" {
		return nil
	}
	p, err := glenside.Parse(source.NewFile("declared", text+"(shape)"))
	if err != nil {
		algebra.Fail(algebra.CodeMalformed, "declarations: %v", err)
	}
	var out []domain.Input
	for _, in := range p.Inputs {
		out = append(out, *in)
	}
	return out
}

// A Checker checks certificates of programs in the languages that it has readings of, by name.
type Checker struct{ Readings map[string]algebra.Reading }

// Check reads a certificate and checks every statement of it; nothing may be left to a solver, and
// no statement may be a weaker one. Errors: source.Errors with one of the codes certificate-*.
func (c *Checker) Check(name string, data []byte) (out []Statement, err error) {
	defer algebra.Recovered(name, &err)
	for _, p := range whole(c.check(parse(data))) {
		out = append(out, p.Statement)
	}
	return out, nil
}

// whole refuses pairs of which something is left to a solver, and those that say less.
func whole(pairs []Pair) []Pair {
	for i, p := range pairs {
		if len(p.Obligations) > 0 {
			algebra.Fail(algebra.CodeObligation, "pair %d rests on obligations of a solver", i+1)
		}
		if p.WhereBoth {
			algebra.Fail(algebra.CodeWeaker, "pair %d says it where both sides are well formed",
				i+1)
		}
	}
	return pairs
}

// CheckRest checks what is not left to a solver, of weaker statements as well: whoever calls it has
// to look at [Statement.WhereBoth]. A pair with obligations holds if they are those of
// its statement and of its tensors Left, which is not seen to here, and no solver has a model of
// one. Errors: as of Check.
func (c *Checker) CheckRest(name string, data []byte) (pairs []Pair, err error) {
	defer algebra.Recovered(name, &err)
	return c.check(parse(data)), nil
}

func (c *Checker) check(pairs []Pair) []Pair {
	for _, p := range pairs {
		if p.Recurrences != "" {
			if p.Witness != "" || len(p.Obligations) > 0 {
				algebra.Fail(algebra.CodeWitness, "answers beside recurrences")
			}
			c.recurrences(p.Statement, p.Recurrences, nil)
			continue
		}
		splits, witness := readSplits(p.Witness)
		cuts, left, w := readWitness(witness)
		if n := len(p.Obligations); (len(left) > 0) != (n > 0) {
			algebra.Fail(algebra.CodeObligation, "%d tensors left, %d obligations", len(left), n)
		}
		q := c.question(p.Statement, false)
		q.Splits = splits
		q.Check(cuts, left, w)
		if w.used != len(w.answers) {
			algebra.Fail(algebra.CodeWitness, "%d answers have no goal", len(w.answers)-w.used)
		}
	}
	return pairs
}

// Verify checks a statement with splits and cuts, if any, and the answers of a, but for the
// elements of the tensors that are left to a solver, which count from 0, ascending. Errors: as of
// Check.
func (c *Checker) Verify(name string, s Statement, splits []algebra.Split, cuts []algebra.Cut,
	left []int, a algebra.Answerer) (err error) {
	defer algebra.Recovered(name, &err)
	q := c.question(s, false)
	q.Splits = splits
	q.Check(cuts, left, a)
	return nil
}

// Recurrences checks a statement by lines of package recur without answers, which answer gives.
// Errors: as of Check.
func (c *Checker) Recurrences(name string, s Statement, lines string,
	answer func(*recur.Goal) string) (err error) {
	defer algebra.Recovered(name, &err)
	c.recurrences(s, lines, answer)
	return nil
}

// recurrences checks all but elements as always, as if they were left to a solver.
func (c *Checker) recurrences(s Statement, lines string, answer func(*recur.Goal) string) {
	q := c.question(s, true)
	if q.WhereBoth || q.Access {
		algebra.Fail(algebra.CodeStatement, "recurrences of other than procedures")
	}
	var all []int
	for i := range q.Programs[0].Results() {
		all = append(all, i)
	}
	var open []algebra.Condition
	q.Open = func(x algebra.Condition) { open = append(open, x) }
	q.Check(nil, all, &written{})
	recur.Check(q, open, lines, answer)
}

// Statements prints the statements of nests of loops as package recur names them. Errors: as of
// Check.
func (c *Checker) Statements(name string, s Statement) (text string, err error) {
	defer algebra.Recovered(name, &err)
	return recur.Describe(c.question(s, true)), nil
}

// Programs returns both sides of a statement as they were read. Errors: as of Check.
func (c *Checker) Programs(name string, s Statement) (p [2]algebra.Program, err error) {
	defer algebra.Recovered(name, &err)
	return c.question(s, true).Programs, nil
}

// written answers as a witness says.
type written struct {
	answers map[int]string
	used    int
}

// readSplits takes the splits off a witness, which begins with them.
func readSplits(witness string) (splits []algebra.Split, rest string) {
	for rest = witness; strings.HasPrefix(rest, "split "); {
		line, after, _ := strings.Cut(rest, "\n")
		var x algebra.Split
		_, err := fmt.Sscanf(line, "split %q %d", &x.Name, &x.At)
		if err != nil {
			x.At = 0
			_, err = fmt.Sscanf(line, "split %q mod %d", &x.Name, &x.By)
		}
		if err != nil || x.String() != line {
			algebra.Fail(algebra.CodeWitness, "%q is no split", line)
		}
		splits, rest = append(splits, x), after
	}
	return splits, rest
}

func readWitness(witness string) (cuts []algebra.Cut, left []int, w *written) {
	w = &written{answers: map[int]string{}}
	last := 0
	for witness != "" {
		line, rest, ok := strings.Cut(witness, "\n")
		number, text, _ := strings.Cut(line, " ")
		if first := ok && last == 0 && left == nil; first && number == "cut" {
			cuts, witness = append(cuts, readCut(text)), rest
			continue
		} else if first && number == "left" {
			left, witness = numbers(text), rest
			continue
		}
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n <= last || text == "" {
			algebra.Fail(algebra.CodeWitness, "%q is no answer, or not in order", line)
		}
		w.answers[n], witness, last = text, rest, n
	}
	return cuts, left, w
}

func (w *written) Answer(g *algebra.Goal) string {
	text := w.answers[g.N]
	if text != "" {
		w.used++
	}
	return text
}

func (w *written) Alive() {}

// maxDepth bounds how deep calls nest in a program: the checker takes one apart by recursion, and a
// stack that overflows ends the process.
const maxDepth = 20_000

// only is a procedure of which some parameters are results.
func only(p algebra.Source, results string) (algebra.Source, error) {
	c, ok := p.(algebra.Chooser)
	if !ok {
		return nil, errors.New("results of what is no procedure")
	}
	return c.Only(results)
}

// question reads the programs of the statement, with the statements of their texts if those are
// named.
func (c *Checker) question(s Statement, named bool) *algebra.Question {
	if s.WhereBoth && !s.plain() {
		algebra.Fail(algebra.CodeStatement, "of such programs there are no weaker statements")
	}
	t := &algebra.Question{Arith: s.Arith, Access: s.Access, WhereBoth: s.WhereBoth}
	var sources [2]algebra.Source
	var declared []domain.Declarations
	for i, side := range [][2]string{{"before", s.Before}, {"after", s.After}} {
		reading := c.Readings[cmp.Or(s.Languages[i], Glenside)]
		if reading == nil {
			algebra.Fail(algebra.CodeStatement, "the checker does not read the language %q",
				s.Languages[i])
		}
		file := source.NewFile(side[0], side[1])
		file.Function = s.Functions[i]
		p, err := reading.Read(file)
		if err == nil && s.Results[i] != "" {
			p, err = only(p, s.Results[i])
		}
		if err != nil {
			algebra.Fail(algebra.CodeStatement, "%v", err)
		}
		if depth := p.Depth(); depth > maxDepth {
			algebra.Fail(algebra.CodeLimit, "calls nest %d deep in %s, beyond %d", depth, side[0],
				maxDepth)
		}
		if nest, ok := p.(interface{ AsWritten() algebra.Source }); ok && named {
			p = nest.AsWritten()
		}
		sources[i], declared = p, append(declared, p.Declarations())
	}
	if s.Bound {
		c.sized(s, named, &sources)
	}
	s.signs(&sources)
	declared[0] = sources[0].Declarations()
	assumes, err := s.Assumes()
	if err != nil {
		algebra.Fail(algebra.CodeStatement, "%v", err)
	}
	declared[0].Assumes = append(declared[0].Assumes, assumes...)
	if s.Bound {
		declared = declared[:1]
	}
	if t.Env, err = domain.Merge(declared, s.Declared...); err != nil {
		algebra.Fail(algebra.CodeStatement, "%v", err)
	}
	t.Declared = declared[0]
	s.frame(&sources)
	env := t.Env
	for i, p := range sources {
		if i == 1 && s.Bound {
			env = t.Bind(s.Names, s.Sizes, p.Declarations())
		}
		if t.Programs[i], err = p.Type(env); err != nil {
			algebra.Fail(algebra.CodeStatement, "%v", err)
		}
	}
	t.Shapes()
	return t
}

// Assumes are the conditions that are assumed beside BEFORE's text. Errors: source.Errors.
func (s Statement) Assumes() (list []*domain.Assume, err error) {
	for _, text := range s.Assume {
		f := source.NewFile("assume", text)
		p, err := glenside.ParsePred(f)
		if err != nil {
			return nil, err
		}
		if p.String() != text {
			return nil, source.Errors{source.Errorf(source.Span{File: f}, algebra.CodeMalformed,
				"an assumption that is written in another way")}
		}
		list = append(list, &domain.Assume{Pred: p})
	}
	return list, nil
}

// sized reads a procedure again with parameters as sizes that are sizes of the other alone: what
// holds is stated for sizes then, which BEFORE has as its own.
func (c *Checker) sized(s Statement, named bool, sources *[2]algebra.Source) {
	var scalars, sizes [2]map[string]bool
	for i, p := range sources {
		if _, nest := p.(algebra.Observer); !nest {
			return
		}
		scalars[i], sizes[i] = map[string]bool{}, map[string]bool{}
		d := p.Declarations()
		for _, in := range d.Inputs {
			whole := in.Elem.Kind == domain.ElemInt || in.Elem.Kind == domain.ElemUint
			scalars[i][in.Name] = len(in.Dims) == 0 && !in.Unsized && whole
		}
		for _, size := range d.Sizes {
			sizes[i][size.Name] = true
		}
	}
	var names [2][]string
	tensors := map[string]bool{} // what AFTER's are bound to: no sizes, whatever has the same name
	for _, of := range s.Names {
		tensors[of] = true
	}
	for name := range sizes[1] {
		of := name
		if d, ok := s.Sizes[name]; ok {
			of = d.Name()
		}
		if scalars[0][of] && !tensors[of] {
			names[0] = append(names[0], of)
		}
	}
	for name := range scalars[1] {
		d, ok := s.Sizes[name]
		if _, tensor := s.Names[name]; tensor {
			continue
		}
		if scalars[1][name] && (ok && d.Name() != "" || !ok && sizes[0][name]) {
			names[1] = append(names[1], name)
		}
	}
	for i, side := range [][2]string{{"before", s.Before}, {"after", s.After}} {
		if len(names[i]) == 0 {
			continue
		}
		slices.Sort(names[i])
		file := source.NewFile(side[0], side[1])
		file.Function, file.Sizes = s.Functions[i], strings.Join(names[i], ",")
		p, err := c.Readings[s.Languages[i]].Read(file)
		if err == nil && s.Results[i] != "" {
			p, err = only(p, s.Results[i])
		}
		if err != nil {
			algebra.Fail(algebra.CodeStatement, "%v", err)
		}
		if nest, ok := p.(interface{ AsWritten() algebra.Source }); ok && named {
			p = nest.AsWritten()
		}
		sources[i] = p
	}
}

// signs gives parameters of integers that are bits the sign that the others have.
func (s Statement) signs(sources *[2]algebra.Source) {
	bits := func(i int, name string) bool {
		p, ok := sources[i].(algebra.Signless)
		return ok && p.Signless(name)
	}
	var lists [2][]string
	for _, y := range sources[1].Declarations().Inputs {
		for _, x := range sources[0].Declarations().Inputs {
			here, there := bits(0, x.Name), bits(1, y.Name)
			if x.Name != s.Names[y.Name] || x.Elem.Width != y.Elem.Width || here == there {
				continue
			}
			if here && y.Elem.Kind == domain.ElemUint {
				lists[0] = append(lists[0], x.Name)
			}
			if there && x.Elem.Kind == domain.ElemUint {
				lists[1] = append(lists[1], y.Name)
			}
		}
	}
	for i, names := range lists {
		if len(names) > 0 {
			sources[i].(algebra.Signless).Unsigned(names)
		}
	}
}

// frame makes results of what one of two procedures writes and the other does not, which has to
// leave it alone.
func (s Statement) frame(sources *[2]algebra.Source) {
	before, ok := sources[0].(algebra.Observer)
	after, too := sources[1].(algebra.Observer)
	if !ok || !too {
		return
	}
	here, there := before.Written(), []string{}
	for _, name := range after.Written() {
		here = append(here, s.Names[name])
	}
	for name, other := range s.Names {
		if slices.Contains(here, other) {
			there = append(there, name)
		}
	}
	sources[0], sources[1] = before.Observing(here), after.Observing(there)
}

// String returns the arithmetic and what equal means: "real, tensor". That a statement is a weaker
// one is said by the header of its certificate.
func (s Statement) String() string {
	return s.Arith.String() + ", " + map[bool]string{false: "tensor", true: "access"}[s.Access]
}
