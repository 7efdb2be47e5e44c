package cli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
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
		Long: `Doctor prints the versions of tv, Go and the solvers that it finds. A missing solver is no error: its
engine is skipped, and an unknown says so.`,
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			var b bytes.Buffer
			row := func(name, found string) { fmt.Fprintf(&b, "%-10s %s\n", name, found) }
			row("tv", version())
			row("go", fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH))
			row("cgo", cgo())
			linked := smt.LinkedVersion()
			if linked == "" {
				linked = "none: built without cgo"
			}
			row("linked", linked)
			for _, name := range []string{"z3", "cvc5"} {
				row(name, solver(cmd.Context(), name))
			}
			return a.output("", b.Bytes())
		},
	}
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
		return "not found"
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
