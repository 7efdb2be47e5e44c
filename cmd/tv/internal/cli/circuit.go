package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"

	"tv/ci"
	"tv/equiv"
	circuits "tv/equiv/bits"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/source"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/eval"
	"tv/semantics/bits/bv/lower"
	"tv/semantics/bits/word"
)

// langSpec is the kind of specifications over bit-vectors, and their extension.
const langSpec = "bv"

// circuitFlags are flags that questions about circuits have besides those about what to report; all others are about tensors.
var circuitFlags = []string{"latency", "timeout", "jobs", "counterexample", "explain", "expect", "format", "output", "quiet", "verbose", "color",
	"no-timing", "lang", "baseline"}

// circuitArgs tells whether the arguments are circuits, all of them or none.
func circuitArgs(args []string, lang string) (bool, error) {
	n := 0
	for i, name := range args {
		if l := langOf(lang, i, i == len(args)-1); l == langSpec || l == "" && extensionOf(name) == "."+langSpec {
			n++
		}
	}
	switch {
	case n == 0:
		return false, nil
	case n < len(args):
		return false, usageError("a specification over bit-vectors (.bv) is compared with another one")
	case len(args) == 1:
		return false, usageError("check wants two programs, BEFORE and AFTER; there is only %s", args[0])
	}
	return true, nil
}

// circuitQuestions returns one question a step.
func (a *app) circuitQuestions(cmd *cobra.Command, flags *checkFlags, args []string) ([]*question, error) {
	var wrong error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if wrong == nil && !slices.Contains(circuitFlags, f.Name) {
			wrong = usageError("--%s is not for specifications over bit-vectors", f.Name)
		}
	})
	if wrong != nil {
		return nil, wrong
	}
	opts, err := flags.options(a.reader())
	if err != nil {
		return nil, err
	}
	specs := make([]*bv.Spec, len(args))
	var errs source.Errors
	for i, name := range args {
		if j := slices.Index(args, name); j < i && specs[j] != nil {
			specs[i] = specs[j]
			continue
		}
		f, err := files.Read(name, a.stdin)
		if err == nil {
			specs[i], err = bv.Parse(f)
		}
		if slices.Index(args, name) == i { // what is wrong with a file is said once
			errs = append(errs, source.AsErrors(err)...)
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	var list []*question
	for i := range len(args) - 1 {
		q := &question{before: args[i], after: args[i+1], want: equiv.Proved,
			replay: []string{"tv", "check"}}
		if flags.latency >= 0 {
			q.replay = append(q.replay, fmt.Sprintf("--latency=%d", flags.latency))
		}
		q.replay = append(q.replay, args[i:i+2]...)
		if len(args) > 2 {
			q.step, q.name = i+1, fmt.Sprintf("step %d of %d", i+1, len(args)-1)
		}
		before, after := specs[i], specs[i+1]
		latency := flags.latency
		if latency < 0 {
			latency = before.Latency
		}
		q.circuit = func(ctx context.Context) (*circuitAnswer, error) {
			return askCircuit(ctx, before, after, latency, opts.Timeout)
		}
		list = append(list, q)
	}
	return list, nil
}

// A circuitAnswer is what is known of a pair of circuits.
type circuitAnswer struct {
	result         equiv.Result
	before, after  *bv.Spec
	latency        int
	counterexample *circuits.Counterexample
	warnings       []*source.Error
}

// askCircuit decides a question. What refutes has been run by the reference evaluator.
func askCircuit(ctx context.Context, before, after *bv.Spec, latency int, timeout time.Duration) (*circuitAnswer, error) {
	start := time.Now()
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	b := word.NewBuilder()
	q := circuits.Question{Before: lower.Design(before, b), After: lower.Design(after, b), Latency: latency}
	found, err := circuits.Check(ctx, q, circuits.Options{})
	out := &circuitAnswer{before: before, after: after, latency: latency, counterexample: found.Counterexample, warnings: found.Warnings}
	if err != nil {
		return out, err
	}
	r := &out.result
	verdicts := map[circuits.Verdict]equiv.Verdict{circuits.Proved: equiv.Proved, circuits.Refuted: equiv.Refuted, circuits.Unknown: equiv.Unknown}
	r.Verdict, r.Reason, r.Detail, r.Engine = verdicts[found.Verdict], found.Reason, found.Detail, found.Engine
	r.Arith, r.Equal, r.Trusts = equiv.Exact, equiv.Bits, found.Trusts
	if r.Domain = found.Assume; len(r.Domain) == 0 {
		r.Domain = []string{"all inputs"}
	}
	if latency > 0 {
		r.Domain = append(slices.Clone(found.Assume), fmt.Sprintf("every cycle from %d", latency))
	}
	switch {
	case r.Verdict == equiv.Proved:
		r.Trusts = append(r.Trusts, "the reading of both texts, their gates and the comparison of these (no certificate)")
	case r.Verdict == equiv.Refuted:
		r.Reason = "values"
		if run := runCircuit(before, after, latency, out.counterexample.Cycle, inputsOf(out.counterexample)); !run.differ || !run.assumed {
			return out, errors.New("a difference that the reference evaluator does not find")
		}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.Reason, r.Detail = "timeout", ""
	}
	r.SHA256 = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "bits %d\n%s\x00%s", latency, before.File.Text, after.File.Text)))
	r.Stats.Nodes = b.Len()
	r.Elapsed = time.Since(start)
	return out, nil
}

func inputsOf(c *circuits.Counterexample) map[string][]*big.Int {
	in := map[string][]*big.Int{}
	for _, s := range c.Inputs {
		in[s.Name] = s.Values
	}
	return in
}

// A circuitRun is what the reference evaluator computes.
type circuitRun struct {
	text    string
	differ  bool
	assumed bool // the assumptions hold in all cycles
}

// runCircuit runs both texts on inputs by cycles, and compares what after has at cycle with what before says of latency cycles ago.
func runCircuit(before, after *bv.Spec, latency, cycle int, inputs map[string][]*big.Int) circuitRun {
	at := func(s *bv.Spec, c int) map[string]*big.Int {
		in := map[string]*big.Int{}
		for _, p := range s.Inputs {
			if values := inputs[p.Name]; c < len(values) {
				in[p.Name] = values[c]
			}
		}
		return in
	}
	run := circuitRun{assumed: true}
	var want, got map[string]*big.Int
	left, right := eval.New(before, nil), eval.New(after, nil)
	for c := range cycle + 1 {
		out, assumed := left.Step(at(before, c))
		run.assumed = run.assumed && assumed
		if c == cycle-latency {
			want = out
		}
		if out, _ := right.Step(at(after, c)); c == cycle-after.Latency {
			got = out
		}
	}
	var text strings.Builder
	for _, o := range before.Outputs {
		if want == nil || got[o.Name] == nil || want[o.Name].Cmp(got[o.Name]) == 0 {
			continue
		}
		run.differ = true
		fmt.Fprintf(&text, "%s at cycle %d: %s before, %s after\n", o.Name, cycle, ci.Hex(want[o.Name], o.Width), ci.Hex(got[o.Name], o.Width))
	}
	run.text = text.String()
	return run
}

// circuitFile is the section of a counterexample that has the inputs.
const circuitFile = "circuit.json"

// A circuitCase is that section.
type circuitCase struct {
	Version string              `json:"version"`
	Latency int                 `json:"latency"`
	Cycle   int                 `json:"cycle"`
	Inputs  map[string][]string `json:"inputs"` // by cycle, from 0
}

const circuitVersion = "tv.circuit/v1"

// file is the counterexample as tv replay reads it.
func (c *circuitAnswer) file(name string) ([]byte, error) {
	out := circuitCase{Version: circuitVersion, Latency: c.latency, Cycle: c.counterexample.Cycle, Inputs: map[string][]string{}}
	for _, s := range c.counterexample.Inputs {
		for _, v := range s.Values {
			out.Inputs[s.Name] = append(out.Inputs[s.Name], ci.Hex(v, s.Width))
		}
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return nil, err
	}
	return txtar.Format(&txtar.Archive{
		Comment: fmt.Appendf(nil, "A counterexample, found by tv %s %s\nto see it: %s\n", version(), runtime.Version(), shellQuote("tv", "replay", name)),
		Files: []txtar.File{{Name: "before.bv", Data: []byte(c.before.File.Text)}, {Name: "after.bv", Data: []byte(c.after.File.Text)},
			{Name: circuitFile, Data: data.Bytes()}},
	}), nil
}

// circuitWritten tells whether a file is a counterexample about circuits.
func circuitWritten(f *source.File) bool {
	return slices.ContainsFunc(txtar.Parse([]byte(f.Text)).Files, func(s txtar.File) bool { return s.Name == circuitFile })
}

// replayCircuit runs a counterexample about circuits again.
func (a *app) replayCircuit(f *source.File) error {
	bad := func(format string, args ...any) error {
		return source.Errorf(source.Span{File: f}, casefile.CodeCounterexample, format, args...)
	}
	sections := map[string]*source.File{}
	for _, s := range txtar.Parse([]byte(f.Text)).Files {
		sections[s.Name] = source.NewFile(f.Name+"/"+s.Name, string(s.Data))
	}
	for _, name := range []string{"before.bv", "after.bv"} {
		if sections[name] == nil {
			return bad("there is no section -- %s --", name)
		}
	}
	var c circuitCase
	if err := json.Unmarshal([]byte(sections[circuitFile].Text), &c); err != nil || c.Version != circuitVersion {
		return bad("%s is no object with version %q", circuitFile, circuitVersion)
	}
	if c.Latency < 0 || c.Cycle < c.Latency || c.Cycle > 1<<16 {
		return bad("cycle %d at latency %d", c.Cycle, c.Latency)
	}
	before, err := bv.Parse(sections["before.bv"])
	if err != nil {
		return err
	}
	after, err := bv.Parse(sections["after.bv"])
	if err != nil {
		return err
	}
	inputs := map[string][]*big.Int{}
	for _, p := range before.Inputs {
		for cycle, text := range c.Inputs[p.Name] {
			v, ok := new(big.Int).SetString(text, 0)
			if !ok || v.Sign() < 0 || v.BitLen() > p.Width {
				return bad("%s at cycle %d is no word of %d bits: %q", p.Name, cycle, p.Width, text)
			}
			inputs[p.Name] = append(inputs[p.Name], v)
		}
	}
	run := runCircuit(before, after, c.Latency, c.Cycle, inputs)
	switch {
	case !run.assumed:
		return bad("the inputs do not satisfy what before assumes")
	case !run.differ:
		return a.output("", []byte("no difference\n"))
	}
	a.exit = exitRefuted
	return a.output("", []byte(run.text))
}
