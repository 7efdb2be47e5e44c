package fuzz

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tv/equiv"
	"tv/equiv/fault"
	"tv/equiv/witness"
	"tv/fuzz/programs"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// Programs of languages that have a generator are known by their texts and by what package semantics asks: nothing here is
// of one language. A case is a program against itself, or against a text with one word changed.

// A textPair is two programs of languages other than Glenside, or of Glenside where they mix element types.
type textPair struct {
	extensions    [2]string
	before, after string
	arith         domain.Arith
	seed          uint64
}

// How such pairs are asked about: a program against itself, and programs that mix types. Others are mutants.
const (
	asItself = "itself"
	asMixed  = "mixed"
)

// drawMixed draws a pair of programs that mix element types, each taken by itself or all of them bit for bit.
func drawMixed(salt uint64) textPair {
	p := textPair{extensions: [2]string{".sexp", ".sexp"}, arith: domain.ArithOf(true), seed: salt}
	if salt%3 > 0 {
		p.arith = domain.Auto
	}
	p.before, p.after = programs.Mixed(salt)
	return p
}

// drawTexts draws a pair. ok is false where no word could be changed.
func drawTexts(salt uint64) (p textPair, ok bool) {
	var list []*semantics.Language
	for _, l := range languages.All {
		if l.Generator != nil {
			list = append(list, l)
		}
	}
	rng := rand.New(rand.NewPCG(salt, 0x7465787473))
	l := list[rng.IntN(len(list))]
	text := string(l.Generator(salt))
	p = textPair{extensions: [2]string{l.Extensions[0], l.Extensions[0]}, before: text, after: text,
		arith: domain.ArithOf(rng.IntN(2) == 0), seed: salt}
	if rng.IntN(4) == 0 {
		return p, true
	}
	for range 20 {
		p.after = changedWord(rng, text)
		if _, err := p.contest(); err == nil && p.after != text {
			return p, true
		}
	}
	return p, false
}

// word is what programs are written with: names, numbers, operators.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z_]\w*|[0-9]+|[-+*/=!<>]+`) })

// changedWord returns a text with one word in the place of another of its kind.
func changedWord(rng *rand.Rand, text string) string {
	kind := func(s string) int {
		switch c := s[0]; {
		case c >= '0' && c <= '9':
			return 1
		case strings.ContainsRune("-+*/=!<>", rune(c)):
			return 2
		}
		return 0
	}
	places := word().FindAllStringIndex(text, -1)
	at := places[rng.IntN(len(places))]
	old := text[at[0]:at[1]]
	others := []string{"0", "1", "2", "3"}
	if k := kind(old); k != 1 {
		others = []string{"+", "-", "*"}[:3*(k/2)]
		for _, w := range word().FindAllString(text, -1) {
			if kind(w) == k {
				others = append(others, w)
			}
		}
	}
	return text[:at[0]] + others[rng.IntN(len(others))] + text[at[1]:]
}

// contest reads and types the pair.
func (p textPair) contest() (contest, error) {
	var c contest
	for i, f := range []*source.File{source.NewFile("before"+p.extensions[0], p.before),
		source.NewFile("after"+p.extensions[1], p.after)} {
		l := languages.ByExtension(p.extensions[i])
		if l == nil {
			return c, fmt.Errorf("%s is no program", f.Name)
		}
		s, err := l.Parse(f)
		if err != nil {
			return c, err
		}
		*[]*semantics.Source{&c.asked.Before, &c.asked.After}[i] = s
	}
	var err error
	c.arith, c.seed, c.certify = p.arith, p.seed, true
	c.x, c.y, err = equiv.Programs(c.asked)
	return c, err
}

// examine asks everybody about a pair and returns who is wrong.
func (p textPair) examine(ctx context.Context) (kind, detail string) {
	defer func() {
		if r := recover(); r != nil {
			kind, detail = kindFault, fault.Text(r)
		}
	}()
	c, err := p.contest()
	if err != nil {
		return "", ""
	}
	for i, of := range []semantics.Program{c.x, c.y} {
		how, err := lowered(of, c.arith, c.seed)
		if err == nil && how != "" && (i == 0 || p.itself()) { // another AFTER has a domain of its own
			return "lowering against evaluator", how
		}
	}
	if !p.itself() {
		return c.examine(ctx, c.x, c.y, false)
	}
	r, err := equiv.Check(ctx, c.asked, options(c.arith))
	if err == nil && r.Verdict != equiv.Proved && ctx.Err() == nil && !gaveUp(&r) {
		return "unlike itself", fmt.Sprintf("%s: %s %s", r.Verdict, r.Reason, r.Detail)
	}
	return "", ""
}

func (p textPair) itself() bool { return p.before == p.after && p.extensions[0] == p.extensions[1] }

// gaveUp tells whether an answer is unknown for want of steps, time or cases, or as the checker refuses the certificate,
// which is no finding of twins either: then a program may be unlike itself.
func gaveUp(r *equiv.Result) bool {
	if r.Verdict != equiv.Unknown {
		return false
	}
	for _, why := range []string{"budget spent", "too many cases", "the certificate was not accepted", "untraced "} {
		if strings.Contains(r.Detail, why) {
			return true
		}
	}
	return r.Reason != "incomplete"
}

// certified tells whether the checker accepts a certificate of a pair.
func (c contest) certified(ctx context.Context, opts equiv.Options) bool {
	s, err := equiv.Statement(c.asked, opts)
	if err != nil {
		return false
	}
	_, err = witness.Certify(ctx, s, witness.Search{Steps: certifySteps})
	return err == nil
}

// certifySteps are those of a search that is to find nothing.
const certifySteps = 20_000

// texts examines a pair of texts.
func (s selfWorker) texts(ctx context.Context, p textPair) Outcome {
	o := Outcome{Entry: func([]string) []byte { return []byte(headline(s.Name(), p.asked()) + p.text()) }}
	if c, err := p.contest(); err == nil {
		o.Covered = partPairs(c.x)
	}
	kind, detail := p.examine(ctx)
	if kind == "" {
		return o
	}
	p = p.shrunk(func(q textPair) bool {
		again, _ := q.examine(context.Background())
		return again == kind
	})
	if _, again := p.examine(context.Background()); again != "" {
		detail = again
	}
	key := detail
	if c, err := p.contest(); err == nil && kind != kindFault {
		key = strings.Join(partPairs(c.x), ", ")
	}
	o.Suspect = &Suspect{Key: kind + ": " + key, Finding: func() Finding {
		want := "want: proved\n"
		if kind == "wrong proof" || kind == "wrong certificate" {
			want = "want: refuted\n"
		}
		return Finding{Kind: kind, Detail: detail, Replay: []string{"tv", "replay"},
			Text: headline(s.Name(), kind) + note(detail) + want + p.text()}
	}}
	return o
}

func (p textPair) asked() string {
	switch {
	case p.extensions[0] == ".sexp":
		return asMixed
	case p.itself():
		return asItself
	}
	return asMutant
}

// text writes a pair as the end of a litmus file.
func (p textPair) text() string {
	text := fmt.Sprintf("# asked as: %s\n# drawn as: %d\n", p.asked(), p.seed)
	if p.arith != domain.Real {
		text += fmt.Sprintf("args: --arith %s\n", p.arith)
	}
	return text + section("before"+p.extensions[0], p.before) + section("after"+p.extensions[1], p.after)
}

// shrunk leaves out lines, which both texts have the same number of, while what is wrong is still there.
func (p textPair) shrunk(keep func(textPair) bool) textPair {
	for again := true; again; {
		again = false
		before, after := strings.SplitAfter(p.before, "\n"), strings.SplitAfter(p.after, "\n")
		for i := 0; i < len(before) && len(before) == len(after) && !again; i++ {
			q := p
			q.before = strings.Join(slices.Delete(slices.Clone(before), i, i+1), "")
			q.after = strings.Join(slices.Delete(slices.Clone(after), i, i+1), "")
			if again = before[i] != "" && q.itself() == p.itself() && keep(q); again {
				p = q
			}
		}
	}
	return p
}

// textsOf returns the pair of a file, ok where it is one of texts.
func textsOf(e *Entry) (p textPair, ok bool, err error) {
	for name, text := range e.Parts {
		side, ext := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
		if l := languages.ByExtension(ext); l == nil || l.Generator == nil && e.value("asked as") != asMixed {
			continue
		}
		switch side {
		case "before":
			p.extensions[0], p.before = ext, text
		case "after":
			p.extensions[1], p.after = ext, text
		}
		ok = true
	}
	if ok && (p.before == "" || p.after == "") {
		err = errors.New("it wants a program before and one after")
	}
	p.arith = domain.Real
	if args := e.value("args"); args != "" {
		p.arith = domain.ArithIn(args)
	}
	_, _ = fmt.Sscan(e.value("drawn as"), &p.seed) // a file without it is judged on other samples
	return p, ok, err
}

// partPairs lists the parts of a program and what they are made of, by name, "+=! of =", each once.
func partPairs(p semantics.Program) (out []string) {
	parts := p.Parts()
	name := func(part int) string {
		if parts[part].Leaf {
			return "input"
		}
		return cmp.Or(parts[part].Name, "part")
	}
	for i, part := range parts {
		if part.Leaf {
			continue
		}
		out = append(out, p.Source().Language().Name+" "+name(i))
		for _, o := range part.Operands {
			out = append(out, p.Source().Language().Name+" "+name(i)+" of "+name(o))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
