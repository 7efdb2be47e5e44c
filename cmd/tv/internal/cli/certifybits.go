package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/equiv"
	circuits "tv/equiv/bits"
	bitrules "tv/equiv/bits/rules"
	"tv/equiv/rules"
	"tv/internal/source"
	proof "tv/proofs/bits/rules"
	"tv/semantics/bits/languages"
	"tv/semantics/bits/rule"
	"tv/semantics/domain"
)

// bitsQuestion returns the question about a rule over bit-vectors.
func bitsQuestion(cmd *cobra.Command, file string, r *rule.Rule, opts equiv.Options) *question {
	q := &question{name: r.Name, before: r.Name + ": left", after: "right", want: equiv.Proved, place: r.Span,
		trivial: oneLine(r.Sides[0].Span) == oneLine(r.Sides[1].Span)}
	if r.Want == equiv.Refuted.String() {
		q.want = equiv.Refuted
	}
	q.replay = slices.Concat([]string{"tv", "certify"}, replayArgs(cmd.Flags()), []string{"--only", r.Name, file})
	q.rule = func(ctx context.Context) (out rules.Result, err error) {
		out, q.refuting, err = askBitsRule(ctx, r, opts)
		return out, err
	}
	return q
}

// oneLine is a text without its layout.
func oneLine(s source.Span) string { return strings.Join(strings.Fields(s.Text()), " ") }

// askBitsRule decides a rule. What refutes it is a pair of specifications, which the reference evaluator has run.
func askBitsRule(ctx context.Context, r *rule.Rule, opts equiv.Options) (rules.Result, *circuitAnswer, error) {
	start := time.Now()
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	out := rules.Result{Name: r.Name, Elem: domain.Float32, Cover: rules.Cover{All: true, Ranks: -1}}
	out.Before, out.After = r.Name+": left", "right"
	out.Arith, out.Equal = equiv.Exact, equiv.Bits
	out.SHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte("tv rule over bit-vectors 1\n"+r.Span.Text())))
	for i, side := range r.Sides {
		out.Programs[i] = oneLine(side.Span)
	}
	out.Trivial = out.Programs[0] == out.Programs[1]
	found, err := provedBitsRule(ctx, r)
	if err != nil {
		return out, nil, err
	}
	out.Verdict = map[circuits.Verdict]equiv.Verdict{circuits.Proved: equiv.Proved, circuits.Refuted: equiv.Refuted, circuits.Unknown: equiv.Unknown}[found.Verdict]
	out.Reason, out.Detail, out.Engine, out.Domain = found.Reason, found.Detail, found.Engine, found.Domain
	out.Cases, out.Instance, out.Certificate = found.Compared, bitrules.Values(r, found.Smallest), found.Certified
	out.Cover.Widths = int64(found.Bound)
	var refuting *circuitAnswer
	switch {
	case found.Verdict == circuits.Refuted && found.Reason == "ill-formed":
		out.Form = true
		out.Detail = strings.TrimPrefix("at "+bitrules.Values(r, found.Refuting)+": ", "at : ") + found.Detail
	case found.Verdict == circuits.Refuted:
		if refuting, err = refutingInstance(ctx, found.Refuting, opts); err != nil {
			return out, nil, err
		}
		if at := bitrules.Values(r, found.Refuting); at != "" {
			out.Detail = "at " + at
		}
	}
	out.Elapsed = time.Since(start)
	return out, refuting, nil
}

// provedBitsRule has the checker read what is proved. Where it does not see that terms are equal at all widths instances are compared.
func provedBitsRule(ctx context.Context, r *rule.Rule) (bitrules.Result, error) {
	found, err := bitrules.Check(ctx, r, bitrules.Options{})
	if err != nil || found.Verdict != circuits.Proved {
		return found, err
	}
	refused := refusedRule(r, &found)
	if refused != nil && found.Engine == bitrules.Forms {
		if found, err = bitrules.Check(ctx, r, bitrules.Options{InstancesOnly: true}); err != nil || found.Verdict != circuits.Proved {
			return found, err
		}
		refused = refusedRule(r, &found)
	}
	if refused != nil {
		found.Verdict, found.Reason, found.Detail, found.Certified = circuits.Unknown, "certificate", "refused: "+refused.Error(), nil
	}
	return found, nil
}

// refusedRule says why the checker does not accept a certificate as one of a rule at just those widths; nil: it does.
func refusedRule(r *rule.Rule, found *bitrules.Result) error {
	claim, err := proof.Check(found.Certified)
	if err == nil && (claim.Text != r.Span.Text() || !slices.Equal(bitsRuleDomain(claim), found.Domain)) {
		err = fmt.Errorf("it is of another statement")
	}
	return err
}

// bitsRuleDomain says for which widths a certificate shows a rule.
func bitsRuleDomain(c *proof.Claim) (out []string) {
	switch {
	case c.All:
		return []string{"all widths"}
	case len(c.Names) == 0:
		return []string{"all inputs"}
	}
	byName := map[string]int{}
	for i, n := range c.Names {
		byName[n] = i
	}
	for _, n := range c.Names {
		out = append(out, fmt.Sprintf("%d <= %s <= %d", c.Least[byName[n]], n, c.Bound))
	}
	return out
}

// refutingInstance asks about an instance as a pair of specifications, whose counterexample replays.
func refutingInstance(ctx context.Context, in rule.Instance, opts equiv.Options) (*circuitAnswer, error) {
	var sides [2]*circuitText
	for i, name := range []string{"lhs.bv", "rhs.bv"} {
		var err error
		sides[i], err = parseCircuit(source.NewFile(name, in.Texts[i]), languages.Named("bv"))
		if err == nil {
			err = sides[i].elaborate(circuitOptions{})
		}
		if err != nil {
			return nil, err
		}
	}
	return askCircuit(ctx, sides[0], sides[1], 0, opts.Timeout)
}

// verifyBitsRule checks the certificate of a rule over bit-vectors.
func verifyBitsRule(flags *verifyFlags, name string, data []byte) (ci.Item, error) {
	start := time.Now()
	c, err := proof.Check(data)
	if err != nil {
		return ci.Item{}, source.Errorf(placeOf(name), codeCircuitCertificate, "%s", err.Error())
	}
	if flags.programs != nil || flags.rules != nil && !slices.Contains(flags.rules, c.Text) {
		return ci.Item{}, source.Errorf(placeOf(name), codeOther, "the certificate is of another rule: %s", c.Name)
	}
	said := fmt.Sprintf("rule %s (exact, bits, %s)", c.Name, domain.Conjunction(bitsRuleDomain(c)))
	item := new(resolved).item(name, "rule "+c.Name, said)
	r := &item.Result
	r.Before, r.After = name+": left", name+": right"
	r.Arith, r.Equal, r.Domain, r.Elapsed = equiv.Exact, equiv.Bits, bitsRuleDomain(c), time.Since(start)
	r.SHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte("tv rule over bit-vectors 1\n"+c.Text)))
	if flags.rules == nil {
		item.Text += indented(c.Text)
	}
	return item, nil
}
