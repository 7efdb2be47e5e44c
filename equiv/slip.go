package equiv

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tv/equiv/fault"
	"tv/equiv/sample"
	"tv/internal/source"
	"tv/internal/watch"
	"tv/semantics"
	"tv/semantics/domain"
)

// What is to blame in AFTER is where some other value would make the results right. Of the values that a subterm could have, those are
// tried that it has with one token changed: a number, a name, or an operator. What is right then on the counterexample, and on
// further inputs, is right everywhere as far as samples tell. The smallest call around such a token is to blame.

// Limits of the search, in elements read: what is spent on it, and what a text costs that is read, and typed.
const (
	slipWork   = 500_000
	readWork   = 4   // a character
	loopWork   = 8   // a character of a text of loops, which is elaborated as well
	typeWork   = 60  // a part
	mostBlamed = 4   // places
	mostNames  = 12  // in place of a name
	atOnce     = 4   // texts tried in place of a token, before others are in place of the next
	mostOthers = 12  // numbers in place of a number
	blameText  = 120 // characters of the text of a place, where a call that has more need not be named
)

// A slip is a token of AFTER, and what may have been meant.
type slip struct {
	span    source.Span
	instead []string
}

// blamed returns what is to blame. found is the difference, nil where the programs differ in type or AFTER is undefined; list is
// what is to blame where no change of a token makes the programs agree.
func (w *inquiry) blamed(found *sample.Difference, list []sample.Blame) []sample.Blame {
	if w.opts.of != nil || w.opts.Unblamed {
		return list
	}
	watch.Enter(w.ctx, "looking for what is to blame")
	first := w.asked.After.Root()
	if i := slices.IndexFunc(list, func(b sample.Blame) bool { return b.Side == "after" }); i >= 0 {
		first = list[i].Span
	}
	if mended := w.slips(found, first); mended != nil {
		for _, b := range list {
			if b.Side == "before" {
				mended = append(mended, b)
			}
		}
		list = mended
	}
	for i, b := range list {
		if b.Side == "after" && b.Path == nil {
			list[i].Path = pathAround(w.asked.After, b.Span)
		}
	}
	slices.SortStableFunc(list, func(x, y sample.Blame) int { return strings.Compare(y.Side, x.Side) }) // BEFORE first
	return list
}

// slips lists the places of AFTER at which another token makes the programs agree, the smallest first. Where texts cost much it
// begins at a place, such as the statement that wrote the element, and goes on from there.
func (w *inquiry) slips(found *sample.Difference, first source.Span) (out []sample.Blame) {
	var points []domain.Point
	if found != nil {
		points = append(points, found.Point)
	} else {
		points = append(points, w.small[:min(len(w.small), 1)]...)
	}
	if len(w.domain.Names) > 0 && len(w.points) > 0 { // and another: at small sizes much is the same
		points = append(points, w.points[min(1, len(w.points)-1)])
	}
	if len(points) == 0 {
		points = w.points[:min(len(w.points), 1)]
	}
	panel := w.sampler.Panel(w.ctx, found, points)
	work, each := 0, readWork*len(w.asked.After.File().Text)
	list := tokens(w.asked.Before, w.asked.After)
	if w.asked.After.Signature().Procedure {
		each = loopWork * len(w.asked.After.File().Text)
		slices.SortStableFunc(list, func(x, y slip) int { return cmp.Compare(distance(x.span, first), distance(y.span, first)) })
	}
	done := make([]bool, len(list))
	for first := 0; first < mostOthers+mostNames; first += atOnce {
		for i, s := range list {
			for _, text := range s.instead[min(first, len(s.instead)):min(first+atOnce, len(s.instead))] {
				if work+panel.Work > slipWork || w.ctx.Err() != nil || len(out) == mostBlamed {
					return out
				}
				if done[i] {
					break
				}
				work += each
				fault.Catch(func() error { // a text that nobody wrote may not cost the answer
					if after := w.changed(s.span, text); after != nil {
						work += typeWork * len(after.Parts())
						done[i] = w.fits(after) && panel.Accepts(w.ctx, after)
					}
					return nil
				})
				if done[i] {
					out = append(out, placed(w.asked.After, w.after, s.span, text))
				}
			}
		}
	}
	slices.SortStableFunc(out, func(x, y sample.Blame) int { return len(x.Text) - len(y.Text) })
	return out
}

// distance is how many bytes there are between two places of a text.
func distance(x, y source.Span) int { return max(0, x.Start-y.End, y.Start-x.End) }

// changed is AFTER with another token at a place, or nil where that is no program.
func (w *inquiry) changed(at source.Span, text string) semantics.Program {
	f := w.asked.After.File()
	g := source.NewFile(f.Name, f.Text[:at.Start]+text+f.Text[at.End:])
	g.Function, g.Results, g.Sizes = f.Function, f.Results, f.Sizes
	after, err := w.asked.After.Language().Parse(g)
	if err != nil || len(after.Declarations().Assumes) > 0 {
		return nil
	}
	asked := w.asked
	asked.After = after
	asked = asked.sized().signed().framed()
	var p semantics.Program
	shared := asked.Shared()
	if r, ok := asked.After.(semantics.Runner); ok {
		asked.After = running{asked.After, r}
	}
	if shared {
		p, _, err = sketch(asked.After, w.env)
	} else {
		names, bound := correspond(asked, w.before, w.env)
		if bound != nil {
			return nil
		}
		p, _, err = names.typed(asked.After, w.before, w.env)
	}
	if err != nil {
		return nil
	}
	return p
}

// A running source is typed as what is run alone.
type running struct {
	semantics.Source
	runner semantics.Runner
}

// Sketch implements semantics.Sketcher.
func (r running) Sketch(env *domain.Env) (semantics.Program, error) { return r.runner.Run(env) }

// fits tells whether a program may stand in AFTER's place: it has BEFORE's type, its conditions hold, and it has what it applies.
func (w *inquiry) fits(after semantics.Program) bool {
	q := *w.question
	q.after = after
	if len(after.Result().Components()) != len(w.before.Result().Components()) || q.types() != nil ||
		semantics.Suits(after, w.opts.Arith) != nil || len(foreignNames(after, w.domain)) > 0 {
		return false
	}
	for _, pt := range slices.Concat(w.small, w.points) {
		for _, c := range after.Conditions() {
			if ok, err := c.Pred.Eval(pt); err != nil || !ok {
				return false
			}
		}
	}
	return true
}

// Tokens of texts: comments, which are none, numbers, words and signs. Words of a language of lists end at a blank or a parenthesis.
var (
	listTokens = regexp.MustCompile(`;[^\n]*|[^\s();]+`)
	textTokens = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)|[0-9]+(?:\.[0-9]+)?|[A-Za-z_%@]\w*|[-+*/]`)
	numeral    = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	named      = regexp.MustCompile(`^[A-Za-z_%@]`)
)

// tokens lists those of AFTER in whose place another one may have been meant. Declarations are BEFORE's.
func tokens(before, after semantics.Source) (out []slip) {
	f, like := after.File(), after.Language().Like
	pattern := textTokens
	if like != nil {
		pattern = listTokens
	}
	var numbers []string
	for _, s := range []semantics.Source{before, after} {
		for _, text := range pattern.FindAllString(s.File().Text, -1) {
			if numeral.MatchString(text) && !slices.Contains(numbers, text) && len(numbers) < mostOthers {
				numbers = append(numbers, text)
			}
		}
	}
	inputs := after.Declarations().Inputs
	var at []source.Span
	for _, span := range pattern.FindAllStringIndex(f.Text, -1) {
		declares := func(in *domain.Input) bool { return in.Span.Start <= span[0] && span[1] <= in.Span.End }
		if !slices.ContainsFunc(inputs, declares) {
			at = append(at, source.Span{File: f, Start: span[0], End: span[1]})
		}
	}
	names := namesIn(after, at)
	for i, span := range at {
		text := span.Text()
		if i > 0 && numeral.MatchString(text) { // two numbers in the wrong order, of a permutation say
			both := source.Span{File: f, Start: at[i-1].Start, End: span.End}
			if other := at[i-1].Text(); other != text && numeral.MatchString(other) && oneLine(both.Text()) == other+" "+text {
				out = append(out, slip{both, []string{text + " " + other}})
			}
		}
		var instead []string
		switch {
		case numeral.MatchString(text):
			if n, err := strconv.Atoi(text); err == nil {
				instead = []string{strconv.Itoa(n + 1), strconv.Itoa(max(n, 1) - 1), "0"}
			}
			instead = append(instead, numbers...)
		case names[text] != nil:
			instead = nearest(names, span)
		case strings.Contains("+-*/", text):
			instead = []string{"+", "-", "*", "/"}
		case like != nil:
			instead = like(text)
		}
		seen := map[string]bool{text: true}
		instead = slices.DeleteFunc(instead, func(other string) bool {
			again := seen[other]
			seen[other] = true
			return again
		})
		if len(instead) > 0 {
			out = append(out, slip{span, instead})
		}
	}
	return out
}

// namesIn are the names of a text that others may stand in place of, with the places where they do: tensors that a list of operators
// reads, and elsewhere what is short or begins with a sign, as counters, arrays and values of operations do.
func namesIn(s semantics.Source, at []source.Span) map[string][]source.Span {
	out := map[string][]source.Span{}
	reads := s.Reads()
	for _, span := range at {
		text := span.Text()
		if s.Language().Like != nil && slices.Contains(reads, text) ||
			s.Language().Like == nil && named.MatchString(text) && (len(text) <= 2 || text[0] == '%' || slices.Contains(reads, text)) {
			out[text] = append(out[text], span)
		}
	}
	return out
}

// nearest lists the names that stand nearest to a place.
func nearest(names map[string][]source.Span, at source.Span) []string {
	far := map[string]int{}
	for name, places := range names {
		far[name] = distance(places[0], at)
		for _, p := range places {
			far[name] = min(far[name], distance(p, at))
		}
	}
	list := slices.Sorted(maps.Keys(far))
	slices.SortStableFunc(list, func(x, y string) int { return far[x] - far[y] })
	return list[:min(len(list), mostNames+1)]
}

// placed blames the smallest call around a token, or less of it where that is long.
func placed(after semantics.Source, p semantics.Program, at source.Span, instead string) sample.Blame {
	span, set := at, false
	if n, ok := after.(semantics.Nested); ok {
		for _, e := range n.Around(at.Start) {
			if len(oneLine(e.Span.Text())) > blameText {
				break
			}
			if span, set = e.Span, true; e.Value {
				break
			}
		}
	} else {
		for i, part := range p.Parts() {
			s := p.At(i)
			if !part.Leaf && s.File == at.File && s.Start <= at.Start && at.End <= s.End && len(oneLine(s.Text())) <= blameText && (!set || s.End-s.Start < span.End-span.Start) {
				span, set = s, true
			}
		}
	}
	if !set {
		if line := lineOf(at); len(oneLine(line.Text())) <= blameText {
			span = line
		}
	}
	return sample.Blame{Side: "after", Span: span, Text: oneLine(span.Text()), Path: pathAround(after, span), Instead: &sample.Instead{Span: at, Text: instead}}
}

// lineOf is the line that a span begins on, without the blanks at its ends.
func lineOf(at source.Span) source.Span {
	text := at.File.Text
	start := strings.LastIndexByte(text[:at.Start], '\n') + 1
	end := at.End + strings.IndexByte(text[at.End:]+"\n", '\n')
	line := text[start:end]
	at.End = start + len(strings.TrimRight(line, " \t\r"))
	at.Start = start + len(line) - len(strings.TrimLeft(line, " \t"))
	return at
}

// oneLine is a text with single blanks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// paths say where in AFTER what is to blame stands.
func paths(list []sample.Blame) (out []string) {
	for _, b := range list {
		if len(b.Path) > 0 {
			out = append(out, fmt.Sprintf("%s: to blame, within %s", b.Span.Position(), strings.Join(b.Path, ", ")))
		}
	}
	return out
}

// pathAround lists the calls around a place, innermost first.
func pathAround(s semantics.Source, at source.Span) (out []string) {
	n, ok := s.(semantics.Nested)
	if !ok || at.File != s.File() {
		return nil
	}
	for _, e := range n.Around(at.Start) {
		switch {
		case e.Span.Start <= at.Start && at.End <= e.Span.End && e.Span.End-e.Span.Start == at.End-at.Start:
		case !e.Value:
		case e.Operand < 0:
			out = append(out, e.Name)
		default:
			out = append(out, e.Name+" "+strconv.Itoa(e.Operand))
		}
	}
	return out
}
