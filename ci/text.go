package ci

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tv/equiv"
	"tv/equiv/rules"
	"tv/equiv/sample"
	"tv/internal/casefile"
	"tv/internal/terminal"
	"tv/semantics/domain"
)

// TextOptions choose what Text writes.
type TextOptions struct {
	Color   bool
	Quiet   bool // only the first line of each result
	Verbose bool // counts of work, the hash of the statement and reasons in full as well
}

// maxOpen bounds the questions that are listed as not answered: who stops a long run wants to see the others.
const maxOpen = 10

// maxReason bounds what is printed of why nothing is known: what is left of two programs may take pages.
const maxReason = 1200

// textReport writes r for people. Its errors are not in it: they go to standard error, with source lines.
func textReport(w io.Writer, r *Run, opts TextOptions) error {
	var b bytes.Buffer
	t := &textWriter{b: &b, opts: opts, run: r}
	if line := r.opening(); line != "" {
		b.WriteString(line + "\n")
	}
	for i := range r.Items {
		t.item(&r.Items[i])
	}
	if more := t.open - maxOpen; more > 0 {
		fmt.Fprintf(&b, "not answered: %d more\n", more)
	}
	t.closing()
	_, err := w.Write(b.Bytes())
	return err
}

type textWriter struct {
	b    *bytes.Buffer
	run  *Run
	opts TextOptions
	open int // items that were not answered, so far
}

// line writes a line of the block under a result.
func (t *textWriter) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	t.b.WriteString("  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n")
}

func (t *textWriter) item(it *Item) {
	switch {
	case it.Open:
		if t.open++; t.open > maxOpen {
			return
		}
		fmt.Fprintf(t.b, "not answered: %s => %s\n", oneLine(it.Result.Before), oneLine(it.Result.After))
		return
	case !it.answered():
		return
	}
	r := &it.Result
	if it.Text != "" {
		t.given(it)
		return
	}
	t.b.WriteString(colored(t.opts.Color, r.Verdict, FirstLine(r, t.run.Timing)) + "\n")
	wanted := t.run.Expect && it.AsWanted()
	if t.run.Expect && !wanted {
		t.line("want: %s", it.wanted())
	}
	if t.run.Known(it) {
		t.line("known: the baseline has it")
	}
	if t.opts.Quiet || wanted && !t.opts.Verbose {
		return
	}
	if r.Bound != "" {
		t.line("bound %s", r.Bound)
	}
	if it.Rule != nil {
		t.rule(it.Rule)
	}
	switch r.Verdict {
	case equiv.Refuted:
		t.refutation(it)
	case equiv.Proved:
		if it.Rule == nil {
			t.proof(r)
		}
	default:
		t.line("%s", t.reason(r))
	}
	if r.Verdict == equiv.Proved {
		t.synth(it.Synth)
	}
	t.assumptions(r)
	for _, line := range r.Explanation {
		t.line("%s", line)
	}
	if t.opts.Verbose {
		s := r.Stats
		t.line("work: %d nodes, %d terms, %d queries, %d Z3 contexts, %d samples",
			s.Nodes, s.Terms, s.Queries, s.Contexts, s.Samples)
		t.line("sha256: %s", r.SHA256)
	}
	if it.Replay != "" && r.Verdict == equiv.Refuted && (r.Counterexample != nil || it.Circuit != nil) {
		t.line("replay: %s", it.Replay)
	}
}

// given writes an item whose text is given.
func (t *textWriter) given(it *Item) {
	first, more, _ := strings.Cut(it.Text, "\n")
	t.b.WriteString(first + "\n")
	if t.run.Known(it) {
		t.line("known: the baseline has it")
	}
	if !t.opts.Quiet {
		t.b.WriteString(more)
	}
}

// FirstLine returns the first line of a result, whose form scripts rely on:
//
//	proved: a.sexp => b.sexp (real, tensor, N >= 3 and 16 | K, normal-form, 1.3 ms)
func FirstLine(r *equiv.Result, timed bool) string {
	scope := "fixed sizes"
	if len(r.Domain) > 0 {
		scope = strings.ReplaceAll(domain.Conjunction(r.Domain), ",", ";")
	}
	if r.Order != "" {
		scope += " " + r.Order
	}
	engine := r.Engine
	if engine == "" {
		engine = "none"
	}
	var elapsed string
	if timed {
		elapsed = fmt.Sprintf(", %.1f ms", milliseconds(r.Elapsed))
	}
	return fmt.Sprintf("%s: %s => %s (%s, %s, %s, %s%s)", r.Verdict, oneLine(r.Before), oneLine(r.After),
		r.Arithmetic(), r.Equal, oneLine(scope), engine, elapsed)
}

// oneLine quotes a file name that would break the line.
func oneLine(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == utf8.RuneError }) {
		return strconv.Quote(s)
	}
	return s
}

func (t *textWriter) refutation(it *Item) {
	r := &it.Result
	if r.Detail != "" {
		t.line("%s", r.Detail)
	}
	if it.Circuit != nil {
		t.circuit(it.Circuit)
		t.repair(it.Repair)
	}
	if c := r.Counterexample; c != nil {
		t.counterexample(c, r.Failed)
		if c.ReadBefore != "" || c.ReadAfter != "" {
			t.line("before reads %s", orNothing(c.ReadBefore))
			t.line("after reads  %s", orNothing(c.ReadAfter))
		}
		if c.WroteBefore != "" {
			t.line("before: %s", c.WroteBefore)
		}
		if c.WroteAfter != "" {
			t.line("after: %s", c.WroteAfter)
		}
	}
	for _, b := range r.Blame {
		t.line("blame: %s: %s", b.Span.Position(), shorten(b.Text, 120))
		if b.Instead != nil {
			t.line("  with %s in place of %s at %s both agree on what was tried", shorten(b.Instead.Text, 60),
				shorten(b.Instead.Span.Text(), 60), b.Instead.Span.Position())
		}
	}
	if len(r.Regions) > 0 {
		t.line("differs in %s; elsewhere equal on random inputs", strings.Join(r.Regions, "; "))
	}
}

// rule says what is particular to rules.
func (t *textWriter) rule(r *rules.Result) {
	if r.Trivial {
		t.line("trivial: both sides are one text; not counted")
	}
	if r.Verdict == equiv.Proved {
		if r.Detail != "" {
			t.line("%s", r.Detail)
		}
		if len(r.Where) > 0 {
			t.line("where %s", strings.Join(r.Where, " and "))
		}
		if r.Converse != nil {
			t.way(r.Converse)
		}
		if t.opts.Verbose {
			t.line("smallest instance: %s", r.Instance)
			t.line("cases: %d", r.Cases)
		}
		return
	}
	if len(r.Choices) > 0 {
		t.line("case: %s", strings.Join(r.Choices, ", "))
	}
	if left := r.Programs[0]; left != "" {
		t.line("left:  %s", shorten(expressionOf(left), 300))
		if right := r.Programs[1]; right != "" {
			t.line("right: %s", shorten(right, 300))
		}
	}
	if r.WhereBoth != nil {
		t.whereBoth(r.WhereBoth)
	}
	if m := r.Mend; m != nil {
		if m.Exact {
			t.line("right if %s (exact on all of %d shapes)", m.Guard, m.Shapes)
		} else {
			t.line("right if %s (sufficient: it excludes %d of %d shapes at which the rule is right)", m.Guard, m.Excluded, m.Right)
		}
	}
	if t.run.Timing && r.Mending > 0 {
		t.line("looking for a guard took %.1f ms more", milliseconds(r.Mending))
	}
}

// way says whether the converse of a rule that is proved is proved as well.
func (t *textWriter) way(r *rules.Result) {
	took := ""
	if t.run.Timing {
		took = fmt.Sprintf(" (%.1f ms more)", milliseconds(r.Elapsed))
	}
	if r.Verdict == equiv.Proved {
		t.line("two-way%s", took)
		return
	}
	t.line("one-way: the converse is %s: %s%s", r.Verdict, shorten(joinNonEmpty(": ", r.Reason, r.Detail), maxReason), took)
}

// whereBoth says whether a refuted rule is right wherever both sides are well formed.
func (t *textWriter) whereBoth(r *rules.Result) {
	const where = "where both sides are well formed and have one type: "
	took := ""
	if t.run.Timing {
		took = fmt.Sprintf(", %.1f ms more", milliseconds(r.Elapsed))
	}
	switch r.Verdict {
	case equiv.Proved:
		t.line("%sproved (%s%s)", where, domain.Conjunction(r.Domain), took)
		if len(r.Trusts) > 0 {
			t.line("  trusting %s", strings.Join(r.Trusts, ", "))
		}
		return
	case equiv.Unknown:
		t.line("%sunknown: %s", where, shorten(joinNonEmpty(": ", r.Reason, r.Detail), maxReason))
		return
	}
	parts := []string{r.Detail}
	if c := r.Counterexample; c != nil {
		parts = append(parts, pointString(c.Point))
		for _, in := range c.Inputs {
			parts = append(parts, InputString(in))
		}
		if c.Before != "" || c.After != "" {
			parts = append(parts, elementString(c))
		}
	}
	t.line("%srefuted: %s", where, joinNonEmpty("; ", parts...))
}

// expressionOf returns a program without its declarations.
func expressionOf(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// table lists rules: verdict, scope, engine, time.
func (t *textWriter) table() {
	rows := [][]string{{"rule", "verdict", "scope", "engine"}}
	if t.run.Timing {
		rows[0] = append(rows[0], "ms")
	}
	for i := range t.run.Items {
		it := &t.run.Items[i]
		if it.Open {
			continue
		}
		row := []string{it.Name, "", "", ""}
		if it.answered() {
			row = []string{it.Name, it.Result.Verdict.String(), domain.Conjunction(it.Result.Domain), it.Result.Engine}
			if it.Result.Verdict != equiv.Proved {
				row[2] = it.Result.Reason
			}
		} else if len(it.Errors) > 0 {
			row[1], row[2] = "error", it.Errors[0].Code
		}
		if t.run.Timing {
			row = append(row, fmt.Sprintf("%.1f", milliseconds(it.Result.Elapsed)))
		}
		rows = append(rows, row)
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], terminal.Width(cell))
		}
	}
	t.b.WriteByte('\n')
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-terminal.Width(cell)+2))
		}
		t.b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// counterexample writes one; failed is the obligation that AFTER does not meet, where that is known.
func (t *textWriter) counterexample(c *sample.Counterexample, failed string) {
	if len(c.Point) > 0 {
		t.line("at %s", pointString(c.Point))
	}
	for _, in := range c.Inputs {
		t.line("%s", InputString(in))
	}
	if c.Before != "" || c.After != "" { // else the sides differ as wholes, which the detail says
		if failed == "value" || failed == "frame" { // others the detail has
			t.line("%s: %s", failed, elementString(c))
		} else {
			t.line("%s", elementString(c))
		}
	}
}

// elementString says what the element of a counterexample is on both sides.
func elementString(c *sample.Counterexample) string {
	return fmt.Sprintf("%s: %s before, %s after", ElementName(c.Path, c.Index), c.Before, c.After)
}

// ElementName says which element of a result is meant: of the component of a tuple that path leads to, at index.
func ElementName(path []int, index []int64) string {
	name := "element " + indexString(index)
	if len(index) == 0 {
		name = "the result"
	}
	if len(path) > 0 {
		name = fmt.Sprintf("component %s: %s", strings.Trim(fmt.Sprint(path), "[]"), name)
	}
	return name
}

func (t *textWriter) proof(r *equiv.Result) {
	if len(r.Domain) > 0 && r.Equal != equiv.Bits { // words have no sizes
		t.line("for all sizes with %s", domain.Conjunction(r.Domain))
	}
	if len(r.Where) > 0 {
		t.line("where %s", strings.Join(r.Where, " and "))
	}
	if len(r.Point) > 0 {
		t.line("both run at %s", pointString(r.Point))
	}
	t.exactness(r)
}

// exactness says in which element types the proof holds bit for bit, one line a verdict and reason.
func (t *textWriter) exactness(r *equiv.Result) {
	for i, e := range r.Exact {
		same := func(f equiv.ExactVerdict) bool {
			return f.Verdict == e.Verdict && f.Reason == e.Reason && f.Witness == nil
		}
		if e.Witness == nil && slices.IndexFunc(r.Exact, same) != i {
			continue // listed with the first of its kind
		}
		types := []string{e.Type.String()}
		for _, f := range r.Exact[i+1:] {
			if e.Witness == nil && same(f) {
				types = append(types, f.Type.String())
			}
		}
		reason := e.Reason
		if e.Witness != nil {
			reason = elementString(e.Witness)
		}
		t.line("bit for bit in %s: %s", strings.Join(types, " and "), joinNonEmpty(", ", e.Verdict, reason))
		if e.Witness != nil && t.opts.Verbose {
			for _, in := range e.Witness.Inputs {
				t.line("%s", InputString(in))
			}
		}
	}
}

// assumptions says what the verdict rests on, whatever it is.
func (t *textWriter) assumptions(r *equiv.Result) {
	if r.Disjoint != "" {
		t.line("assuming %s do not overlap", r.Disjoint)
	}
	if len(r.Idealised) > 0 {
		t.line("idealised: %s", strings.Join(r.Idealised, ", "))
	}
	for _, c := range r.RestsOn {
		t.line("rests on: %s (%s)", c.Name, c.Verdict)
	}
	if len(r.Trusts) > 0 {
		t.line("trusting %s", strings.Join(r.Trusts, ", "))
	}
}

// closing says what came out of several questions together.
func (t *textWriter) closing() {
	r := t.run
	if r.Campaign != nil {
		fmt.Fprintln(t.b, r.counted())
		return
	}
	if len(r.Items) < 2 {
		return
	}
	if r.Chain {
		t.chain()
	}
	if r.Rules && !t.opts.Quiet {
		t.table()
	}
	fmt.Fprintln(t.b, r.counted())
}

// counted says in one line what came out of all questions.
func (r *Run) counted() string {
	if r.Campaign != nil {
		return r.Campaign.Closing + r.KnownCount()
	}
	s := r.summary()
	line := fmt.Sprintf("%d proved, %d refuted, %d unknown", s.Proved, s.Refuted, s.Unknown)
	if n := r.rightWhereBoth(); n > 0 {
		line += fmt.Sprintf(" (%d of the refuted are right where both sides are well formed)", n)
	}
	count, wanted := map[status]int{}, 0
	for i := range r.Items {
		it := &r.Items[i]
		count[r.status(it)]++
		if it.AsWanted() {
			wanted++
		}
	}
	for _, c := range []struct {
		status status
		text   string
	}{{errored, "could not be asked"}, {unanswered, "not answered"}} {
		if n := count[c.status]; n > 0 {
			line += fmt.Sprintf(", %d %s", n, c.text)
		}
	}
	if r.Expect {
		line += fmt.Sprintf("; %d of %d as wanted", wanted, len(r.Items))
	}
	return line + r.KnownCount()
}

// rightWhereBoth counts the refuted rules whose second verdict is a proof.
func (r *Run) rightWhereBoth() (n int) {
	for i := range r.Items {
		if it := &r.Items[i]; it.counted() && it.Rule != nil && it.Rule.WhereBoth != nil &&
			it.Rule.WhereBoth.Verdict == equiv.Proved {
			n++
		}
	}
	return n
}

// KnownCount says how many of the refutations the baseline has, where there is one.
func (r *Run) KnownCount() string {
	if r.Baseline == nil {
		return ""
	}
	n := 0
	for i := range r.Items {
		if r.Known(&r.Items[i]) {
			n++
		}
	}
	return fmt.Sprintf("; %d known", n)
}

func (t *textWriter) chain() {
	items := t.run.Items
	for i := range items {
		r := &items[i].Result
		if !items[i].answered() || r.Verdict != equiv.Refuted {
			continue
		}
		which, step, steps := "first wrong step", i+1, len(items)
		if s := t.run.Shard; s != nil {
			which, step, steps = "first wrong step of the part", s.Index+i*s.Of+1, s.Questions
		}
		fmt.Fprintf(t.b, "%s: %d of %d, %s => %s\n", which, step, steps, oneLine(r.Before), oneLine(r.After))
		return
	}
}

const (
	shownElements   = 16 // of a tensor, written out
	shownExceptions = 8  // of a larger one, listed
)

// InputString prints a tensor of a counterexample: all of a small one, what differs from most of its
// elements otherwise. "A: 1x64x56x56 int8, all 0 except A[0,3,5,6] = 1".
func InputString(in sample.InputValue) string {
	t := casefile.NewTensor(in)
	head := fmt.Sprintf("%s: %s %s", in.Name, casefile.ShapeString(in.Dims), in.Elem)
	n, err := casefile.Elements(in.Dims)
	switch {
	case err == nil && n == 0:
		return head + ", no elements"
	case err == nil && n <= shownElements:
		return head + " = " + t.String()
	}
	offsets := make([]int64, 0, len(in.Sparse))
	for at := range in.Sparse {
		offsets = append(offsets, at)
	}
	slices.Sort(offsets)
	base := "0"
	if err == nil && int64(len(offsets)) == n {
		base = mostCommon(in.Sparse, offsets)
	}
	exceptions := slices.DeleteFunc(offsets, func(at int64) bool { return in.Sparse[at] == base })
	if len(exceptions) == 0 {
		return fmt.Sprintf("%s, all %s", head, base)
	}
	var list []string
	for _, at := range exceptions[:min(len(exceptions), shownExceptions)] {
		list = append(list, fmt.Sprintf("%s%s = %s", in.Name, indexString(unravel(in.Dims, at)), in.Sparse[at]))
	}
	text := strings.Join(list, ", ")
	if more := len(exceptions) - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s, all %s except %s", head, base, text)
}

// mostCommon returns the value that occurs most often, the earliest of those.
func mostCommon(values map[int64]string, offsets []int64) string {
	count := map[string]int{}
	best := ""
	for _, at := range offsets {
		count[values[at]]++
	}
	for _, at := range offsets {
		if count[values[at]] > count[best] {
			best = values[at]
		}
	}
	return best
}

func unravel(dims []int64, offset int64) []int64 {
	index := make([]int64, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		index[i] = offset % dims[i]
		offset /= dims[i]
	}
	return index
}

// indexString prints "[0,3]".
func indexString(index []int64) string {
	parts := make([]string, len(index))
	for i, x := range index {
		parts[i] = strconv.FormatInt(x, 10)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// pointString prints "K = 2, N = 1".
func pointString(p domain.Point) string {
	names := make([]string, 0, len(p))
	for name := range p {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s = %d", name, p[name])
	}
	return strings.Join(names, ", ")
}

// shorten puts text on one line and cuts what is longer than n runes.
func shorten(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n]) + " ..."
}

// reason says why nothing is known, in full where that is short or wanted.
func (t *textWriter) reason(r *equiv.Result) string {
	text := joinNonEmpty(": ", r.Reason, r.Detail)
	if t.opts.Verbose || utf8.RuneCountInString(text) <= maxReason {
		return text
	}
	return shorten(text, maxReason) + " (-v prints all)"
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func joinNonEmpty(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), sep)
}

// colored paints the verdict at the start of a line.
func colored(on bool, v equiv.Verdict, line string) string {
	if !on {
		return line
	}
	code := map[equiv.Verdict]string{equiv.Proved: "32", equiv.Refuted: "31", equiv.Unknown: "33"}[v]
	word := v.String()
	return "\x1b[1;" + code + "m" + word + "\x1b[0m" + line[len(word):]
}
