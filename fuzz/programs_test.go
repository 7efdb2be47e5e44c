package fuzz

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	language "tv/semantics/glenside"

	"pgregory.net/rapid"

	"tv/equiv"
	"tv/fuzz/programs"
	"tv/glenside"
	"tv/internal/mix"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/domain"
)

// batch is the number of draws of one call of rapid.Check; properties ask for several, each with a salt of its own.
const batch = 500 // a fifth of it with -short

// salt is added to that of every property: TV_FUZZ_SALT=7 go test ./fuzz draws other programs.
var salt, _ = strconv.ParseUint(os.Getenv("TV_FUZZ_SALT"), 10, 64)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": fmt.Sprint(batch), "rapid.seed": "1", "rapid.nofailfile": "true",
		"rapid.shrinktime": "5s"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// anyProgram returns a generator of well-typed programs.
func anyProgram(p programs.Params) *rapid.Generator[*programs.Program] {
	return rapid.Custom(func(t *rapid.T) *programs.Program {
		ops := rapid.IntRange(1, p.MostOps()).Draw(t, "operators")
		exact := !p.Exact && !p.Real && rapid.Bool().Draw(t, "exact")
		seed := p.Salt
		for range 4 { // integers drawn by rapid are often small; together they seldom repeat
			seed = mix.Spread(seed ^ rapid.Uint64().Draw(t, "seed"))
		}
		return p.Grow(ops, exact, seed)
	})
}

// A tally counts from several goroutines.
type tally struct {
	sync.Mutex
	counts map[string]int
}

func (c *tally) add(key string, n int) {
	c.Lock()
	defer c.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[key] += n
}

func (c *tally) operators(p *glenside.Program) {
	for _, n := range p.Nodes {
		if n.Op != nil {
			c.add(n.Op.Name, 1)
		}
	}
}

// String lists the counts, smallest first.
func (c *tally) String() string {
	var keys []string
	for k := range c.counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if d := c.counts[a] - c.counts[b]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var s strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&s, "\n%8d %s", c.counts[k], k)
	}
	return s.String()
}

// atLeast fails for each name that was counted fewer times. A short run draws a fifth and asks for less.
func (c *tally) atLeast(t *testing.T, n int, names []string) {
	t.Helper()
	n /= tier.Pick(8, 1)
	for _, name := range names {
		if c.counts[name] < n {
			t.Errorf("%s was exercised %d times, want %d", name, c.counts[name], n)
		}
	}
}

// batches runs a property on so many batches of draws, in parallel.
func batches(t *testing.T, n int, prop func(t *rapid.T, salt uint64)) {
	t.Run("all", func(t *testing.T) {
		for i := range n {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(t *rapid.T) { prop(t, uint64(i)+salt*1_000_000) })
			})
		}
	})
}

// operators returns the names of the operator table.
func operators() []string {
	var names []string
	for _, op := range glenside.Ops() {
		names = append(names, op.Name)
	}
	return names
}

// TestPrintParse: parse(print(p)) = p, on programs over every operator.
func TestPrintParse(t *testing.T) {
	var used tally
	batches(t, 115, func(t *rapid.T, salt uint64) {
		p := anyProgram(programs.Params{Salt: salt}).Draw(t, "program")
		used.operators(p.Parsed)
		text := glenside.Format(p.Parsed)
		again, err := glenside.Parse(source.NewFile("again", text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !equalPrograms(p.Parsed, again) {
			t.Fatalf("print and parse made\n%s\nof\n%s", text, p.Text)
		}
		if line := glenside.FormatNode(p.Parsed.Root); line != glenside.FormatNode(again.Root) {
			t.Fatalf("on one line: %s\n%s", line, glenside.FormatNode(again.Root))
		}
	})
	used.atLeast(t, 1000, operators())
	t.Logf("operators:%s", &used)
}

// equalPrograms compares declarations and expressions.
func equalPrograms(a, b *glenside.Program) bool {
	if len(a.Nodes) != len(b.Nodes) || programs.Declarations(a) != programs.Declarations(b) {
		return false
	}
	same := map[[2]*glenside.Node]bool{}
	var equal func(x, y *glenside.Node) bool
	equal = func(x, y *glenside.Node) bool {
		if same[[2]*glenside.Node{x, y}] {
			return true
		}
		if x.Kind != y.Kind || x.Op != y.Op || x.Text != y.Text || !x.Int.Equal(y.Int) || len(x.Args) != len(y.Args) {
			return false
		}
		for i := range x.Args {
			if !equal(x.Args[i], y.Args[i]) {
				return false
			}
		}
		same[[2]*glenside.Node{x, y}] = true
		return true
	}
	return equal(a.Root, b.Root)
}

// check asks tv, without solvers.
func check(before, after *programs.Program) (equiv.Result, error) {
	return equiv.Check(context.Background(), equiv.Question{Before: language.Of(before.Parsed), After: language.Of(after.Parsed)}, smallOptions(before))
}

// smallOptions are for questions about many small programs: what the engines can prove of them takes them a tenth of the
// steps, and no clock decides.
func smallOptions(before *programs.Program) equiv.Options {
	return equiv.Options{Timeout: time.Hour, Steps: 20_000, Solver: "none", Uncertified: true,
		Arith: domain.ArithOf(before.Exact)}
}

// TestLaws: the reference evaluator does not tell a twin from its program. Each law of an operator is aimed at.
func TestLaws(t *testing.T) {
	var laws tally
	var aims []*programs.Law
	var names []string
	for _, l := range programs.Laws() {
		if names = append(names, l.Name); l.Op != "" {
			aims = append(aims, l)
		}
	}
	batches(t, tier.Draw(1, 2, 3)*len(aims), func(t *rapid.T, salt uint64) {
		l := aims[salt%1_000_000%uint64(len(aims))]
		ops := strings.Fields(l.Op)
		params := programs.Params{Salt: 1000 + salt, MaxOps: 4, Real: l.RealOnly()}
		params.Op = ops[rapid.IntRange(0, len(ops)-1).Draw(t, "operator")]
		_, realOnly := programs.Writes(params.Op)
		params.Real = params.Real || realOnly
		var p *programs.Program
		var made *programs.Rewrite
		for range 8 { // the law may not fit the first
			p = anyProgram(params).Draw(t, "program")
			if made = programs.TwinBy(p, p.Seed, l); made.Laws[l.Name] > 0 {
				break
			}
			params.Salt = mix.Spread(params.Salt)
		}
		for l, n := range made.Laws {
			laws.add(l, n)
		}
		if j := Judge(p.Typed(), made.Typed(), domain.ArithOf(p.Exact), 8, p.Seed); j.Apart {
			t.Fatalf("%s\nBEFORE\n%s\nAFTER, by %v\n%s", j.How, p.Text, made.Laws, made.Text)
		}
	})
	laws.atLeast(t, tier.Draw(320, 600, 1000), names)
	t.Logf("laws:%s", &laws)
}

// The most twins in a hundred that the normal form may leave open, besides those that rest on a symbol or on a law
// that it need not know.
const open = 4

// TestTwins: a program rewritten by true laws is never refuted, and the normal form proves it. What it leaves open
// is counted by reason.
func TestTwins(t *testing.T) {
	var verdicts, left tally
	batches(t, tier.Draw(3, 4, 6), func(t *rapid.T, salt uint64) {
		p := anyProgram(programs.Params{Salt: 2000 + salt}).Draw(t, "program")
		twin := programs.Twin(p, p.Seed)
		r, err := check(p, twin.Program)
		switch {
		case err != nil:
			t.Fatalf("%v\n%s\n%s", err, p.Text, twin.Text)
		case r.Verdict == equiv.Refuted:
			t.Fatalf("refuted: %s %s\nBEFORE\n%s\nAFTER, by %v\n%s", r.Reason, r.Detail, p.Text, twin.Laws, twin.Text)
		case r.Verdict == equiv.Proved:
			verdicts.add("proved by "+r.Engine, 1)
		case r.Reason == "unsupported":
			verdicts.add("rests on something uninterpreted", 1)
		case twin.Beyond:
			verdicts.add("a law beyond the normal form", 1)
		default:
			verdicts.add("open", 1)
			left.add(fmt.Sprintf("%s: %s\nBEFORE\n%s\nAFTER, by %v\n%s", r.Reason, r.Detail, p.Text, twin.Laws, twin.Text), 1)
		}
	})
	all := 0
	for _, n := range verdicts.counts {
		all += n
	}
	t.Logf("verdicts:%s", &verdicts)
	t.Logf("open:%s", &left)
	if verdicts.counts["open"]*100 > all*open {
		t.Errorf("%d twins of %d are open", verdicts.counts["open"], all)
	}
}
