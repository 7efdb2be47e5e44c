package mapping

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"tv/glenside/rule"
	"tv/internal/source"
)

// ruleFile reads rules, without those that are wanted refuted.
func ruleFile(t *testing.T, names ...string) (list []*rule.Rule) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile("../../hwmodels/rules/map/" + name)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := rule.Parse(source.NewFile(name, string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			if r.Want != "refuted" && len(r.Use) == 0 {
				list = append(list, r)
			}
		}
	}
	return list
}

// trusting lets every rule fire.
func trusting(_ context.Context, questions []Question) ([]bool, error) {
	return slices.Repeat([]bool{true}, len(questions)), nil
}

// options are the usual ones, with the rules for VTA but those of convolutions.
func options(t *testing.T) Options {
	rules := slices.DeleteFunc(ruleFile(t, "moves.rules", "products.rules", "vta.rules"),
		func(r *rule.Rule) bool { return strings.HasPrefix(r.Name, "conv") })
	return Options{Rules: rules, Rounds: DefaultRounds, Nodes: DefaultNodes, Model: Calls(), Extract: ExtractDAG, Certify: trusting}
}

// convolution is one as a product of patches of several dims, as access patterns say it.
const convolution = `(input X (shape 1 16 10 10))
(input W (shape 32 16 3 3))
(access-transpose (compute dot-product (access-cartesian-product (access W 1)
  (access (access-squeeze (access-windows (access X 1) (shape 16 3 3) (shape 1 1 1)) 1) 3))) (list 1 0 2 3))
`

func TestConvolutionByGeneralRules(t *testing.T) {
	r, err := Map(t.Context(), source.NewFile("conv", convolution), options(t))
	if err != nil {
		t.Fatal(err)
	}
	if r.After.Calls["vta"] != 1 || r.After.Work != 0 || r.Stopped != Saturated {
		t.Errorf("%v, %s:\n%s", r.After, r.Stopped, r.Mapped)
	}
}

// Rewriting that keeps the best program after each step does not get there: each of the steps alone makes the program dearer.
func TestGreedyRewritingStops(t *testing.T) {
	opts := options(t)
	opts.Rounds = 1
	opts.Model.calls = false
	text := convolution
	for range 20 {
		r, err := Map(t.Context(), source.NewFile("conv", text), opts)
		if err != nil {
			t.Fatal(err)
		}
		if r.After.Total() > 0 {
			t.Fatalf("a call after steps each of which made the program cheaper:\n%s", r.Mapped)
		}
		if r.Mapped == text {
			return
		}
		text = r.Mapped
	}
	t.Error("the program still changes after 20 steps")
}

// The same question has the same answer, byte for byte.
func TestSameAnswer(t *testing.T) {
	var first []byte
	for range 3 {
		r, err := Map(t.Context(), source.NewFile("conv", convolution), options(t))
		if err != nil {
			t.Fatal(err)
		}
		got := append([]byte(r.Mapped), r.Explanation(nil)...)
		if first == nil {
			first = got
		}
		if !bytes.Equal(first, got) {
			t.Fatal("two runs differ")
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		change  func(*Options)
		stopped string
	}{
		{func(o *Options) { o.Rounds = 2 }, StopRounds},
		{func(o *Options) { o.Nodes = 20 }, StopNodes},
		{func(o *Options) { o.Backoff = true }, Saturated},
	} {
		opts := options(t)
		c.change(&opts)
		r, err := Map(t.Context(), source.NewFile("conv", convolution), opts)
		if err != nil {
			t.Fatal(err)
		}
		if r.Stopped != c.stopped {
			t.Errorf("stopped by %s, wanted %s", r.Stopped, c.stopped)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Map(ended, source.NewFile("conv", convolution), options(t))
	if err != nil || r.Stopped != StopTimeout || r.After.Total() != 0 {
		t.Errorf("without time: %v, %v", r, err)
	}
}

// A rule that whoever calls does not let fire does not.
func TestUncertified(t *testing.T) {
	opts := options(t)
	opts.Certify = func(_ context.Context, questions []Question) ([]bool, error) {
		out := make([]bool, len(questions))
		for i, q := range questions {
			out[i] = q.Rule.Name != "vta-dense"
		}
		return out, nil
	}
	r, err := Map(t.Context(), source.NewFile("conv", convolution), opts)
	if err != nil {
		t.Fatal(err)
	}
	if r.After.Total() != 0 {
		t.Errorf("mapped by a rule that may not fire:\n%s", r.Mapped)
	}
}

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]string{"vta": "", "cim": "", "systolic=3x5": "", "cim=7x7": "", "vta=3x3": "vta has no size",
		"systolic": "wants the size", "systolic=3": "RxC", "systolic=0x3": "RxC", "tpu": "there is no target"} {
		target, err := ParseTarget(text)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, wanted %q", text, err, want)
		case text == "systolic=3x5" && (target.Given["?R"] != 3 || target.Given["?C"] != 5), text == "cim" && target.Given["?R"] != 256:
			t.Errorf("%s: %v", text, target.Given)
		}
	}
}

func TestParseCosts(t *testing.T) {
	for text, want := range map[string]string{
		"tv-cost 1\n# nothing\n\nrelay-dense 2 per mac # dear\ndefault 3\nshape-words 0\n": "",
		"tv-cost 2\n": "the first line", "": "the first line", "tv-cost 1\nrelay-dense 0\n": "at least 1",
		"tv-cost 1\nrelay-dense -1\n": "natural", "tv-cost 1\nrelay-dense 1.5\n": "natural", "tv-cost 1\nrelay-dens 1\n": "no operator",
		"tv-cost 1\nrelay-dense 1 per row\n": "per out", "tv-cost 1\nrelay-dense 1\nrelay-dense 1\n": "twice",
		"tv-cost 1\nshape-words 1\n": "cost nothing", "tv-cost 1\nrelay-dense\n": "a line is",
	} {
		_, err := ParseCosts(source.NewFile("costs", text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, wanted %q", text, err, want)
		}
	}
}

// A model in a file chooses between the accelerator and the host.
func TestCosts(t *testing.T) {
	for text, calls := range map[string]int{"tv-cost 1\ndefault 1\n": 0, "tv-cost 1\ndefault 99\naccess 1\nvta-dense 1\n": 1,
		"tv-cost 1\ndefault 99\naccess 1\nvta-dense 1 per mac\n": 0} {
		opts := options(t)
		var err error
		if opts.Model, err = ParseCosts(source.NewFile("costs", text)); err != nil {
			t.Fatal(err)
		}
		r, err := Map(t.Context(), source.NewFile("net", "(input x (shape 4 16))(input w (shape 16 16))(relay-operator-call relay-dense x w)"), opts)
		if err != nil {
			t.Fatal(err)
		}
		if r.After.Calls["vta"] != calls || opts.Model.Err() != nil {
			t.Errorf("%q: %v, %v", text, r.After.Calls, opts.Model.Err())
		}
	}
	opts := options(t)
	var err error
	if opts.Model, err = ParseCosts(source.NewFile("costs", "tv-cost 1\nrelay-dense 5\naccess 1\naccess-tensor 1\n")); err != nil {
		t.Fatal(err)
	}
	_, err = Map(t.Context(), source.NewFile("net", "(input x (shape 4 16))(input w (shape 16 16))(relay-operator-call relay-dense x w)"), opts)
	if err := cmp.Or(err, opts.Model.Err()); err == nil || !strings.Contains(err.Error(), "no default") || !strings.Contains(err.Error(), "vta-dense") ||
		strings.Contains(err.Error(), "relay-dense") {
		t.Errorf("without a default: %v", err)
	}
}
