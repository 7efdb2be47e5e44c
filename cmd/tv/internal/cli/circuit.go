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
	"tv/equiv/bits/repair"
	"tv/internal/casefile"
	"tv/internal/source"
	proof "tv/proofs/bits"
	"tv/semantics/bits"
	"tv/semantics/bits/languages"
	"tv/semantics/bits/word"
)

// circuitFlags are flags that questions about circuits have besides those about what to report; all others are about tensors.
var circuitFlags = []string{"latency", "timeout", "jobs", "counterexample", "explain", "expect", "certificate", "format", "output", "quiet", "verbose", "color",
	"no-timing", "lang", "baseline", "report", "arch", "top", "clock", "models", "shard"}

// circuitArgs tells whether the arguments are circuits, all of them or none.
func circuitArgs(args []string, lang string) (bool, error) {
	other := "" // the first that is none
	count := func(others bool) (n int) {
		other = ""
		for i, name := range args {
			if circuitLang(name, langOf(lang, i, i == len(args)-1), others) != nil {
				n++
			} else if other == "" {
				other = name
			}
		}
		return n
	}
	n := count(false)
	if n > 0 {
		n = count(true)
	}
	switch {
	case n == 0:
		return false, nil
	case n < len(args):
		return false, usageError("circuits are compared with circuits (.bv, .v, .sv, .json, .mlir with an hw.module, .futil, .ir), and %s is none; --lang says what a "+
			"text is", other)
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
			wrong = usageError("--%s is not for specifications over bit-vectors and netlists", f.Name)
		}
	})
	if wrong != nil {
		return nil, wrong
	}
	if cmd.Flags().Changed("latency") && flags.latency < 0 {
		return nil, usageError("--latency takes a number of cycles from 0 on, not %d", flags.latency)
	}
	opts, err := flags.options(a.reader())
	if err != nil {
		return nil, err
	}
	names := slices.Clone(args) // each once
	slices.Sort(names)
	names = slices.Compact(names)
	langs := make([]*languages.Language, len(names))
	for i, name := range args {
		langs[slices.Index(names, name)] = circuitLang(name, langOf(flags.lang.value, i, i == len(args)-1), true)
	}
	texts, err := a.readCircuits(names, langs, flags.circuit)
	if err != nil {
		return nil, err
	}
	text := func(i int) *circuitText { return texts[slices.Index(names, args[i])] }
	var list []*question
	for i := range len(args) - 1 {
		q := &question{before: args[i], after: args[i+1], want: equiv.Proved,
			replay: []string{"tv", "check"}}
		if flags.latency >= 0 {
			q.replay = append(q.replay, fmt.Sprintf("--latency=%d", flags.latency))
		}
		for _, f := range []struct{ name, value string }{{"arch", flags.circuit.Arch}, {"top", flags.circuit.Top}, {"clock", flags.circuit.Clock}, {"models", flags.circuit.Models}} {
			if f.value != "" {
				q.replay = append(q.replay, "--"+f.name+"="+f.value)
			}
		}
		q.replay = append(q.replay, args[i:i+2]...)
		if len(args) > 2 {
			q.step, q.name = i+1, fmt.Sprintf("step %d of %d", i+1, len(args)-1)
		}
		before, after := text(i), text(i+1)
		latency := flags.latency
		if latency < 0 {
			latency = before.program.Latency()
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
	before, after  *circuitText
	latency        int
	counterexample *circuits.Counterexample
	repair         *repair.Repair // of what is refuted; nil: none is known
	certificate    []byte         // of what is proved; nil: there is none
	warnings       []*source.Error
}

// askCircuit decides a question. What refutes has been run by the reference evaluator.
func askCircuit(ctx context.Context, before, after *circuitText, latency int, timeout time.Duration) (*circuitAnswer, error) {
	start := time.Now()
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	b := word.NewBuilder()
	q := circuits.Question{Before: before.program.Design(b), After: after.program.Design(b), Latency: latency}
	found, err := circuits.Check(ctx, q, circuits.Options{})
	out := &circuitAnswer{before: before, after: after, latency: latency, counterexample: found.Counterexample, warnings: found.Warnings}
	if err != nil {
		return out, err
	}
	r := &out.result
	verdicts := map[circuits.Verdict]equiv.Verdict{circuits.Proved: equiv.Proved, circuits.Refuted: equiv.Refuted, circuits.Unknown: equiv.Unknown}
	r.Verdict, r.Reason, r.Detail, r.Engine = verdicts[found.Verdict], found.Reason, found.Detail, found.Engine
	r.Arith, r.Equal, r.Trusts = equiv.Exact, equiv.Bits, found.Trusts
	r.Domain = circuitDomain(found.Assume, latency, found.Engine == circuits.Induction || found.Machine)
	for _, name := range found.Legal {
		r.Domain = append(r.Domain, name+" legal in every cycle")
	}
	switch {
	case r.Verdict == equiv.Proved:
		for _, c := range []*circuitText{before, after} {
			if arch := c.program.Options().Arch; arch != "" && !slices.Contains(r.Trusts, cellsOf(arch)) {
				r.Trusts = append(r.Trusts, cellsOf(arch))
			}
		}
		if out.certificate = found.Certificate(q, before.text(), after.text()); out.certificate == nil {
			r.Trusts = append(r.Trusts, "the reading of both texts, and the comparison of their words (no certificate)")
			if found.Early > 0 {
				r.Trusts = append(r.Trusts, startsAs)
			}
			break
		}
		claims, err := proof.Check(out.certificate)
		if err == nil && (len(claims) != 1 || !out.states(claims[0])) {
			err = errors.New("it is of another question")
		}
		if unread := out.unread(err); unread != "" {
			r.Trusts, out.certificate = append(r.Trusts, unread), nil
			break
		}
		if err != nil { // two readings of the same texts: one of them is wrong
			r.Verdict, r.Reason, r.Detail, out.certificate = equiv.Unknown, "certificate", "refused: "+err.Error(), nil
		}
		r.Certificate = out.certificate
	case r.Verdict == equiv.Refuted:
		r.Reason = "values"
		c := out.counterexample
		run := runCircuit(before, after, latency, c.Cycle, inputsOf(c), chooses(c.Open), chooses(c.Chosen))
		if run.untried && run.assumed {
			r.Verdict, r.Reason = equiv.Unknown, "incomplete"
			r.Detail = fmt.Sprintf("a run of %s that differs, and %s leaves more open than can be tried", after.file.Name, before.file.Name)
			out.counterexample = nil
			break
		}
		if !run.differ || !run.assumed {
			return out, errors.New("a difference that the reference evaluator does not find")
		}
		if net := languages.Cells(after.program); net != nil {
			out.repair = repair.Search(ctx, q, net, out.counterexample)
		}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.Reason, r.Detail = "timeout", ""
	}
	r.SHA256 = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "bits %d %v %v\n%s\x00%s", latency, before.options(), after.options(), before.file.Text, after.file.Text)))
	r.Stats.Nodes = b.Len()
	r.Elapsed = time.Since(start)
	return out, nil
}

// unread says of which text the checker refuses not what is claimed of it, but to read it: then a proof has no certificate. The checker
// reads all netlists and specifications over bit-vectors: of these a refusal is one.
func (c *circuitAnswer) unread(refused error) string {
	if refused == nil {
		return ""
	}
	for _, t := range []*circuitText{c.before, c.after} {
		if languages.Certain(t.program) {
			continue
		}
		d := t.program.Design(word.NewBuilder())
		same := circuits.Result{Verdict: circuits.Proved, Engine: circuits.Simulation}
		_, err := proof.Check(same.Certificate(circuits.Question{Before: d, After: d}, t.text(), t.text()))
		if err != nil && err.Error() == refused.Error() {
			return fmt.Sprintf("the reading of %s, which the checker does not read: %s; and the comparison of words (no certificate)", t.file.Name, err)
		}
	}
	return ""
}

// startsAs is trusted where cycles were decided from initial values.
const startsAs = "registers start as the text says"

// states tells whether a claim is the answer to the question that was asked.
func (c *circuitAnswer) states(claim *proof.Claim) bool {
	same := func(t proof.Text, c *circuitText) bool {
		o := c.text()
		return t.Language == o.Language && t.Data == o.Data && t.Top == o.Top
	}
	return same(claim.Before, c.before) && same(claim.After, c.after) && claim.Latency == c.latency
}

func inputsOf(c *circuits.Counterexample) map[string][]*big.Int {
	in := map[string][]*big.Int{}
	for _, s := range c.Inputs {
		in[s.Name] = s.Values
	}
	return in
}

// chooses gives what a text leaves open the values of a counterexample.
func chooses(list []circuits.Opened) bits.Choose {
	return func(name string, _, cycle int) *big.Int {
		for _, o := range list {
			if o.Name == name && o.Cycle == cycle {
				return o.Value
			}
		}
		return nil
	}
}

// A circuitRun is what the reference evaluator computes.
type circuitRun struct {
	text    string
	differ  bool
	untried bool // outputs differ, and not all that before leaves open could be tried
	assumed bool // the assumptions hold in all cycles
}

// What before leaves open has so many values that are tried; of those that differ in what is settled without them few.
const (
	mostChoices = 1 << 16
	fewChoices  = 1 << 8
)

// settledDifferences are the outputs of which a text has, at a cycle, other values than those that are given, whatever it leaves open.
func settledDifferences(c *circuitText, cycle int, inputs map[string][]*big.Int, given map[string]*big.Int) (names []string) {
	if cycle < 0 {
		return nil
	}
	d := c.program.Design(word.NewBuilder())
	values, known := circuits.Settled(d, cycle, inputs)
	for _, o := range d.Outputs {
		if k := known[o.Name]; k != nil && given[o.Name] != nil {
			if differ := new(big.Int).Xor(values[o.Name], given[o.Name]); differ.And(differ, k).Sign() != 0 {
				names = append(names, o.Name)
			}
		}
	}
	return names
}

// runCircuit runs both texts on inputs by cycles, and compares what after has at cycle with what before says of latency cycles ago. open
// has what after leaves open. What before leaves open is as chosen has it; with all other values outputs differ too, at that cycle or before: all
// are tried, or, where these are too many, some, and what differs at that cycle depends on none of them.
func runCircuit(before, after *circuitText, latency, cycle int, inputs map[string][]*big.Int, open, chosen bits.Choose) circuitRun {
	at := func(c *circuitText, cycle int) map[string]*big.Int {
		in := map[string]*big.Int{}
		ports, _ := c.program.Ports()
		for _, p := range ports {
			if values := inputs[p.Name]; cycle < len(values) {
				in[p.Name] = values[cycle]
			}
		}
		return in
	}
	var got []map[string]*big.Int
	right := after.program.Machine(open)
	for c := range cycle + 1 {
		out, _ := right.Step(at(after, c))
		got = append(got, out)
	}
	late := after.program.Latency()
	_, outputs := before.program.Ports()
	run := func(choose bits.Choose) (differ []bits.Port, want map[string]*big.Int, first int, assumed bool) {
		left := before.program.Machine(choose)
		first, assumed = -1, true
		for c := range cycle + 1 {
			out, holds := left.Step(at(before, c))
			assumed = assumed && holds
			t := c + latency
			if t > cycle || t < late {
				continue
			}
			differ, want = nil, out
			for _, o := range outputs {
				if v := got[t-late][o.Name]; v == nil || v.Cmp(out[o.Name]) != 0 {
					differ = append(differ, o)
				}
			}
			if len(differ) > 0 && first < 0 {
				first = t
			}
		}
		return differ, want, first, assumed
	}
	differ, want, _, assumed := run(chosen)
	var text strings.Builder
	for _, o := range differ {
		fmt.Fprintf(&text, "%s at cycle %d: %s before, %s after\n", o.Name, cycle, ci.Hex(want[o.Name], o.Width), ci.Hex(got[cycle-late][o.Name], o.Width))
	}
	found := false // a choice under which outputs are equal
	tried := func(choose bits.Choose) bool {
		_, _, first, _ := run(choose)
		found = first < 0
		return !found
	}
	all := bits.AllChoices(fewChoices, tried)
	if !all && !found {
		if settled := settledDifferences(before, cycle-latency, inputs, got[cycle-late]); len(settled) > 0 {
			all = bits.SomeChoices(fewChoices, func(choose bits.Choose) bool {
				differ, _, _, _ := run(choose)
				for _, name := range settled {
					if !slices.ContainsFunc(differ, func(p bits.Port) bool { return p.Name == name }) {
						return false
					}
				}
				return true
			})
		} else {
			all = bits.AllChoices(mostChoices, tried)
		}
	}
	return circuitRun{text.String(), len(differ) > 0 && all, len(differ) > 0 && !all && !found, assumed}
}

// circuitModels is the section that has a vendor's models.
const circuitModels = "models.v"

// circuitFile is the section of a counterexample that has the inputs.
const circuitFile = "circuit.json"

// A circuitCase is that section.
type circuitCase struct {
	Version string              `json:"version"`
	Latency int                 `json:"latency"`
	Cycle   int                 `json:"cycle"`
	Inputs  map[string][]string `json:"inputs"` // by cycle, from 0
	// What the texts leave open: of after as it is in the run, of before one choice of those that all differ.
	Open   []circuitOpened `json:"open,omitempty"`
	Chosen []circuitOpened `json:"chosen,omitempty"`
	// Of netlists, where it matters: architecture, module and clock.
	Before circuitOptions `json:"before,omitzero"`
	After  circuitOptions `json:"after,omitzero"`
}

// A circuitOpened is a value of what a text leaves open: of a register at cycle -1, of a place at the others.
type circuitOpened struct {
	Name  string `json:"name"`
	Cycle int    `json:"cycle"`
	Value string `json:"value"`
}

func openedFile(list []circuits.Opened) (out []circuitOpened) {
	for _, o := range list {
		out = append(out, circuitOpened{o.Name, o.Cycle, "0x" + o.Value.Text(16)})
	}
	return out
}

// openedOf reads what openedFile wrote.
func openedOf(list []circuitOpened) (out []circuits.Opened, ok bool) {
	for _, o := range list {
		v, ok := new(big.Int).SetString(o.Value, 0)
		if !ok || v.Sign() < 0 {
			return nil, false
		}
		out = append(out, circuits.Opened{Name: o.Name, Cycle: o.Cycle, Value: v})
	}
	return out, true
}

const circuitVersion = "tv.circuit/v1"

// file is the counterexample as tv replay reads it.
func (c *circuitAnswer) file(name string) ([]byte, error) {
	out := circuitCase{Version: circuitVersion, Latency: c.latency, Cycle: c.counterexample.Cycle, Inputs: map[string][]string{},
		Before: c.before.options(), After: c.after.options()}
	out.Open, out.Chosen = openedFile(c.counterexample.Open), openedFile(c.counterexample.Chosen)
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
	sections := []txtar.File{{Name: "before" + c.before.lang.Extensions[0], Data: []byte(c.before.file.Text)},
		{Name: "after" + c.after.lang.Extensions[0], Data: []byte(c.after.file.Text)}}
	if m := c.after.models; m != nil {
		sections = append(sections, txtar.File{Name: circuitModels, Data: []byte(m.Text)})
	}
	return txtar.Format(&txtar.Archive{
		Comment: fmt.Appendf(nil, "A counterexample, found by tv %s %s\nto see it: %s\n", version(), runtime.Version(), shellQuote("tv", "replay", name)),
		Files:   append(sections, txtar.File{Name: circuitFile, Data: data.Bytes()}),
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
	var c circuitCase
	if err := json.Unmarshal([]byte(sections[circuitFile].Text), &c); err != nil || c.Version != circuitVersion {
		return bad("%s is no object with version %q", circuitFile, circuitVersion)
	}
	if c.Latency < 0 || c.Cycle < c.Latency || c.Cycle > 1<<16 {
		return bad("cycle %d at latency %d", c.Cycle, c.Latency)
	}
	var texts [2]*circuitText
	for i, role := range []string{"before", "after"} {
		text, err := circuitSection(sections, role)
		if err != nil {
			return err
		}
		if text == nil {
			return bad("there is no section -- %s.bv --, nor one of another language of circuits", role)
		}
		o := []circuitOptions{c.Before, c.After}[i]
		if o.models = sections[circuitModels]; o.Models != "" && o.models == nil {
			return bad("there is no section -- %s --", circuitModels)
		}
		if err := text.elaborate(o); err != nil {
			return err
		}
		texts[i] = text
	}
	before, after := texts[0], texts[1]
	ports, _ := before.program.Ports()
	inputs := map[string][]*big.Int{}
	if len(c.Inputs) != len(ports) {
		return bad("%d inputs have values, and before has %d", len(c.Inputs), len(ports))
	}
	for _, p := range ports {
		if n := len(c.Inputs[p.Name]); n != c.Cycle+1 {
			return bad("%s has %d values, and there are %d cycles", p.Name, n, c.Cycle+1)
		}
		for cycle, text := range c.Inputs[p.Name] {
			v, ok := new(big.Int).SetString(text, 0)
			if !ok || v.Sign() < 0 || v.BitLen() > p.Width {
				return bad("%s at cycle %d is no word of %d bits: %q", p.Name, cycle, p.Width, text)
			}
			inputs[p.Name] = append(inputs[p.Name], v)
		}
	}
	open, ok := openedOf(c.Open)
	chosen, also := openedOf(c.Chosen)
	if !ok || !also {
		return bad("a value of what is left open is no number")
	}
	run := runCircuit(before, after, c.Latency, c.Cycle, inputs, chooses(open), chooses(chosen))
	switch {
	case !run.assumed:
		return bad("the inputs do not satisfy what before assumes")
	case !run.differ:
		return a.output("", []byte("no difference\n"))
	}
	a.exit = exitRefuted
	return a.output("", []byte(run.text))
}
