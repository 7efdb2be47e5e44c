//go:build !js

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tv/hwmodels/vta"
	"tv/ila"
	"tv/ila/prove"
	"tv/ila/race"
	ilarun "tv/ila/run"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/source"
	"tv/semantics/term"
)

type ilaRunFlags struct {
	values []string
	seed   uint64
	trace  bool
	format *choice

	schedule string

	implementation *choice
}

func (a *app) ilaRunCommand() *cobra.Command {
	flags := &ilaRunFlags{format: newChoice("text", "json"), implementation: newImplementation()}
	cmd := &cobra.Command{
		Use: "run LISTING.vta", Short: "simulates a listing of VTA instructions",
		Long: `Run simulates a listing and prints the tensor that it leaves. Inputs without a --value have random
elements, which are printed first. Instructions take place in program order (where one stands before what it waits
for, in the next order that tokens allow), or as --schedule says: a line for each start and each end of an instruction, "load start" or "store end", where what an instruction does is done when it
ends. Units pop and push tokens as soon as they can.`,
		Example: "  tv ila run program.vta --value a=a.npy --trace\n  tv ila run program.vta --schedule race.schedule",
		Args:    exactly(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.ilaRun(flags, args[0]) },
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&flags.values, "value", nil, "elements of an input: `NAME=FILE`, .npy, .npz or JSON (repeatable)")
	fs.Uint64Var(&flags.seed, "seed", 1, "seed of the random elements")
	fs.BoolVar(&flags.trace, "trace", false, "print what takes place to standard error")
	fs.Var(flags.format, "format", "format of the result")
	fs.StringVar(&flags.schedule, "schedule", "", "a `FILE` that says when instructions of the machine's units start and end, or a "+
		"counterexample that has one")
	registerImplementation(cmd, flags.implementation)
	return cmd
}

func (a *app) ilaRun(flags *ilaRunFlags, name string) error {
	f, err := files.Read(name, a.stdin)
	if err != nil {
		return err
	}
	task, err := vta.ParseListing(f, implementationOf(flags.implementation))
	if err != nil {
		return err
	}
	if flags.schedule == "" {
		task = prove.Sequence(task)
	} else if task, err = a.scheduled(task, flags.schedule); err != nil {
		return err
	}
	inputs, shown, err := a.ilaValues(task, flags)
	if err != nil {
		return err
	}
	s := ilarun.NewSimulator(task.Model)
	if flags.trace {
		s.Trace = func(model, instruction string) { fmt.Fprintf(a.stderr, "%s.%s\n", model, instruction) }
	}
	out, err := s.Run(task, inputs)
	if err != nil {
		var fault *ila.Fault
		if !errors.As(err, &fault) {
			return err
		}
		return task.Problem(fault)
	}
	result := ilaTensor(&task.Output, out)
	if flags.format.value == "json" {
		data, err := json.Marshal(result)
		if err != nil {
			return err
		}
		return a.output("", append(data, '\n'))
	}
	shown += fmt.Sprintf("%s: %s %s\n%s\n", task.Output.Name, casefile.ShapeString(result.Shape), result.Type,
		strings.TrimRight(result.Rows(), "\n"))
	return a.output("", []byte(shown))
}

// scheduled is a task whose units run as a file says.
func (a *app) scheduled(task *ila.Task, name string) (*ila.Task, error) {
	f, err := files.Read(name, a.stdin)
	if err != nil {
		return nil, err
	}
	if s := casefile.Schedule(f); s != nil {
		f = s
	}
	followed, dead, err := race.Follow(task, f)
	if err == nil && dead != nil {
		return nil, task.Problem(&ila.Fault{Code: ila.CodeToken, Step: dead.Step, Msg: prove.DescribeDeadlock(task, dead)})
	}
	return followed, err
}

// ilaTensor returns elements as a tensor for printing.
func ilaTensor(x *ila.Tensor, values []uint64) *casefile.Tensor {
	t := &casefile.Tensor{Type: elemType(x)}
	for _, d := range x.Dims {
		t.Shape = append(t.Shape, int64(d))
	}
	for _, v := range values {
		t.Data = append(t.Data, decimal(x, v))
	}
	return t
}

// ilaValues returns the elements of the inputs, and as text those that are random.
func (a *app) ilaValues(task *ila.Task, flags *ilaRunFlags) (inputs [][]uint64, shown string, err error) {
	given := map[string]string{}
	for _, v := range flags.values {
		name, file, ok := strings.Cut(v, "=")
		if !ok || name == "" || file == "" || given[name] != "" {
			return nil, "", usageError("--value takes NAME=FILE, once for each name, not %q", v)
		}
		given[name] = file
	}
	random := rand.New(rand.NewPCG(flags.seed, 0))
	for _, x := range task.Inputs {
		values := make([]uint64, x.Size())
		file, ok := given[x.Name]
		delete(given, x.Name)
		if !ok {
			for i := range values {
				values[i] = random.Uint64() & term.Ones(x.Width)
			}
			t := ilaTensor(x, values)
			shown += fmt.Sprintf("%s: %s %s (seed %d)\n", x.Name, casefile.ShapeString(t.Shape), t.Type, flags.seed)
			if len(values) <= maxShown {
				shown += strings.TrimRight(t.Rows(), "\n") + "\n"
			}
			inputs = append(inputs, values)
			continue
		}
		data, err := files.ReadBytes(file, a.stdin)
		if err != nil {
			return nil, "", err
		}
		t, err := casefile.ReadTensor(file, data, x.Name)
		if err != nil {
			return nil, "", err
		}
		want := ilaTensor(x, nil)
		if casefile.ShapeString(t.Shape) != casefile.ShapeString(want.Shape) || t.Type != want.Type {
			return nil, "", &source.Error{Name: file, Code: casefile.CodeTensor, Msg: fmt.Sprintf("%s is %s %s, not %s %s",
				x.Name, casefile.ShapeString(want.Shape), want.Type, casefile.ShapeString(t.Shape), t.Type)}
		}
		for i := range values {
			n, err := strconv.ParseInt(t.At(int64(i)), 10, 64)
			if err != nil {
				return nil, "", &source.Error{Name: file, Code: casefile.CodeTensor,
					Msg: fmt.Sprintf("element %d of %s is %q", i, x.Name, t.At(int64(i))), Err: err}
			}
			values[i] = uint64(n) & term.Ones(x.Width)
		}
		inputs = append(inputs, values)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		return nil, "", usageError("--value %s: the listing has no input of that name", name)
	}
	return inputs, shown, nil
}
