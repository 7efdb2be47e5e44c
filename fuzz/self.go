package fuzz

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"tv/equiv"
	"tv/equiv/fault"
	"tv/equiv/rules"
	"tv/fuzz/programs"
	"tv/glenside"
	rewrite "tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
)

// Self is the hunt for faults of tv itself. Of every sixteen cases six are twins, five are mutants, one is of another
// language, one mixes element types, one is a kernel, one a corner and one a rule at the corners; prover, evaluator, kernels and checker of certificates must not say
// different things of them, nor fail.
type Self struct {
	// Examine replaces the examination of a pair, in tests; nil is the real one.
	Examine func(before, after *programs.Program, twin bool) (kind, detail string)
	// misread is what the evaluator takes a program for, in tests: a fault planted in it; nil is none.
	misread func(text string) string
}

// How the cases of Self are asked about.
const (
	asTwin   = "twin"
	asMutant = "mutant"
	asKernel = "kernel"
	asRule   = "rule"
)

// Name returns "self".
func (s *Self) Name() string { return "self" }

// ID is the same for every hunt in tv itself.
func (s *Self) ID() string { return "self" }

// Worker returns a runner of cases.
func (s *Self) Worker() Worker { return selfWorker{s} }

type selfWorker struct{ *Self }

// Case draws and examines case k.
func (s selfWorker) Case(ctx context.Context, seed uint64, k int64) Outcome {
	salt := caseSeed(seed, k)
	switch k % 16 {
	case 7:
		if s.Examine == nil && s.misread == nil {
			return s.texts(ctx, drawMixed(salt))
		}
		return Outcome{}
	case 6:
		if p, ok := drawTexts(salt); ok && s.Examine == nil && s.misread == nil {
			return s.texts(ctx, p)
		}
		return Outcome{}
	case 11:
		if r := programs.CornerRule(salt); r != nil {
			return s.rule(ctx, r, salt)
		}
		return Outcome{}
	case 13:
		if p, q := programs.Corner(salt); p != nil {
			return s.corner(ctx, p, q)
		}
		return Outcome{}
	case 14:
		all := programs.Kernels()
		kernel := all[salt%uint64(len(all))]
		return s.kernel(kernel.Name, kernel.Draw(salt))
	}
	p := programs.Random(programs.Params{MaxOps: 6}, salt)
	if k%2 == 0 {
		return s.pair(ctx, p, programs.Twin(p, p.Seed).Program, true)
	}
	if m := programs.Mutate(p, p.Seed); m != nil {
		return s.pair(ctx, p, m.Program, false)
	}
	return Outcome{}
}

// pair examines a pair.
func (s selfWorker) pair(ctx context.Context, before, after *programs.Program, twin bool) Outcome {
	o := Outcome{Covered: operatorPairs(before.Parsed)}
	o.Entry = func(wanted []string) []byte {
		x, y := s.smallCase(before, after, twin, wanted)
		return []byte(headline(s.Name(), askedAs(twin)) + pairText(x, y, twin))
	}
	kind, detail := s.examine(ctx, before, after, twin)
	if kind == "" {
		return o
	}
	x, y := programs.Shrink(before, after, shrinkTries, func(x, y *programs.Program) bool {
		again, _ := s.examine(context.Background(), x, y, twin)
		return again == kind
	})
	if _, again := s.examine(context.Background(), x, y, twin); again != "" {
		detail = again
	}
	blame, key := blameOf(x, y)
	if kind == kindFault {
		blame, key = nil, detail
	}
	o.Suspect = &Suspect{Key: kind + ": " + key, Finding: func() Finding {
		want := "want: proved\n"
		if kind == "wrong proof" || kind == "wrong law" {
			want = "want: refuted\n"
		}
		return Finding{Kind: kind, Detail: detail, Blame: blame, Replay: []string{"tv", "replay"},
			Text: headline(s.Name(), kind) + note(detail) + want + pairText(x, y, twin)}
	}}
	return o
}

// corner examines a pair at the corners, which has to be kept as it is: a smaller one is at none.
func (s selfWorker) corner(ctx context.Context, before, after *programs.Program) Outcome {
	o := s.pair(ctx, before, after, false)
	o.Entry = func([]string) []byte {
		return []byte(headline(s.Name(), asMutant) + pairText(before, after, false))
	}
	return o
}

// rule decides a rule of which nothing is known; only a fault is wrong.
func (s selfWorker) rule(ctx context.Context, r *rewrite.Rule, salt uint64) Outcome {
	text := fmt.Sprintf("# asked as: %s\n# drawn as: %d\n", asRule, salt) + section(ruleSection, r.Span.Text())
	o := Outcome{Entry: func([]string) []byte { return []byte(headline(s.Name(), asRule) + text) }}
	detail := examineRule(ctx, r, salt)
	if detail == "" {
		return o
	}
	o.Suspect = &Suspect{Key: kindFault + ": " + detail, Finding: func() Finding {
		return Finding{Kind: kindFault, Detail: detail, Replay: []string{"tv", "replay"},
			Text: headline(s.Name(), kindFault) + note(detail) + text}
	}}
	return o
}

// ruleSection is the section of a file that holds a rule.
const ruleSection = "corner.rules"

// smallCase returns a pair like another one, of a smaller program that still covers what is wanted, if
// nothing is wrong with that.
func (s selfWorker) smallCase(before, after *programs.Program, twin bool, wanted []string) (x, y *programs.Program) {
	x, _ = programs.Shrink(before, before, entryTries, func(x, _ *programs.Program) bool {
		return covers(operatorPairs(x.Parsed), wanted)
	})
	if twin {
		y = programs.Twin(x, x.Seed).Program
	} else if m := programs.Mutate(x, x.Seed); m != nil {
		y = m.Program
	}
	if x == before || y == nil {
		return before, after
	}
	if kind, _ := s.examine(context.Background(), x, y, twin); kind != "" {
		return before, after
	}
	return x, y
}

func askedAs(twin bool) string {
	if twin {
		return asTwin
	}
	return asMutant
}

// pairText writes a pair as the end of a litmus file.
func pairText(before, after *programs.Program, twin bool) string {
	text := fmt.Sprintf("# asked as: %s\n# drawn as: %d\n", askedAs(twin), before.Seed)
	if before.Exact {
		text += "args: --arith exact\n"
	}
	return text + section("before.sexp", before.Text) + section("after.sexp", after.Text)
}

// Again examines the pair or the kernel of a file.
func (s selfWorker) Again(e *Entry) (Outcome, error) {
	if text, ok := e.Parts["kernel.json"]; ok {
		c := &programs.Case{}
		if err := json.Unmarshal([]byte(text), c); err != nil {
			return Outcome{}, e.bad(err)
		}
		if _, err := programs.Typed("kernel", c.Text); err != nil {
			return Outcome{}, e.bad(err)
		}
		return s.kernel(e.value("asked as"), c), nil
	}
	if text, ok := e.Parts[ruleSection]; ok {
		rules, err := rewrite.Parse(source.NewFile(ruleSection, text))
		if err != nil || len(rules) != 1 {
			return Outcome{}, e.bad(cmp.Or(err, errors.New("it is not one rule")))
		}
		var salt uint64
		_, _ = fmt.Sscan(e.value("drawn as"), &salt) // without it a rule is asked in float32
		return s.rule(context.Background(), rules[0], salt), nil
	}
	if p, ok, err := textsOf(e); ok {
		if err == nil {
			_, err = p.contest()
		}
		if err != nil {
			return Outcome{}, e.bad(err)
		}
		return s.texts(context.Background(), p), nil
	}
	before, after, err := s.programs(e)
	if err != nil {
		return Outcome{}, err
	}
	return s.pair(context.Background(), before, after, e.value("asked as") != asMutant), nil
}

// programs reads the pair of a file.
func (s selfWorker) programs(e *Entry) (before, after *programs.Program, err error) {
	h := fnv.New64a()
	h.Write([]byte(e.Parts["before.sexp"] + e.Parts["after.sexp"]))
	seed := h.Sum64()
	_, _ = fmt.Sscan(e.value("drawn as"), &seed) // a file without it is judged on other samples
	exact := strings.Contains(e.value("args"), "exact")
	if before, err = programs.Typed("before", e.Parts["before.sexp"]); err != nil {
		return nil, nil, e.bad(err)
	}
	if after, err = programs.Typed("after", e.Parts["after.sexp"]); err != nil {
		return nil, nil, e.bad(err)
	}
	for _, p := range []*programs.Program{before, after} {
		p.Exact, p.Seed = exact, seed
	}
	return before, after, nil
}

// Covered returns the pairs of operators of the program of a file.
func (s selfWorker) Covered(e *Entry) []string {
	if p, ok, err := textsOf(e); ok && err == nil {
		if c, err := p.contest(); err == nil {
			return partPairs(c.x)
		}
	}
	p, err := programs.Typed("before", e.Parts["before.sexp"])
	if err != nil {
		return nil
	}
	return operatorPairs(p.Parsed)
}

// kernel holds the evaluator against a kernel.
func (s selfWorker) kernel(name string, c *programs.Case) Outcome {
	run := *c
	if s.misread != nil {
		run.Text = s.misread(c.Text)
	}
	err := run.Check()
	if err == nil {
		return Outcome{}
	}
	const kind = "evaluator against kernel"
	return Outcome{Suspect: &Suspect{Key: kind + ": " + name, Finding: func() Finding {
		data, _ := json.Marshal(c) // numbers and texts
		return Finding{Kind: kind, Detail: name + ": " + err.Error(), Replay: []string{"tv", "replay"},
			Text: headline(s.Name(), kind) + note(name+": "+err.Error()) + "# asked as: " + name + "\n" +
				section("kernel.json", string(data))}
	}}}
}

// examine asks everybody about a pair.
func (s *Self) examine(ctx context.Context, before, after *programs.Program, twin bool) (kind, detail string) {
	if s.Examine != nil {
		return s.Examine(before, after, twin)
	}
	c := contestOf(before, after)
	if s.misread == nil {
		return c.examine(ctx, c.x, c.y, twin)
	}
	return c.examine(ctx, misreading(before, s.misread), misreading(after, s.misread), twin)
}

// misreading is a program as a faulty evaluator reads it; one that does not type it reads as it is.
func misreading(p *programs.Program, by func(string) string) semantics.Program {
	q, err := programs.Typed(p.Parsed.File.Name, by(p.Text))
	if err != nil {
		return p.Typed()
	}
	return q.Typed()
}

// Samples of a campaign's judgements: of twins, which should be the same, and of mutants.
const (
	twinSamples   = 64
	mutantSamples = 1000
)

// kindFault is the kind of a panic.
const kindFault = "fault"

// A contest is a pair that everybody is asked about.
type contest struct {
	asked equiv.Question
	x, y  semantics.Program
	arith domain.Arith
	seed  uint64 // of samples

	certify bool // ask for a certificate of what the evaluator tells apart: none is to be accepted
}

func contestOf(before, after *programs.Program) contest {
	return contest{equiv.Question{Before: language.Of(before.Parsed), After: language.Of(after.Parsed)},
		before.Typed(), after.Typed(), domain.ArithOf(before.Exact), before.Seed, false}
}

// examine asks everybody about a pair and returns who is wrong: "" where nobody is. A twin should mean the same.
// The evaluator judges the programs given.
func (c contest) examine(ctx context.Context, x, y semantics.Program, twin bool) (kind, detail string) {
	defer func() {
		if r := recover(); r != nil {
			kind, detail = kindFault, fault.Text(r)
		}
	}()
	samples := mutantSamples
	if twin {
		samples = twinSamples
	}
	j := Judge(x, y, c.arith, samples, c.seed)
	if j.Apart && twin {
		return "wrong law", j.How
	}
	opts := options(c.arith)
	if j.Apart {
		if proved, err := equiv.Prove(ctx, c.asked, opts); err == nil && proved {
			return "wrong proof", j.How
		}
		if c.certify && c.certified(ctx, opts) {
			return "wrong certificate", j.How
		}
		return "", ""
	}
	r, err := equiv.Check(ctx, c.asked, opts)
	if err != nil {
		return "", ""
	}
	if strings.Contains(r.Detail, checkerFault) {
		return kindFault, r.Detail
	}
	if r.Verdict != equiv.Refuted {
		return "", ""
	}
	if how := Confirm(c.x, c.y, c.arith, &r); how != "" {
		return "wrong refutation", how
	}
	if twin {
		return "wrong law", "tv refutes the twin, and the evaluator agrees: " + r.Detail
	}
	return "", ""
}

// examineRule decides a rule for tensors of a type, in an arithmetic, that salt says. It returns what failed, or "".
func examineRule(ctx context.Context, r *rewrite.Rule, salt uint64) (detail string) {
	defer func() {
		if p := recover(); p != nil {
			detail = fault.Text(p)
		}
	}()
	opts := options(domain.ArithOf(salt&1 == 0))
	opts.Unmended = true
	res, err := rules.Check(ctx, r, programs.Element(salt>>1), opts)
	if err == nil && strings.Contains(res.Detail, checkerFault) {
		return res.Detail
	}
	return ""
}

// checkerFault is what the detail of an answer says where the checker failed; that it refuses a certificate is no fault.
const checkerFault = "a fault of the checker"

// Limits of a question about a random program. Those that are counted end nearly all that take long, so that what
// a case finds does not hang on the clock; what they leave out of a program of this size is about one proof in 500.
const (
	selfSteps  = 200_000
	selfTime   = 10 * time.Second
	selfMemory = 512 << 20
)

// options are those of a question about a random program.
func options(arith domain.Arith) equiv.Options {
	return equiv.Options{Timeout: selfTime, Steps: selfSteps, Memory: selfMemory, Solver: "none",
		Arith: arith}
}

// blameOf names what differs first between two programs, where tv sees a difference, and else their
// operators.
func blameOf(before, after *programs.Program) (texts []string, key string) {
	defer func() {
		if recover() != nil { // the finding is another one already
			texts, key = nil, operatorsOf(before)+" => "+operatorsOf(after)
		}
	}()
	opts := options(domain.ArithOf(before.Exact))
	opts.Uncertified, opts.Unblamed = true, true // of a proof there is nothing to name, and of others what is known by operators
	r, err := equiv.Check(context.Background(), equiv.Question{Before: language.Of(before.Parsed), After: language.Of(after.Parsed)}, opts)
	if err == nil && len(r.Blame) > 0 {
		return blameTexts(r.Blame)
	}
	return nil, operatorsOf(before) + " => " + operatorsOf(after)
}

// operatorsOf lists the operators of a program, each once.
func operatorsOf(p *programs.Program) string {
	var names []string
	for _, n := range p.Parsed.Nodes {
		if n.Op != nil && n.Op != glenside.OpAccessTensor {
			names = append(names, n.Op.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

// operatorPairs lists the pairs of an operator and one that it is applied to, "relay-add>compute", each once,
// and the operators by themselves.
func operatorPairs(p *glenside.Program) []string {
	var out []string
	for _, n := range p.Nodes {
		if n.Op == nil {
			continue
		}
		out = append(out, n.Op.Name)
		for _, a := range n.Args {
			if a.Op != nil {
				out = append(out, n.Op.Name+">"+a.Op.Name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// covers tells whether all that is wanted is among what is had, which is sorted.
func covers(had, wanted []string) bool {
	for _, w := range wanted {
		if _, ok := slices.BinarySearch(had, w); !ok {
			return false
		}
	}
	return true
}
