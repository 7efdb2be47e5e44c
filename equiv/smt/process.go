package smt

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// An Installed solver is one that Decide may ask.
type Installed struct {
	Name string // with its version: "z3 4.8.12"
	Path string // of the binary; empty for the linked library
}

// Versions lists the solvers that there are: the linked one, then the binaries on the path. It makes no query.
func Versions() []Installed {
	var out []Installed
	if v := linkedVersion(); v != "" {
		out = append(out, Installed{Name: v})
	}
	for _, name := range []string{"z3", "cvc5"} {
		if s, ok := findSolver(name); ok {
			out = append(out, Installed{Name: s.version, Path: s.path})
		}
	}
	return out
}

// A process is a solver that is run for each query.
type process struct {
	name, path, version string
}

var (
	processesLock sync.Mutex
	processes     = map[string]process{} // by path
)

// findSolver finds a binary on the path and asks it for its version once.
func findSolver(name string) (process, bool) {
	path, err := exec.LookPath(name)
	if err != nil {
		return process{}, false
	}
	processesLock.Lock()
	defer processesLock.Unlock()
	s, known := processes[path]
	if !known {
		s = process{name: name, path: path, version: name}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		for _, w := range strings.Fields(string(out)) {
			if err == nil && w[0] >= '0' && w[0] <= '9' && strings.Contains(w, ".") {
				s.version = name + " " + w
				break
			}
		}
		processes[path] = s
	}
	return s, true
}

// command returns the command line that bounds the solver. A solver without a bound of its own on memory is run
// under one of the shell.
func (s process) command(opts Options) []string {
	var line []string
	switch s.name {
	case "z3":
		line = []string{s.path, "-in", "-smt2"}
		if opts.Memory > 0 {
			line = append(line, fmt.Sprintf("-memory:%d", megabytes(opts.Memory)))
		}
		if opts.RLimit > 0 {
			line = append(line, fmt.Sprintf("rlimit=%d", min(opts.RLimit, math.MaxUint32)))
		}
		return line
	case "cvc5": // float16 and bfloat16 are experimental there
		line = []string{s.path, "--lang=smt2", "--produce-models", "--fp-exp"}
		if opts.RLimit > 0 {
			line = append(line, fmt.Sprintf("--rlimit=%d", opts.RLimit))
		}
	}
	if sh, err := exec.LookPath("sh"); err == nil && opts.Memory > 0 {
		limit := fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, megabytes(opts.Memory)*1024)
		line = append([]string{sh, "-c", limit}, line...)
	}
	return line
}

func megabytes(n int64) int64 { return max(n>>20, 1) }

// decide runs the solver on the text of the query and kills it at the end of the context.
func (s process) decide(ctx context.Context, q *Query, opts Options) Result {
	line := s.command(opts)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Stdin = strings.NewReader(q.Text())
	cmd.WaitDelay = grace
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return Result{Reason: "timeout"}
	}
	exprs := parseExprs(string(out))
	if len(exprs) > 0 {
		switch exprs[0].atom {
		case "unsat":
			return Result{Answer: Valid, Solver: s.version}
		case "sat":
			return s.model(q, exprs[1:])
		}
	}
	said := strings.Join(strings.Fields(string(out)+" "+stderr.String()), " ")
	if err != nil && said == "" {
		said = err.Error()
	}
	for _, e := range exprs {
		if e.head() == ":reason-unknown" && len(e.list) == 2 {
			said = strings.Trim(e.list[1].String(), `"`)
		}
	}
	return Result{Reason: stopped(ctx, said), Detail: s.name + ": " + said}
}

// model reads what follows "sat": the values, in the order in which they were asked for.
func (s process) model(q *Query, exprs []expr) Result {
	r := Result{Answer: Counterexample, Solver: s.version, Sat: true, Exact: q.exact()}
	asked := q.asked()
	if len(asked) == 0 {
		return r
	}
	for _, e := range exprs {
		if len(e.list) != len(asked) || len(e.list[0].list) != 2 {
			continue
		}
		for i, pair := range e.list {
			c, ok := asked[i], false
			var rational *big.Rat
			bits := new(big.Int)
			value := expr{}
			if len(pair.list) == 2 {
				value = pair.list[1]
			}
			switch c.form.sort.kind {
			case 'r':
				rational, ok = value.rational()
			case 'b':
				ok = value.atom == "true" || value.atom == "false"
				bits.SetInt64(int64(len("false") - len(value.atom)))
			default:
				bits, ok = value.bits(c.form.sort)
			}
			if !ok {
				return noModel(c, value.String(), s.version)
			}
			r.Model = append(r.Model, Assignment{
				Name: c.name, Tensor: c.tensor, At: c.at, Value: c.value(rational, bits),
			})
		}
		return r
	}
	return Result{Reason: "incomplete", Detail: s.name + " prints no model", Solver: s.version, Sat: true}
}
