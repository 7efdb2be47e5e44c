package fuzz

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	equivbits "tv/equiv/bits"
	"tv/equiv/fault"
	"tv/fuzz/circuits"
	"tv/fuzz/passes"
	"tv/internal/source"
	"tv/semantics/bits/netlist"
	"tv/semantics/bits/verilog"
	words "tv/semantics/bits/word"
)

// Tools hunts for designs that a synthesis tool translates wrongly. A case is a random module in Verilog; the command writes a netlist of it,
// which is compared with it for all inputs. What differs is shrunk, and simulated by Icarus Verilog: only what that
// shows is a miscompile.
type Tools struct {
	Command []string
	Limit   time.Duration // of a run of the command; 0: toolLimit

	judged, open, refused, simulated atomic.Int64 // designs: decided, unknown, not read; of those decided, simulated
}

const toolLimit = 60 * time.Second

// Name returns "tools".
func (t *Tools) Name() string { return "tools" }

// ID is a digest of the command.
func (t *Tools) ID() string {
	sum := sha256.Sum256([]byte(strings.Join(t.Command, "\x00")))
	return fmt.Sprintf("%x", sum[:16])
}

// Remark says how many designs nobody knows anything of.
func (t *Tools) Remark() (text string, nothing bool) {
	judged, open, refused := t.judged.Load(), t.open.Load(), t.refused.Load()
	text = fmt.Sprintf("%d designs are decided, %d of them simulated too", judged, t.simulated.Load())
	if open+refused > 0 {
		text += fmt.Sprintf("; %d are unknown, and %d have no question", open, refused)
	}
	return text, judged == 0
}

// Worker returns a runner of cases.
func (t *Tools) Worker() Worker { return t }

// A synthesis is a design and what the command made of it.
type synthesis struct {
	design  *circuits.Design // nil of what a file holds
	before  string
	after   string
	failure *passes.Failure
	known   string // of what a file holds: what the finding is known by
}

// A toolVerdict is what is wrong: nothing, where kind is "".
type toolVerdict struct {
	kind   string
	class  string // what it has in common with others
	detail string
	found  *equivbits.Counterexample
}

// Limits: conflicts of the solver for a design, vectors of a simulation, and of how many designs that are proved one is simulated.
const (
	toolConflicts = 20_000
	toolVectors   = 32
	toolSimulated = 8
	toolTries     = 250 // runs of the command to make a design smaller
)

// Case draws a design, runs the command on it, and compares.
func (t *Tools) Case(ctx context.Context, seed uint64, k int64) Outcome {
	s := t.synthesised(ctx, circuits.Draw(caseSeed(seed, k)))
	if ctx.Err() != nil {
		return Outcome{}
	}
	v := t.examine(ctx, s, k%toolSimulated == 0)
	o := Outcome{Covered: pairsOf(s.design.Features())}
	if v.kind == "" || ctx.Err() != nil {
		return o
	}
	o.Suspect = t.suspect(ctx, s, v)
	return o
}

func (t *Tools) synthesised(ctx context.Context, d *circuits.Design) *synthesis {
	s := &synthesis{design: d, before: d.Verilog()}
	limit := t.Limit
	if limit == 0 {
		limit = toolLimit
	}
	var err error
	s.after, err = circuits.Netlist(ctx, t.Command, s.before, limit)
	errors.As(err, &s.failure)
	return s
}

// A module is a text that was read.
type module struct {
	net *netlist.Netlist
	in  []circuits.Port
	out []circuits.Port
}

func readModule(name, text string) (*module, error) {
	v, err := verilog.Parse(source.NewFile(name, text))
	if err != nil {
		return nil, err
	}
	m := &module{}
	if m.net, err = netlist.Elaborate(v, netlist.Options{Top: "m"}); err != nil {
		return nil, err
	}
	for _, p := range m.net.Inputs {
		m.in = append(m.in, circuits.Port{Name: p.Name, Width: p.Width})
	}
	for _, p := range m.net.Outputs {
		m.out = append(m.out, circuits.Port{Name: p.Name, Width: p.Width})
	}
	return m, nil
}

// examine compares what a command made of a design with the design.
func (t *Tools) examine(ctx context.Context, s *synthesis, simulate bool) (v toolVerdict) {
	defer func() {
		if r := recover(); r != nil {
			v = toolVerdict{kind: kindFault, class: fault.Text(r), detail: fault.Text(r)}
		}
	}()
	if s.failure != nil {
		return toolVerdict{kind: s.failure.Kind, class: numbers.ReplaceAllString(s.failure.Detail, "0"), detail: s.failure.Detail}
	}
	before, err := readModule("before.v", s.before)
	if err != nil {
		t.refused.Add(1)
		return toolVerdict{}
	}
	after, err := readModule("after.v", s.after)
	if err != nil {
		e := source.AsErrors(err)[0]
		return toolVerdict{kind: kindUnread, class: e.Code + ": " + numbers.ReplaceAllString(e.Msg, "0"), detail: e.Error()}
	}
	b := words.NewBuilder()
	q := equivbits.Question{Before: before.net.Design(b), After: after.net.Design(b)}
	r, err := equivbits.Check(ctx, q, equivbits.Options{Conflicts: toolConflicts})
	switch {
	case err != nil:
		e := source.AsErrors(err)[0]
		return toolVerdict{kind: kindUnread, class: e.Code, detail: e.Error()}
	case r.Verdict == equivbits.Unknown:
		t.open.Add(1)
		return toolVerdict{}
	}
	t.judged.Add(1)
	if r.Verdict == equivbits.Refuted {
		return toolVerdict{kind: kindRefuted, class: "value", detail: toolDetail(r.Counterexample), found: r.Counterexample}
	}
	if simulate {
		return t.against(ctx, s, before, after)
	}
	return toolVerdict{}
}

func toolDetail(c *equivbits.Counterexample) string {
	var parts []string
	for _, in := range c.Inputs {
		parts = append(parts, fmt.Sprintf("%s = %d'h%x", in.Name, in.Width, in.Values[0]))
	}
	for _, o := range c.Outputs {
		parts = append(parts, fmt.Sprintf("%s: %x before, %x after", o.Name, o.Before, o.After))
	}
	return strings.Join(parts, ", ")
}

// against simulates a pair that is proved on inputs that are drawn from its text alone: the simulator has to show one value of both, and the
// evaluator the same. Where it shows an x, or does not read a text, nothing is said.
func (t *Tools) against(ctx context.Context, s *synthesis, before, after *module) toolVerdict {
	sum := sha256.Sum256([]byte(s.before))
	draw := rand.New(rand.NewPCG(uint64(sum[0])<<8|uint64(sum[1]), 1))
	var inputs []map[string]*big.Int
	for range toolVectors {
		values := map[string]*big.Int{}
		for _, p := range before.in {
			v := new(big.Int)
			for i := range p.Width {
				v.SetBit(v, i, uint(draw.IntN(2)))
			}
			values[p.Name] = v
		}
		inputs = append(inputs, values)
	}
	x, errX := circuits.Simulated(ctx, s.before, "", "", before.in, before.out, inputs)
	y, errY := circuits.Simulated(ctx, s.after, after.net.Arch, "", after.in, after.out, inputs)
	if errX != nil || errY != nil {
		return toolVerdict{}
	}
	t.simulated.Add(1)
	for i, values := range inputs {
		said, _ := before.net.NewMachine(nil).Step(values)
		for _, o := range before.out {
			mine := fmt.Sprintf("%0*b", o.Width, said[o.Name])
			switch {
			case strings.ContainsAny(x[i][o.Name]+y[i][o.Name], "xz"):
			case x[i][o.Name] != mine:
				return toolVerdict{kind: kindEvaluator, class: "before", detail: fmt.Sprintf("%s at %v: evaluator %s, simulator %s", o.Name, values, mine, x[i][o.Name])}
			case x[i][o.Name] != y[i][o.Name]:
				return toolVerdict{kind: kindWrongProof, class: "value", detail: fmt.Sprintf("%s at %v: %s before, %s after", o.Name, values, x[i][o.Name], y[i][o.Name])}
			}
		}
	}
	return toolVerdict{}
}

// suspect says what a design is known by for which something is wrong: what is left of it when it is small.
func (t *Tools) suspect(ctx context.Context, s *synthesis, v toolVerdict) *Suspect {
	key := v.kind + ": " + v.class
	switch {
	case s.known != "":
		key = s.known
	case v.kind == kindRefuted && s.design != nil:
		s, v = t.shrunk(ctx, s, v)
		key = strings.Join(append([]string{key}, s.design.Features()...), ", ")
	}
	return &Suspect{Key: key, Finding: func() Finding {
		ctx := ctx
		if errors.Is(ctx.Err(), context.DeadlineExceeded) { // what was found within the budget is worked out after it
			ctx = context.Background()
		}
		if v.kind != kindRefuted && v.kind != kindHang && s.design != nil {
			s, v = t.shrunk(ctx, s, v)
		}
		kind, detail := v.kind, v.detail
		if kind == kindRefuted {
			kind, detail = t.confirmed(ctx, s, v)
		}
		text := headline(t.Name(), kind) + note(detail) + note(knownBy+": "+key)
		if len(t.Command) > 0 {
			text += note(printedBy + ": " + commandLine(t.Command))
		}
		text += section("before.v", s.before)
		if s.failure == nil {
			text += section("after.v", s.after)
		}
		return Finding{Kind: kind, Detail: detail, Replay: []string{"tv", "replay"}, Text: text}
	}}
}

// shrunk makes a design smaller while what is wrong is of one kind and class. After a step it goes on where it was.
func (t *Tools) shrunk(ctx context.Context, s *synthesis, v toolVerdict) (*synthesis, toolVerdict) {
	for tries, at, since := 0, 0, 0; tries < toolTries; tries++ {
		list := s.design.Smaller()
		if since >= len(list) || ctx.Err() != nil {
			break
		}
		at %= len(list)
		c := t.synthesised(ctx, list[at])
		if w := t.examine(ctx, c, v.kind == kindWrongProof || v.kind == kindEvaluator); w.kind == v.kind && w.class == v.class {
			if s, v, since = c, w, 0; at < 2 {
				at = 0
			}
			continue
		}
		at, since = at+1, since+1
	}
	return s, v
}

// confirmed simulates both texts on the inputs that tell them apart.
func (t *Tools) confirmed(ctx context.Context, s *synthesis, v toolVerdict) (kind, detail string) {
	before, err := readModule("before.v", s.before)
	if err != nil {
		return kindUnconfirmed, err.Error()
	}
	after, err := readModule("after.v", s.after)
	if err != nil {
		return kindUnconfirmed, err.Error()
	}
	values := map[string]*big.Int{}
	for _, in := range v.found.Inputs {
		values[in.Name] = in.Values[0]
	}
	inputs := []map[string]*big.Int{values}
	x, err := circuits.Simulated(ctx, s.before, "", "", before.in, before.out, inputs)
	y, errY := circuits.Simulated(ctx, s.after, after.net.Arch, "", after.in, after.out, inputs)
	if err = cmp.Or(err, errY); err != nil {
		return kindUnconfirmed, "not simulated: " + err.Error()
	}
	for _, o := range v.found.Outputs {
		wanted, other := fmt.Sprintf("%0*b", o.Width, o.Before), fmt.Sprintf("%0*b", o.Width, o.After)
		switch a, b := x[0][o.Name], y[0][o.Name]; {
		case a != wanted:
			return kindEvaluator, fmt.Sprintf("BEFORE: %s is %s in the evaluator, %s in the simulator; %s", o.Name, wanted, a, v.detail)
		case b != other:
			return kindEvaluator, fmt.Sprintf("AFTER: %s is %s in the evaluator, %s in the simulator; %s", o.Name, other, b, v.detail)
		case a == b:
			return kindUnconfirmed, "simulated they do the same; " + v.detail
		}
	}
	return kindMiscompile, "simulated: " + v.detail
}

// Again runs the command on the design of a file; without a command what the file holds is compared as it is.
func (t *Tools) Again(e *Entry) (Outcome, error) {
	s := &synthesis{before: e.Parts["before.v"], after: e.Parts["after.v"], known: e.value(knownBy)}
	if s.before == "" {
		return Outcome{}, e.bad(errors.New("it wants a design before"))
	}
	ctx := context.Background()
	if len(t.Command) > 0 {
		var err error
		s.after, err = circuits.Netlist(ctx, t.Command, s.before, cmp.Or(t.Limit, toolLimit))
		errors.As(err, &s.failure)
	} else if s.after == "" { // what failed needs the command
		return Outcome{}, e.bad(fmt.Errorf("it holds no netlist after: run tv fuzz tools --corpus with the command %s", e.value(printedBy)))
	}
	v := t.examine(ctx, s, true)
	if v.kind == "" {
		return Outcome{}, nil
	}
	return Outcome{Suspect: t.suspect(ctx, s, v)}, nil
}

// Covered implements Worker: files hold findings alone.
func (t *Tools) Covered(*Entry) []string { return nil }
