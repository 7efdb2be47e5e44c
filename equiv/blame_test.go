package equiv_test

import (
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/internal/litmusfile"
	"tv/internal/source"
	"tv/internal/tier"
)

// longestBlame is how long a span may be for a reader to find a fault in it, blanks counted once.
const longestBlame = 120

// blameShare is the share of mutants, in percent, of which the first span of AFTER has the fault and is short: of those whose AFTER is
// Glenside's, and of the others.
var blameShare = map[string]int{"glenside": 85, "other": 74}

// A blameMutant is AFTER with one token changed.
type blameMutant struct {
	text       string
	start, end int    // of the new token
	class      string // number, name, operator
	old, now   string
}

// A blameTally counts what blame says of mutants of one class.
type blameTally struct {
	mutants, none, first, short, any, length int
}

// TestBlame changes one token of AFTER of pairs that are proved, and asks whether the fault is in the first span of AFTER that is to
// blame. Mutants that are no programs, or that are not refuted within few steps, do not count. Tables of what may stand in place of a
// token are the test's own.
func TestBlame(t *testing.T) {
	var mu sync.Mutex
	tallies := map[string]*blameTally{}
	count := func(class string, list []sample.Blame, m blameMutant) {
		mu.Lock()
		defer mu.Unlock()
		if tallies[class] == nil {
			tallies[class] = &blameTally{}
		}
		tallies[class].add(list, m)
	}
	t.Run("files", func(t *testing.T) {
		for _, name := range blameFiles(t) {
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				l, err := litmusfile.Read(name)
				if err != nil {
					t.Fatal(err)
				}
				if l.Want != equiv.Proved {
					return
				}
				for _, f := range refutedMutants(t, l, crc32.ChecksumIEEE([]byte(filepath.Base(name)))) {
					group := "glenside"
					if l.Question.After.Language().Name != group {
						group = "other"
					}
					for _, class := range []string{group, group + ", " + f.reason, group + ", " + f.class} {
						count(class, f.blame, f.blameMutant)
					}
				}
			})
		}
	})
	all := 0
	for _, class := range slices.Sorted(maps.Keys(tallies)) {
		c := tallies[class]
		t.Logf("%-20s %s", class, c)
		if want := blameShare[class]; want > 0 {
			all += c.mutants
			if c.short*100 < c.mutants*want {
				t.Errorf("%s: the first span has the fault, and is short, in %d of %d, want %d in a hundred", class, c.short, c.mutants, want)
			}
		}
	}
	if want := tier.Pick(100, 300); all < want {
		t.Errorf("%d mutants, want %d", all, want)
	}
}

// A refutedMutant is a mutant, why it is refuted, and what is to blame.
type refutedMutant struct {
	blameMutant
	reason string
	blame  []sample.Blame
}

// refutedMutants draws mutants of a case that are refuted.
func refutedMutants(t *testing.T, l *litmusfile.Case, seed uint32) (out []refutedMutant) {
	t.Helper()
	opts := l.Options
	opts.Steps, opts.Solver, opts.Uncertified = 2000, "none", true
	language := l.Question.After.Language()
	for _, m := range blameMutants(l.After.Text, language.Name, uint64(seed)) {
		f := source.NewFile(l.After.Name, m.text)
		f.Function, f.Results, f.Sizes = l.After.Function, l.After.Results, l.After.Sizes
		after, err := language.Parse(f)
		if err != nil {
			continue
		}
		q := l.Question
		q.After = after
		r, err := equiv.Check(t.Context(), q, opts)
		if err != nil || r.Verdict != equiv.Refuted {
			continue
		}
		if os.Getenv("TV_BLAME") != "" {
			t.Logf("%s %s: %q for %q at %d\n%+v", r.Reason, m.class, m.now, m.old, m.start, r.Blame)
		}
		if out = append(out, refutedMutant{m, r.Reason, r.Blame}); len(out) == 2 {
			break
		}
	}
	return out
}

func (c *blameTally) add(list []sample.Blame, m blameMutant) {
	c.mutants++
	n, any := 0, false
	for _, b := range list {
		if b.Side != "after" {
			continue
		}
		in := b.Span.Start <= m.start && m.end <= b.Span.End
		any = any || in
		if n++; n > 1 {
			continue
		}
		length := len(strings.Join(strings.Fields(b.Span.Text()), " "))
		c.length += length
		if in {
			c.first++
		}
		if in && length <= longestBlame {
			c.short++
		}
	}
	if n == 0 {
		c.none++
	}
	if any {
		c.any++
	}
}

// String says in how many mutants the fault is where; of each the share in percent.
func (c *blameTally) String() string {
	of := func(n int) string { return fmt.Sprintf("%d (%d%%)", n, 100*n/c.mutants) }
	return fmt.Sprintf("%d mutants: none blamed %s, in the first span %s, which is short %s, in any %s, %d characters", c.mutants, of(c.none),
		of(c.first), of(c.short), of(c.any), c.length/max(1, c.mutants-c.none))
}

// blameFiles are the litmus files that mutants are made of: one of eight in the quick tier, of three in all.
func blameFiles(t *testing.T) (out []string) {
	t.Helper()
	for _, dir := range []string{"check", "languages"} {
		files, err := filepath.Glob("../testdata/" + dir + "/*.txtar")
		if err != nil || len(files) == 0 {
			t.Fatal(err)
		}
		for i, name := range files {
			if strings.HasSuffix(name, "-fixed.txtar") { // sizes are numbers as large as they are in use: running one takes long
				continue
			}
			if i%tier.Draw(8, 3, 1) == 0 {
				out = append(out, name)
			}
		}
	}
	return out
}

var blameToken = regexp.MustCompile(`;[^\n]*|//[^\n]*|[A-Za-z_%@]\w*(?:-[A-Za-z]\w*)*|[0-9]+(\.[0-9]+)?|[-+*/]`)

// sameClass are words one of which may stand where another one does.
var sameClass = [][]string{
	{"relay-add", "relay-multiply", "relay-maximum", "relay-minimum", "relay-subtract", "relay-divide"},
	{"reduce-sum", "reduce-max", "reduce-mean"},
	{"elementwise-add", "elementwise-mul", "elementwise-div"},
	{"relu", "negative", "sqrt"},
	{"relay-relu", "relay-negative", "relay-sqrt", "relay-exp"},
	{"relay-sigmoid", "relay-tanh", "relay-erf"},
	{"relay-max-pool2d", "relay-avg-pool2d"},
	{"relay-softmax", "relay-log-softmax"},
	{"zero-padding", "min-padding"},
	{"add", "mul", "sub"}, {"max", "min"},
	{"+", "-", "*"},
}

// blameMutants are texts with one token changed, in an order that the seed draws.
func blameMutants(text, language string, seed uint64) (out []blameMutant) {
	from := 0
	var names []string
	if language == "glenside" {
		for _, m := range regexp.MustCompile(`\(input\s+(\S+)`).FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		if i := strings.LastIndex(text, "(input "); i >= 0 {
			from = i + strings.Index(text[i:]+"\n", "\n")
		}
	} else {
		from = strings.Index(text+"\n", "\n")
		for _, w := range blameToken.FindAllString(text[from:], -1) {
			if w[0] != '/' && w[0] != ';' && (w[0] == '%' || len(w) == 1 && w[0] >= 'A') {
				names = append(names, w)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, at := range blameToken.FindAllStringIndex(text, -1) {
		old := text[at[0]:at[1]]
		if at[0] < from || old[0] == ';' || strings.HasPrefix(old, "//") {
			continue
		}
		class, others := "operator", []string(nil)
		switch {
		case old[0] >= '0' && old[0] <= '9':
			class, others = "number", []string{"0", "1", "2", "3", "4"}
		case slices.Contains(names, old):
			class, others = "name", names
		default:
			for _, list := range sameClass {
				if slices.Contains(list, old) {
					others = list
				}
			}
		}
		for _, now := range others {
			if now != old {
				out = append(out, blameMutant{text[:at[0]] + now + text[at[1]:], at[0], at[0] + len(now), class, old, now})
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(len(out), 60)]
}
