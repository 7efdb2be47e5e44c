// Command bench measures tv as its users run it: whole processes, the median of several runs after a warm-up, both
// sides of a comparison in one run. It writes JSON to standard output and a table to standard error.
//
//	programs.go   the programs: convolutions of ResNet-50, chains of matmuls, blocked matmuls
//	listings.go   a listing of VTA instructions, for its simulator
//	campaigns.go  campaigns of tv fuzz: cases a second
//	depth.go      cost against depth: stacks of layers, long ways of moving elements
//	loops.go      nests of loops against what compilers make of them
//	circuits.go   netlists of cells against specifications over bit-vectors
//	peers.go      other tools on the same circuits
//	main.go       running and reporting
//
// Usage: bench [-runs 9] [-only NAME] TV, where TV is the binary to measure. See doc/performance.md.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"
)

// A run is one measured command.
type run struct {
	Name     string         `json:"name"`
	Want     string         `json:"want"`
	Verdict  string         `json:"verdict"`
	MedianMS float64        `json:"median_ms"`
	MinMS    float64        `json:"min_ms"`
	MaxMS    float64        `json:"max_ms"`
	PeakMB   float64        `json:"peak_mb"`
	LimitMS  float64        `json:"limit_ms,omitempty"`
	LimitMB  float64        `json:"limit_mb,omitempty"`
	Counts   map[string]any `json:"counts,omitempty"`
	Met      bool           `json:"met"`
	args     []string

	// Of costs against depth: the times are what the processors spent, whatever else the machine did.
	Processor bool `json:"processor,omitempty"`
	started   bool // less what it takes to start a process that does nothing

	// Of what another tool is asked: which, and of which run of tv it is the question.
	peer    *peer
	of      string
	rare    bool // measured once
	missing bool // it is not installed

	// Of rules: the median and the worst of them, in the run with the least median.
	RuleMedianMS float64 `json:"rule_median_ms,omitempty"`
	RuleWorstMS  float64 `json:"rule_worst_ms,omitempty"`
	limitMedian  float64
	limitWorst   float64

	// Of campaigns: cases a second of processor time, in the best run.
	PerSecond      float64 `json:"per_second,omitempty"`
	LeastPerSecond float64 `json:"least_per_second,omitempty"`
}

// A ratio compares the medians of two runs.
type ratio struct {
	Name  string  `json:"name"`
	Ratio float64 `json:"ratio"`
	Limit float64 `json:"limit"`
	Met   bool    `json:"met"`
}

type bench struct {
	write bool // programs to dir, instead of measuring
	tv    string
	dir   string
	runs  int
	only  string
	list  []*run
}

func main() {
	runs := flag.Int("runs", 9, "counted runs of each command")
	only := flag.String("only", "", "measure only what holds this text in its name")
	naive := flag.String("naive", "", "binary of the naive encoding to compare with; empty: do not")
	generate := flag.String("generate", "", "write the programs to this directory and stop")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: bench [-runs 9] [-only NAME] TV")
		os.Exit(2)
	}
	tv, err := filepath.Abs(flag.Arg(0))
	check(err)
	if *generate != "" {
		b := &bench{tv: tv, dir: *generate, only: *only, write: true}
		b.table()
		return
	}
	dir, err := os.MkdirTemp("", "tv-bench-")
	check(err)
	defer func() { _ = os.RemoveAll(dir) }()
	// Another process makes the programs: a process reports no less memory at its peak than the one that started it
	// held, so this one stays small.
	self, err := os.Executable()
	check(err)
	check(exec.Command(self, "-generate", dir, "-only", *only, tv).Run())
	b := &bench{tv: tv, dir: dir, runs: *runs, only: *only}
	b.table()
	ratios := b.measure()
	if *naive != "" {
		ratios = append(ratios, b.naive(*naive)...)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	check(out.Encode(map[string]any{"schema": "tv.bench/v1", "runs": b.runs, "results": b.list, "ratios": ratios}))
	for _, r := range b.list {
		if r.Verdict != r.Want && (r.peer == nil || r.Verdict == "proved" || r.Verdict == "refuted") {
			os.Exit(1)
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// path returns where the program of a name is.
func (b *bench) path(name string) string {
	return filepath.Join(b.dir, strings.NewReplacer(" ", "-", "/", "-").Replace(name)+".sexp")
}

// listing returns where a listing of VTA instructions is.
func (b *bench) listing(name, text string) string {
	path := filepath.Join(b.dir, name+".vta")
	if b.write {
		check(os.WriteFile(path, []byte(text), 0o644))
	}
	return path
}

// pair lists a pair of programs; texts makes them.
func (b *bench) pair(name, want string, texts func() (before, after string), ms, mb float64, flags ...string) {
	x, y := b.path(name+" before"), b.path(name+" after")
	if b.write && strings.Contains(name, b.only) {
		before, after := texts()
		check(os.WriteFile(x, []byte(before), 0o644))
		check(os.WriteFile(y, []byte(after), 0o644))
	}
	b.list = append(b.list, &run{Name: name, Want: want, LimitMS: ms, LimitMB: mb,
		args: append([]string{"check", x, y, "--format", "json"}, flags...)})
}

// table lists what is measured, with the figures that must be reached.
func (b *bench) table() {
	main := conv{64, 56, 56, 64, 3, 1, 0}
	im2col := func(v conv, defect string) func() (string, string) {
		return func() (string, string) { return v.direct(), v.im2col(defect) }
	}
	b.pair("conv "+main.String(), "proved", im2col(main, ""), 25, 48)
	for _, v := range resnet50() {
		b.pair("resnet50 conv "+v.String(), "proved", im2col(v, ""), 25, 48)
	}
	for n := 3; n <= 5; n++ {
		b.pair(fmt.Sprintf("associativity of %d matrices", n), "proved", func() (string, string) { return chain(n) }, 25, 0)
		b.pair(fmt.Sprintf("distributivity of %d matrices", n), "proved",
			func() (string, string) { return distribute(n) }, 25, 0)
	}
	for _, x := range []struct {
		n      int
		ms, mb float64
	}{{128, 60, 0}, {256, 300, 0}, {512, 3000, 600}} {
		b.pair(fmt.Sprintf("matmul %d in blocks of 16", x.n), "proved",
			func() (string, string) { return blocked(x.n) }, x.ms, x.mb)
	}
	swap := "(access-transpose " + matmul("(access-tensor A)", "(access-tensor B)") + " (list 1 0))\n"
	swapped := matmul("(access-transpose (access-tensor B) (list 1 0))", "(access-transpose (access-tensor A) (list 1 0))") + "\n"
	for _, n := range []int{8, 4096} {
		b.pair(fmt.Sprintf("transposed matmul at %d", n), "proved",
			func() (string, string) { return swap, swapped }, 0, 0,
			"--input", fmt.Sprintf("A=%dx%d", n, n), "--input", fmt.Sprintf("B=%dx%d", n, n))
	}
	padded := conv{64, 56, 56, 64, 3, 1, 1}
	for _, defect := range []string{"index", "kernel", "bound"} {
		b.pair("wrong "+defect+" in conv "+padded.String(), "refuted", im2col(padded, defect), 300, 0)
	}
	path := b.path("printed program")
	if b.write {
		_, text := blocked(528)
		check(os.WriteFile(path, []byte(text), 0o644))
	}
	b.list = append(b.list, &run{Name: "a printed program of 10 MB, parsed and typed",
		Want: "typed", LimitMS: 400, LimitMB: 400, args: []string{"show", path, "--summary"}})
	b.list = append(b.list,
		&run{Name: "the rules of the catalogue", Want: "decided", limitMedian: 3, limitWorst: 500,
			args: []string{"certify", "--expect", "--format", "json", "glenside/rules/paper.rules", "glenside/rules/glenside.rules"}},
		&run{Name: "the equations of TASO", Want: "decided", LimitMS: 6000, limitMedian: 3,
			args: []string{"certify", "--format-in", "taso", "--format", "json", "proofs/testdata/taso/taso_rules.txt"}})
	for _, x := range []struct {
		driver, sizes string
		ms, mb        float64
	}{
		{"flexasr-maxpool", "2x16", 200, 0}, {"flexasr-maxpool", "16x64", 200, 0}, {"flexasr-maxpool", "128x512", 1000, 500},
		{"flexasr-layernorm", "16x64", 2000, 0}, {"flexasr-attention", "16x64", 2000, 0}, {"flexasr-lstm", "256x256", 5000, 1024},
		{"flexasr-maxpool", "", 10000, 0}, {"vta-dense", "16x16x16", 100, 0}, {"vta-dense", "64x64x64", 1000, 0},
		{"vta-dense", "256x256x256", 20000, 4096}, {"vta-dense", "", 30000, 0}, {"vta-dense-rows", "", 30000, 0},
		{"cim-gemm", "256x256x256", 5000, 0}, {"cim-gemm", "600x300x700", 20000, 0}, {"cim-gemm", "", 30000, 0},
		{"hlscnn-conv2d", "8x16x16,8x3x3", 5000, 0},
		{"vta-dense-columns", "", 30000, 0}, {"vta-dense-depth", "", 60000, 0},
	} {
		r := &run{Name: x.driver + " at " + x.sizes, Want: "proved", LimitMS: x.ms, LimitMB: x.mb,
			args: []string{"ila", "verify", x.driver, "--format", "json", "--sizes", x.sizes}}
		if x.sizes == "" {
			r.Name = x.driver + " at all sizes"
			r.args = []string{"ila", "verify", x.driver, "--format", "json", "--all-sizes"}
		}
		b.list = append(b.list, r)
	}
	listing := b.listing("gemm", gemms(gemmRuns))
	b.list = append(b.list, &run{Name: fmt.Sprintf("simulator of vta, %d products", gemmRuns*gemmProducts), Want: "ran",
		LimitMS: gemmRuns * gemmProducts / 50e3, args: []string{"ila", "run", listing, "--format", "json"}})
	b.campaigns()
	b.small()
	b.depths()
	b.nests()
	b.circuits()
	b.models()
	b.mapped()
	for _, n := range naiveSizes {
		b.pair(fmt.Sprintf("matmul %d against the naive encoding", n), "proved",
			func() (string, string) { return blocked(n) }, 0, 0)
	}
}

// measure runs everything in turn, so that a slow moment of the machine falls on all.
func (b *bench) measure() []ratio {
	times := map[*run][]float64{}
	var kept []*run
	for _, r := range b.list {
		if strings.Contains(r.Name, b.only) {
			kept = append(kept, r)
		}
	}
	b.list = kept
	for i := -1; i < b.runs; i++ { // the first is the warm-up
		for _, r := range b.list {
			if r.peer != nil && (r.missing || r.rare && i != 0) {
				continue
			}
			ms := b.once(r)
			if i >= 0 {
				times[r] = append(times[r], ms)
			}
		}
		fmt.Fprintf(os.Stderr, "\rround %d of %d", i+1, b.runs)
	}
	fmt.Fprintln(os.Stderr)
	for _, r := range b.list {
		t := times[r]
		if len(t) == 0 {
			fmt.Fprintf(os.Stderr, "%-64s %s\n", r.Name, r.Verdict)
			continue
		}
		sort.Float64s(t)
		r.MinMS, r.MedianMS, r.MaxMS = t[0], t[len(t)/2], t[len(t)-1]
		r.Met = (r.Verdict == r.Want || r.peer != nil) && (r.LimitMS == 0 || r.MedianMS <= r.LimitMS) && (r.LimitMB == 0 || r.PeakMB <= r.LimitMB)
		if r.Want == nothingFound {
			r.Met = r.Met && r.PerSecond >= r.LeastPerSecond
			fmt.Fprintf(os.Stderr, "%-64s %.0f a second of processor time (at least %.0f)\n", r.Name, r.PerSecond,
				r.LeastPerSecond)
		}
		if r.limitMedian > 0 {
			r.Met = r.Met && r.RuleMedianMS <= r.limitMedian && (r.limitWorst == 0 || r.RuleWorstMS <= r.limitWorst)
			fmt.Fprintf(os.Stderr, "%-64s median %.1f ms a rule (limit %.0f), worst %.0f (limit %.0f)\n",
				r.Name, r.RuleMedianMS, r.limitMedian, r.RuleWorstMS, r.limitWorst)
		}
		fmt.Fprintf(os.Stderr, "%-64s %-8s %9.1f ms (limit %5.0f) %6.1f MB (limit %3.0f) %s\n",
			r.Name, r.Verdict, r.MedianMS, r.LimitMS, r.PeakMB, r.LimitMB, map[bool]string{true: "met", false: "MISSED"}[r.Met])
	}
	return slices.Concat(b.ratios(), b.growth(), b.compared())
}

// ratios compares the cost of one question at two sizes.
func (b *bench) ratios() (out []ratio) {
	for _, name := range []string{"transposed matmul at ", "loops: matmul in tiles at ", "loops: matmul unrolled at ",
		"loops: conv in tiles at "} {
		var small, large *run
		for _, r := range b.list {
			switch r.Name {
			case name + "8":
				small = r
			case name + "4096":
				large = r
			}
		}
		if small == nil || large == nil {
			continue
		}
		q := ratio{Name: name + "4096 against 8", Ratio: large.MedianMS / small.MedianMS, Limit: 1.2}
		q.Met = q.Ratio <= q.Limit
		fmt.Fprintf(os.Stderr, "%-64s %.2f (limit %.1f) %s\n", q.Name, q.Ratio, q.Limit, map[bool]string{true: "met", false: "MISSED"}[q.Met])
		out = append(out, q)
	}
	return out
}

// naiveSizes are the sizes of the matmuls that the naive encoding is asked.
var naiveSizes = []int{64, 128}

// naiveSeconds is how long the naive encoding may take.
const naiveSeconds = "60"

// naive compares a blocked matmul with the encoding that gives each element a Z3 term, run once.
func (b *bench) naive(binary string) []ratio {
	var out []ratio
	for _, n := range naiveSizes {
		var r *run
		for _, x := range b.list {
			if x.Name == fmt.Sprintf("matmul %d against the naive encoding", n) {
				r = x
			}
		}
		if r == nil {
			continue
		}
		text, err := exec.Command(binary, fmt.Sprint(n), naiveSeconds).Output()
		check(err)
		var theirs struct {
			Build  float64 `json:"build_ms"`
			Check  float64 `json:"check_ms"`
			Answer string  `json:"answer"`
		}
		check(json.Unmarshal(text, &theirs))
		q := ratio{Name: fmt.Sprintf("naive encoding, blocked matmul %d: build %.0f ms, check %.0f ms, answer %s; tv %.1f ms, %s",
			n, theirs.Build, theirs.Check, theirs.Answer, r.MedianMS, r.Verdict),
			Ratio: (theirs.Build + theirs.Check) / r.MedianMS, Limit: 100}
		q.Met = q.Ratio >= q.Limit
		fmt.Fprintf(os.Stderr, "%s: %.0f times faster\n", q.Name, q.Ratio)
		out = append(out, q)
	}
	return out
}

// startMS returns the processor time of a process that does nothing.
func startMS() float64 {
	cmd := exec.Command("true")
	check(cmd.Run())
	return float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Microseconds()) / 1000
}

// once runs a command and returns its wall time in milliseconds.
func (b *bench) once(r *run) float64 {
	program := b.tv
	if r.peer != nil {
		program = r.peer.program
	}
	cmd := exec.Command(program, r.args...)
	var out strings.Builder
	cmd.Stdout = &out
	start := time.Now()
	err := cmd.Run()
	ms := float64(time.Since(start).Microseconds()) / 1000
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.PeakMB = max(r.PeakMB, float64(usage.Maxrss)*1024/1e6)
	}
	if r.Processor {
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		ms = float64(used.Microseconds()) / 1000
	}
	if r.started {
		ms -= startMS()
	}
	if r.peer != nil {
		r.Verdict = r.peer.says(out.String())
		return ms
	}
	if r.Want == nothingFound {
		r.judged(out.String(), cmd)
		return ms
	}
	if r.Want == "typed" || r.Want == "ran" {
		r.Verdict = map[bool]string{true: r.Want, false: "failed"}[err == nil]
		return ms
	}
	var report struct {
		Results []struct {
			Verdict string         `json:"verdict"`
			Counts  map[string]any `json:"counts"`
			Timing  struct {
				TotalMS float64 `json:"total_ms"`
			} `json:"timing"`
		} `json:"results"`
	}
	r.Verdict = "error"
	if r.limitMedian > 0 {
		check(json.Unmarshal([]byte(out.String()), &report))
		r.Verdict = "decided"
		var times []float64
		for _, x := range report.Results {
			if x.Verdict == "unknown" {
				r.Verdict = "unknown"
			}
			times = append(times, x.Timing.TotalMS)
		}
		sort.Float64s(times)
		if m := times[len(times)/2]; r.RuleMedianMS == 0 || m < r.RuleMedianMS {
			r.RuleMedianMS, r.RuleWorstMS = m, times[len(times)-1]
		}
		return ms
	}
	if json.Unmarshal([]byte(out.String()), &report) == nil && len(report.Results) == 1 {
		r.Verdict, r.Counts = report.Results[0].Verdict, report.Results[0].Counts
	}
	return ms
}
