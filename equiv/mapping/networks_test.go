package mapping_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tv/equiv/mapping"
	"tv/glenside"
	"tv/glenside/rule"
	maprules "tv/hwmodels/rules"
	"tv/internal/networks"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/relay/syntax"
	"tv/semantics/relay/translate"
)

// rows are the words of the lines of a file.
func rows(t *testing.T, file string) (list [][]string) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			list = append(list, words)
		}
	}
	return list
}

// network is one as it is imported.
func network(t *testing.T, name string, simplified bool) *source.File {
	t.Helper()
	m, err := syntax.Parse(source.NewFile(name, networks.Relay(name, simplified)), "")
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Graph(syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := translate.New(g, translate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return source.NewFile(name, p.Text)
}

// shipped are the rules for a target that tv map has in a mode, in its order.
func shipped(t *testing.T, target, mode string) (list []*rule.Rule) {
	t.Helper()
	entries, err := fs.ReadDir(maprules.Map, "map")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		base, isRules := strings.CutSuffix(e.Name(), ".rules")
		if !isRules || mapping.IsTarget(base) && base != target {
			continue
		}
		text, err := fs.ReadFile(maprules.Map, "map/"+e.Name())
		if err != nil {
			t.Fatal(err)
		}
		rules, err := rule.Parse(source.NewFile(e.Name(), string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			if r.Want != "refuted" && !slices.ContainsFunc(r.Use, func(use string) bool { return use != mode }) {
				list = append(list, r)
			}
		}
	}
	return list
}

// believed lets every rule fire.
func believed(_ context.Context, questions []mapping.Question) ([]bool, error) {
	return slices.Repeat([]bool{true}, len(questions)), nil
}

// mapped maps with rules that are believed: that they are proved is tested where they are.
func mapped(t *testing.T, file *source.File, rules []*rule.Rule, target mapping.Target) *mapping.Result {
	t.Helper()
	r, err := mapping.Map(t.Context(), file, mapping.Options{Rules: rules, Given: target.Given, Steps: target.Steps, Cuts: target.Cuts, Rounds: mapping.DefaultRounds,
		Nodes: 20_000, Model: mapping.Calls(), Extract: mapping.ExtractDAG, Certify: believed})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stopped != mapping.Saturated {
		t.Errorf("stopped by %s", r.Stopped)
	}
	return r
}

// The published patterns have as many matches in the networks as in the public texts.
func TestPublished(t *testing.T) {
	for _, row := range rows(t, "networks.txt") {
		p, err := glenside.Parse(network(t, row[0], false))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(mapping.Published(p)[row[1]]); got != row[2] {
			t.Errorf("%s on %s: %s matches, wanted %s", row[0], row[1], got, row[2])
		}
	}
}

// Matches are those of the text: equal calls count each, what a definition stands for once, and what the result does not reach
// not at all.
func TestPublishedText(t *testing.T) {
	const inputs = "(input x (shape 2 4))\n(input w (shape 2 4))\n(input b (shape 2))\n"
	const dense = "(relay-operator-call relay-dense x w)"
	for _, c := range []struct {
		text         string
		flexasr, vta int
	}{
		{"(relay-operator-call relay-add " + dense + " " + dense + ")", 0, 2},
		{"(define d " + dense + ")(relay-operator-call relay-add d d)", 0, 1},
		{"(define d " + dense + ")(define e " + dense + ")(relay-operator-call relay-add d e)", 0, 2},
		{"(define d " + dense + ")(define e d)(relay-operator-call relay-bias-add e b -1)", 1, 2},
		{"(relay-operator-call relay-bias-add " + dense + " b 1)", 1, 2},
		{"(relay-operator-call relay-bias-add " + dense + " b 0)", 0, 2},
		{"(define d " + dense + ")(relay-operator-call relay-add (relay-operator-call relay-bias-add d b 1) (relay-operator-call relay-bias-add d b 1))", 2, 3},
		{"(define d " + dense + ")(relay-operator-call relay-relu x)", 0, 0},
	} {
		p, err := glenside.Parse(source.NewFile("p.sexp", inputs+c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := mapping.Published(p); got["flexasr"] != c.flexasr || got["vta"] != c.vta {
			t.Errorf("%s has %v", c.text, got)
		}
	}
}

// Networks are mapped with as many calls as are published, in all modes.
func TestNetworks(t *testing.T) {
	for _, row := range rows(t, "networks.txt") {
		for i, mode := range []string{"fit", "pad", "ideal"} {
			t.Run(strings.Join(row[:2], "-")+"-"+mode, func(t *testing.T) {
				if row[0] != "resnet-20" && row[0] != "resmlp-12" {
					tier.Sweep(t)
				}
				t.Parallel()
				r := mapped(t, network(t, row[0], false), shipped(t, row[1], mode), mapping.Target{})
				if got := fmt.Sprint(r.After.Calls[row[1]]); got != row[3+i] {
					t.Errorf("%s calls, wanted %s", got, row[3+i])
				}
				if needed := r.Before.Work - r.After.Work; mode == "fit" && r.After.Done != needed {
					t.Errorf("%d multiply-adds in calls, of %d", r.After.Done, needed)
				}
			})
		}
	}
}

// Networks with batch norms expanded are mapped with fewer operators left to the host than publications have, and as many calls.
func TestLogs(t *testing.T) {
	calls := map[string]string{}
	for _, row := range rows(t, "networks.txt") {
		calls[row[0]+" "+row[1]] = row[5]
	}
	for _, row := range rows(t, "logs.txt") {
		for i, target := range []string{"flexasr", "hlscnn", "vta"} {
			if row[1+i] == "-" {
				continue
			}
			t.Run(row[0]+"-"+target, func(t *testing.T) {
				if row[0] != "resnet-20" && row[0] != "resmlp-12" {
					tier.Sweep(t)
				}
				t.Parallel()
				r := mapped(t, network(t, row[0], true), shipped(t, target, "ideal"), mapping.Target{})
				if got := fmt.Sprint(r.After.Calls[target]); got != calls[row[0]+" "+target] {
					t.Errorf("%s calls, wanted %s", got, calls[row[0]+" "+target])
				}
				if most, _ := strconv.Atoi(row[1+i]); r.After.Host >= most {
					t.Errorf("%d operators are left to the host, of %d; published are %d", r.After.Host, r.Before.Host, most)
				}
				t.Logf("%d operators of the host, %d before, %s published", r.After.Host, r.Before.Host, row[1+i])
			})
		}
	}
}

// Whole networks are cut into blocks of an array, by a search that does not grow with them, and no result has what rules go through.
func TestArrays(t *testing.T) {
	for name, calls := range map[string]int{"resnet-20": 1054, "resmlp-12": 1736, "efficientnet-b0": 16_225, "lstm-35": 17_920,
		"transformer-6": 89_088, "resnet-50": 91_584} {
		t.Run(name, func(t *testing.T) {
			if calls > 20_000 {
				tier.Sweep(t)
			}
			t.Parallel()
			target, err := mapping.ParseTarget("systolic=16x16")
			if err != nil {
				t.Fatal(err)
			}
			r := mapped(t, network(t, name, false), shipped(t, "systolic", "fit"), target)
			if got := r.After.Calls["systolic"]; got != calls || r.Nodes > 10_000 {
				t.Errorf("%d calls, wanted %d, and %d nodes", got, calls, r.Nodes)
			}
			if strings.Contains(r.Mapped, "systolic-array-with-blocking") {
				t.Error("the array with blocking is none of the target's")
			}
		})
	}
}

// An LSTM that is unrolled is one call, with a step of which no result has anything, and fewer operators beside it than publications have;
// with the gates of one timestep exchanged it is not.
func TestLSTM(t *testing.T) {
	target, err := mapping.ParseTarget("flexasr-lstm")
	if err != nil {
		t.Fatal(err)
	}
	onto := func(file *source.File) *mapping.Result {
		families, err := mapping.Families(file)
		if err != nil {
			t.Fatal(err)
		}
		more, err := rule.Parse(families)
		if err != nil {
			t.Fatal(err)
		}
		r := mapped(t, file, append(shipped(t, "flexasr-lstm", "fit"), more...), target)
		if strings.Contains(r.Mapped, "flex-lstm-cells") {
			t.Error("the result has cells")
		}
		return r
	}
	const published = 12
	for _, name := range []string{"lstm-2", "lstm-35"} {
		file := network(t, name, false)
		if r := onto(file); r.After.Calls["flexasr-lstm"] != 1 || r.After.Host >= published {
			t.Errorf("%s: %d calls, and %d operators on the host", name, r.After.Calls["flexasr-lstm"], r.After.Host)
		}
		text := strings.Split(file.Text, "\n")
		var gates []int // lines of gates i and f of timesteps
		for i, line := range text {
			if strings.Contains(line, "relay-sigmoid") && (strings.HasSuffix(line, " 0)))") || strings.HasSuffix(line, " 1)))")) {
				gates = append(gates, i)
			}
		}
		for _, i := range gates[len(gates)-2:] {
			text[i] = strings.NewReplacer(" 0)))", " 1)))", " 1)))", " 0)))").Replace(text[i])
		}
		r := onto(source.NewFile(name, strings.Join(text, "\n")))
		if r.After.Host < published {
			t.Errorf("%s with the gates of its last timestep exchanged: %d operators on the host", name, r.After.Host)
		}
	}
}
