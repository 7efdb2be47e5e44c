package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/equiv"
	"tv/equiv/smt"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "say what tv finds on this machine",
		Long: `Doctor prints the versions of tv, Go, the solvers and the tools that it finds, and what is lost without those that it
does not. None is needed for tv check: without a solver its engine is skipped, and an unknown says so.`,
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			var b bytes.Buffer
			row := func(name, found string) { fmt.Fprintf(&b, "%-11s %s\n", name, found) }
			row("tv", version())
			row("go", fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH))
			row("cgo", cgo())
			linked := smt.LinkedVersion()
			if linked == "" {
				linked = "none: built without cgo"
			}
			row("linked", linked)
			for _, t := range tools {
				found := make([]string, len(t.names))
				missing := true
				for i, name := range t.names {
					found[i] = t.version(cmd.Context(), name)
					missing = missing && found[i] == notFound
				}
				for i, name := range t.names {
					row(name, found[i])
				}
				if missing && t.without != "" {
					fmt.Fprintf(&b, "            without: %s\n", t.without)
				}
			}
			return a.output("", b.Bytes())
		},
	}
}

// notFound is said of a tool that is not on the path.
const notFound = "not found"

// tools are the programs that tv starts, and what is lost where none of a group is there.
var tools = []struct {
	names   []string
	version func(ctx context.Context, name string) string
	without string
}{
	{[]string{"z3", "cvc5"}, solver, "--solver cvc5 answers nothing, and z3 only where it is linked; what neither tv nor that decides is unknown"},
	{[]string{"iverilog"}, present, "tv fuzz cells compares with no simulator, and tv fuzz tools replays nothing"},
	{[]string{"yosys"}, present, "tv fuzz tools has no tool to try unless --opt names another; tv fuzz cells lacks the models of its files"},
	{[]string{"mlir-opt-19", "mlir-opt-16"}, present, "tv fuzz passes has no passes of MLIR to try, and compiles no finding in it"},
	{[]string{"clang-16", "clang", "gcc"}, present, "tv fuzz passes compiles no finding in C"},
	{[]string{"tv-cluster"}, beside, "tv fuzz cluster starts no server; any other NATS server does"},
}

// present tells where a tool is: not all of them say a version when asked the same way.
func present(_ context.Context, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return notFound
	}
	return path
}

// beside tells where a tool is that lies with tv, as they are built, or on the path.
func beside(ctx context.Context, name string) string {
	if own, err := os.Executable(); err == nil {
		if path := present(ctx, filepath.Join(filepath.Dir(own), name)); path != notFound {
			return path
		}
	}
	return present(ctx, name)
}

// cgo tells whether this is a build with cgo, which the solver in this process needs.
func cgo() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "CGO_ENABLED" && s.Value == "0" {
				return "no: solvers run as processes"
			}
		}
	}
	return "yes"
}

// solver returns where the binary of a solver is and what it says of its version.
func solver(ctx context.Context, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return notFound
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return fmt.Sprintf("%s does not run: %v", path, err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return fmt.Sprintf("%s: %s", path, strings.TrimSpace(line))
}

// sayNoSolver adds to an unknown for which a solver was wanted that there was none of those that --solver allows.
func sayNoSolver(r *equiv.Result, allowed string) {
	if r.Verdict != equiv.Unknown || r.Stats.Queries == 0 {
		return
	}
	for _, s := range smt.Versions() {
		name, _, _ := strings.Cut(s.Name, " ")
		if allowed == "auto" || allowed == name {
			return
		}
	}
	which := "no solver"
	if allowed != "auto" {
		which = "no " + allowed
	}
	r.Explanation = append(r.Explanation, which+" was found, so its engine was skipped; tv doctor says what there is")
}
