package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// A peer is another tool that is asked what tv is asked of circuits. Yosys writes what it reads, before anything is timed.
type peer struct {
	name    string
	program string
	args    func(at func(extension string) string) []string
	proved  string // what it prints
	refuted string
	ratio   bool // tv may take at most peerRatio times as long; measured as often as tv, and else once
}

// peerRatio bounds the processor time of tv, which reads texts and writes certificates, by that of a peer that reads graphs.
const peerRatio = 2

// peerSeconds is how long a peer may look for an answer.
const peerSeconds = 20

var peers = []peer{
	{"abc cec", "berkeley-abc", func(at func(string) string) []string {
		return []string{"-q", fmt.Sprintf("cec -T %d %s %s", peerSeconds, at(".before.aig"), at(".after.aig"))}
	}, "Networks are equivalent", "Networks are NOT EQUIVALENT", true},
	{"yosys sat", "yosys", func(at func(string) string) []string {
		return []string{"-p", fmt.Sprintf("read_ilang %s; sat -timeout %d -prove trigger 0 miter", at(".miter.il"), peerSeconds)}
	}, "no model found: SUCCESS", "model found: FAIL", false},
	{"cadical", "cadical", func(at func(string) string) []string {
		return []string{"-q", "-n", "-t", fmt.Sprint(peerSeconds), at(".miter.cnf")}
	}, "s UNSATISFIABLE", "s SATISFIABLE", false},
	{"z3", "z3", func(at func(string) string) []string {
		return []string{fmt.Sprintf("-T:%d", peerSeconds), at(".miter.smt2")}
	}, "unsat", "sat", false},
}

// yosysCells are Yosys' models of the cells that netlists have.
const yosysCells = "+/xilinx/cells_sim.v"

// against lists the peers of a question about circuits; spec is its specification as Verilog. Of products few are asked, once: those
// that end. Of what is wrong those are that tv is held against.
func (b *bench) against(name, want, spec, net string, few ...string) {
	base := strings.TrimSuffix(b.path(name+" peers"), ".sexp")
	at := func(extension string) string { return strings.ReplaceAll(base, ",", "") + extension }
	if b.write && strings.Contains(name, b.only) {
		prepare(at, spec, net)
	}
	for i := range peers {
		p := &peers[i]
		if len(few) > 0 && !slices.Contains(few, p.program) || !p.ratio && want == "refuted" {
			continue
		}
		r := &run{Name: name + ": " + p.name, Want: want, Processor: true, peer: p, of: name, args: p.args(at), rare: !p.ratio || len(few) > 0}
		for _, tool := range []string{"yosys", "berkeley-abc", p.program} {
			if _, err := exec.LookPath(tool); err != nil {
				r.missing, r.Verdict = true, tool+" is not installed"
				break
			}
		}
		b.list = append(b.list, r)
	}
}

// prepare writes a question as peers read it: graphs of both sides, and what compares them as a circuit, clauses and a formula.
func prepare(at func(string) string, spec, net string) {
	for _, tool := range []string{"yosys", "berkeley-abc"} {
		if _, err := exec.LookPath(tool); err != nil {
			return
		}
	}
	check(os.WriteFile(at(".spec.v"), []byte(spec), 0o644))
	check(os.WriteFile(at(".net.v"), []byte(net), 0o644))
	must := func(program string, args ...string) {
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			check(fmt.Errorf("%s %q: %w\n%s", program, args, err, out))
		}
	}
	var script strings.Builder
	for _, side := range []struct{ name, read string }{
		{"before", fmt.Sprintf("read_verilog %s; prep -top m", at(".spec.v"))},
		{"after", fmt.Sprintf("read_verilog %s; read_verilog %s; hierarchy -top m; proc; flatten; opt_clean", at(".net.v"), yosysCells)},
	} {
		fmt.Fprintf(&script, "%s; rename m %s; write_ilang %s; techmap; aigmap; opt_clean; write_aiger -symbols %s; design -reset; ",
			side.read, side.name, at("."+side.name+".il"), at("."+side.name+".aig"))
	}
	fmt.Fprintf(&script, "read_ilang %s; read_ilang %s; miter -equiv -flatten before after miter; hierarchy -top miter; delete before after; "+
		"write_ilang %s; write_smt2 -wires -stbv %s", at(".before.il"), at(".after.il"), at(".miter.il"), at(".miter.smt2"))
	must("yosys", "-q", "-p", script.String())
	formula, err := os.ReadFile(at(".miter.smt2"))
	check(err)
	formula = append(bytes.TrimSpace(formula), "\n(declare-fun s () |miter_s|)\n(assert (|miter_n trigger| s))\n(check-sat)\n"...)
	check(os.WriteFile(at(".miter.smt2"), formula, 0o644))
	must("berkeley-abc", "-q", fmt.Sprintf("miter %s %s; write_cnf %s", at(".before.aig"), at(".after.aig"), at(".miter.cnf")))
}

// says is the verdict that a peer printed.
func (p *peer) says(out string) string {
	switch {
	case strings.Contains(out, p.proved):
		return "proved"
	case strings.Contains(out, p.refuted):
		return "refuted"
	}
	return "unknown"
}

// compared are the times of tv against those of the peers in the same run.
func (b *bench) compared() (out []ratio) {
	for _, r := range b.list {
		if r.peer == nil || !r.peer.ratio || r.rare {
			continue
		}
		for _, tv := range b.list {
			if tv.Name != r.of {
				continue
			}
			q := ratio{Name: fmt.Sprintf("%s, tv against %s", r.of, r.peer.name), Limit: peerRatio}
			if r.missing {
				q.Name += ": " + r.Verdict
				fmt.Fprintln(os.Stderr, q.Name)
			} else {
				q.Ratio = tv.MedianMS / r.MedianMS
				q.Met = tv.Verdict == tv.Want && q.Ratio <= q.Limit
				fmt.Fprintf(os.Stderr, "%-64s %.2f (limit %.1f) %s\n", q.Name, q.Ratio, q.Limit, map[bool]string{true: "met", false: "MISSED"}[q.Met])
			}
			out = append(out, q)
		}
	}
	return out
}
