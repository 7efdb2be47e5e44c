package fuzz

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tv/equiv"
	"tv/equiv/fault"
	"tv/fuzz/nests"
	"tv/fuzz/passes"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics/domain"
)

// Passes hunts for programs that a command translates wrongly. A case is a program of loops; the command reads some of them at
// once and writes them transformed, and each is checked against what it was. What differs is shrunk, and compiled: only
// what the compiled programs show is a miscompile.
type Passes struct {
	Command  []string
	Language string        // "mlir" or "c"
	Limit    time.Duration // of a run of the command; 0: passLimit

	judged, open, refused atomic.Int64 // programs: decided, unknown, not read or not well formed before
}

// passLimit is how long a command may take for one text.
const passLimit = 20 * time.Second

// Kinds of findings of passes.
const (
	kindMiscompile  = "miscompile"  // the compiled programs show it
	kindUnconfirmed = "unconfirmed" // tv refutes it, and no compiled program shows it
	kindEvaluator   = "evaluator"   // tv's evaluator and a compiled program disagree
	kindUnrefuted   = "unrefuted"   // the evaluator tells it apart, and tv neither proves nor refutes it
	kindWrongProof  = "wrong proof" // tv proves what its evaluator tells apart
	kindRefuted     = "refuted"     // nobody has compiled it yet
	kindHang        = passes.Hang
	kindUnread      = "unread" // the command wrote what tv does not read
)

// Name returns "passes".
func (t *Passes) Name() string { return "passes" }

// ID is a digest of the command.
func (t *Passes) ID() string {
	sum := sha256.Sum256([]byte(t.Language + "\x00" + strings.Join(t.Command, "\x00")))
	return fmt.Sprintf("%x", sum[:16])
}

// Remark says how many programs nobody knows anything of.
func (t *Passes) Remark() (text string, nothing bool) {
	judged, open, refused := t.judged.Load(), t.open.Load(), t.refused.Load()
	if open+refused == 0 {
		return "", false
	}
	return fmt.Sprintf("of %d programs %d are unknown, and %d have no question", judged+open+refused, open, refused), judged == 0
}

// Worker returns a runner of cases.
func (t *Passes) Worker() Worker { return &passWorker{Passes: t, ready: map[int64]*passed{}} }

// A passWorker runs cases, whose programs went through the command together.
type passWorker struct {
	*Passes
	ready map[int64]*passed // by case
}

// A passed is a program, and what the command made of it.
type passed struct {
	program *nests.Program  // nil of what a file holds
	before  string          // the text of a function f
	name    string          // of the function that is f transformed
	text    string          // what holds it
	failure *passes.Failure // why there is none
	known   string          // of what a file holds: what the finding is known by
}

// Lines of the files of findings.
const (
	knownBy   = "known by"
	printedBy = "AFTER is what this printed"
)

// Prepare implements batcher: a command takes longer to start than to transform a program.
func (w *passWorker) Prepare(ctx context.Context, seed uint64, cases []int64) {
	clear(w.ready)
	var batch []*passed
	for _, k := range cases {
		p := &passed{program: nests.Draw(caseSeed(seed, k))}
		batch, w.ready[k] = append(batch, p), p
	}
	w.apply(ctx, batch)
}

// apply runs the command on programs: on all at once, and where it fails on the halves.
func (t *Passes) apply(ctx context.Context, batch []*passed) {
	var texts []string
	for i, p := range batch {
		p.name = "f"
		if len(batch) > 1 {
			p.name = fmt.Sprintf("f_%d", i)
		}
		texts = append(texts, t.print(p.program, p.name))
		p.before = t.whole(t.print(p.program, "f"))
	}
	out, failure := t.transformed(ctx, t.whole(strings.Join(texts, "")))
	if failure != nil && len(batch) > 1 {
		t.apply(ctx, batch[:len(batch)/2])
		t.apply(ctx, batch[len(batch)/2:])
		return
	}
	for _, p := range batch {
		p.text, p.failure = out, failure
		if t.Language == "mlir" && len(batch) > 1 {
			p.text = alone(out, p.name)
		}
	}
}

// alone is the part of a module in MLIR that has one function, with all maps, which any may use: reading the whole once for each
// of its functions would take most of the time. Where functions do not begin as mlir-opt writes them it is the whole.
func alone(module, function string) string {
	const heading = "\n  func.func @"
	start := strings.Index(module, heading+function+"(")
	head := strings.Index(module, "module")
	if start < 0 || head < 0 {
		return module
	}
	text := module[start:]
	if end := strings.Index(text[1:], heading); end >= 0 {
		text = text[:end+1] + "\n}\n"
	}
	return module[:head] + "module {" + text
}

// transformed runs the command on a text.
func (t *Passes) transformed(ctx context.Context, text string) (string, *passes.Failure) {
	limit := t.Limit
	if limit == 0 {
		limit = passLimit
	}
	out, err := passes.Run(ctx, t.Command, text, limit)
	var failure *passes.Failure
	errors.As(err, &failure) // or the context has ended, which whoever goes on looks at
	return out, failure
}

// print writes a program, and whole what a file of programs is.
func (t *Passes) print(p *nests.Program, name string) string {
	if t.Language == "c" {
		return p.C(name)
	}
	return p.MLIR(name)
}

func (t *Passes) whole(functions string) string {
	if t.Language == "c" {
		return nests.CHeader + functions
	}
	return functions
}

// file is a program as a file.
func (t *Passes) file(side, text, function string) *source.File {
	f := source.NewFile(side+"."+t.Language, text)
	f.Function = function
	return f
}

// question is one about a program and what the command made of it.
func (t *Passes) question(p *passed) (asked equiv.Question, err error) {
	l := languages.Named(t.Language)
	if asked.Before, err = l.Parse(t.file("before", p.before, "f")); err != nil {
		return asked, err
	}
	asked.After, err = l.Parse(t.file("after", p.text, p.name))
	return asked, err
}

// Case draws a program, has it transformed, and checks that.
func (w *passWorker) Case(ctx context.Context, seed uint64, k int64) Outcome {
	p := w.ready[k]
	if p == nil {
		w.Prepare(ctx, seed, []int64{k})
		p = w.ready[k]
	}
	delete(w.ready, k)
	if ctx.Err() != nil {
		return Outcome{}
	}
	v := w.examine(ctx, p, k%passAsked == 0)
	o := Outcome{Covered: pairsOf(p.program.Features())}
	if v.kind == "" || ctx.Err() != nil {
		return o
	}
	o.Suspect = w.suspect(ctx, p, v)
	return o
}

// pairsOf are names, and pairs of them.
func pairsOf(names []string) (out []string) {
	for i, a := range names {
		out = append(out, a)
		for _, b := range names[i+1:] {
			out = append(out, a+" with "+b)
		}
	}
	return out
}

// A passVerdict is what is wrong: nothing, where kind is "".
type passVerdict struct {
	kind   string
	class  string // what it has in common with others: the obligation that fails, or what the command says
	detail string

	byEngines bool          // the evaluator did not see it
	result    *equiv.Result // of what is worked out
}

// Limits of what a program is asked: elements that the evaluator compares, of how many programs that it does not tell apart
// one is asked of the engines too, and how many steps these take. A campaign looks for what is wrong, and nearly all of it
// shows on a few contents.
const (
	passSamples = 240
	passAsked   = 8
	passSteps   = 500
)

// examine checks what the command made of a program.
func (t *Passes) examine(ctx context.Context, p *passed, engines bool) (v passVerdict) {
	defer func() {
		if r := recover(); r != nil {
			v = passVerdict{kind: kindFault, class: fault.Text(r), detail: fault.Text(r)}
		}
	}()
	if p.failure != nil {
		return passVerdict{kind: p.failure.Kind, class: numbers.ReplaceAllString(p.failure.Detail, "0"), detail: p.failure.Detail}
	}
	asked, err := t.question(p)
	if asked.Before == nil {
		t.refused.Add(1)
		return passVerdict{}
	}
	if err != nil {
		list := source.AsErrors(err)
		class := list[0].Code + ": " + numbers.ReplaceAllString(list[0].Msg, "0")
		return passVerdict{kind: kindUnread, class: class, detail: list[0].Error()}
	}
	x, y, err := equiv.Programs(asked)
	if err != nil {
		t.refused.Add(1)
		return passVerdict{}
	}
	j := Judge(x, y, domain.Auto, passSamples, passSeed)
	switch {
	case j.Apart:
		t.judged.Add(1)
		return passVerdict{kind: kindRefuted, class: classOf(j.How), detail: j.How}
	case j.Same == 0:
		t.refused.Add(1)
	case engines:
		return t.asked(ctx, asked)
	default:
		t.judged.Add(1)
	}
	return passVerdict{}
}

// passSeed is that of contents: a program is judged alike wherever it comes from.
const passSeed = 1

// asked asks the engines about a pair that the evaluator does not tell apart.
func (t *Passes) asked(ctx context.Context, asked equiv.Question) passVerdict {
	opts := options(domain.Auto)
	opts.Steps, opts.Uncertified, opts.Unblamed = passSteps, true, true
	r, err := equiv.Check(ctx, asked, opts)
	switch {
	case err != nil:
		t.refused.Add(1)
	case r.Verdict == equiv.Refuted:
		t.judged.Add(1)
		return passVerdict{kind: kindRefuted, class: classOf(r.Detail), detail: r.Detail, byEngines: true}
	case r.Verdict == equiv.Unknown:
		t.open.Add(1)
	default:
		t.judged.Add(1)
	}
	return passVerdict{}
}

// numbers are what differs in messages about one thing.
var numbers = regexp.MustCompile(`[0-9]+|%\w+|'[^']*'`)

// obligations are what a call may end by.
var obligations = regexp.MustCompile(`\b(bounds|index|initialised|overflow|parallel|termination|call): `)

// classOf says what kind of difference a text tells of: the obligation that fails, or "value".
func classOf(text string) string {
	if m := obligations.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return "value"
}

// suspect says what a program is known by for which something is wrong. A difference is known by what is left of the program when
// it is small; a failure of the command by its message, and is made small only where it is a finding.
func (t *Passes) suspect(ctx context.Context, p *passed, v passVerdict) *Suspect {
	key := v.kind + ": " + v.class
	if v.kind == kindRefuted && p.program != nil {
		p, v = t.shrunk(ctx, p, v)
		key = strings.Join(append([]string{key}, p.program.Features()...), ", ")
	} else if p.known != "" {
		key = p.known
	}
	return &Suspect{Key: key, Finding: func() Finding {
		ctx := ctx
		if errors.Is(ctx.Err(), context.DeadlineExceeded) { // what was found within the budget is worked out after it
			ctx = context.Background()
		}
		if v.kind != kindRefuted && v.kind != kindHang && p.program != nil {
			p, v = t.shrunk(ctx, p, v)
		}
		kind, detail := v.kind, v.detail
		if kind == kindRefuted {
			kind, detail = t.settled(ctx, p, &v)
		}
		f := Finding{Kind: kind, Detail: detail, Replay: []string{"tv", "replay"},
			Text: headline(t.Name(), kind) + note(detail) + note(knownBy+": "+key) + t.text(p, v)}
		if v.result != nil {
			f.Blame, _ = blameTexts(v.result.Blame)
		}
		return f
	}}
}

// text writes a program, and what the command made of it, as the end of a litmus file.
func (t *Passes) text(p *passed, v passVerdict) string {
	text := note(printedBy + ": " + commandLine(t.Command))
	if v.kind == kindRefuted {
		text += "want: refuted\n"
	}
	text += section("before."+t.Language, p.before)
	if p.failure == nil {
		text += section("after."+t.Language, p.text)
	}
	return text
}

// commandLine writes a command so that a shell, and Split, read the same words.
func commandLine(words []string) string {
	var out []string
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\()[]{}<>|&;*?$`#~!=%") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// shrinkBatch is how many smaller programs the command gets at once.
const shrinkBatch = 16

// shrunk makes a program smaller while what is wrong is of one kind and class. After a step it goes on where it was: what could
// not be left out before that can seldom be left out after it. In the end nothing can.
func (t *Passes) shrunk(ctx context.Context, p *passed, v passVerdict) (*passed, passVerdict) {
	most := shrinkBatch
	if p.failure != nil { // one that fails fails for all of a batch
		most = 1
	}
	for tries, at, since := 0, 0, 0; tries < shrinkTries; {
		list := p.program.Smaller()
		if at >= len(list) {
			at = 0
		}
		if since >= len(list) {
			break
		}
		var batch []*passed
		for _, q := range list[at:min(at+most, len(list))] {
			batch = append(batch, &passed{program: q})
		}
		t.apply(ctx, batch)
		if ctx.Err() != nil {
			return p, v
		}
		tries += len(batch)
		taken := slices.IndexFunc(batch, func(q *passed) bool {
			w := t.examine(ctx, q, v.byEngines)
			same := w.kind == v.kind && w.class == v.class
			if same {
				v = w
			}
			return same
		})
		if taken < 0 {
			at, since = at+len(batch), since+len(batch)
			continue
		}
		p, at, since = batch[taken], at+taken, 0
	}
	single := &passed{program: p.program}
	t.apply(ctx, []*passed{single})
	if w := t.examine(ctx, single, v.byEngines); w.kind == v.kind && w.class == v.class {
		return single, w
	}
	return p, v
}

// settled asks tv about what the evaluator tells apart, and has it compiled.
func (t *Passes) settled(ctx context.Context, p *passed, v *passVerdict) (kind, detail string) {
	asked, err := t.question(p)
	if err != nil {
		return kindUnrefuted, err.Error()
	}
	r, err := equiv.Check(ctx, asked, options(domain.Auto))
	switch {
	case err != nil:
		return kindUnrefuted, err.Error()
	case r.Verdict == equiv.Proved:
		return kindWrongProof, v.detail
	case r.Verdict == equiv.Unknown:
		return kindUnrefuted, v.detail + "; " + r.Reason + " " + r.Detail
	}
	v.result = &r
	return t.confirmed(ctx, p, *v)
}
