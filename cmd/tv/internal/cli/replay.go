//go:build !js

package cli

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/equiv"
	"tv/fuzz"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

func (a *app) replayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "replay FILE.txtar",
		Short: "run one counterexample again",
		Long: `Replay runs both programs of a counterexample in the reference evaluator on its inputs and compares
them at its element. Of what else tv fuzz found it runs the case again. The exit status is 1 where the difference, or
what was found, is there and 0 where it is not.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := files.Read(args[0], a.stdin)
			if err != nil {
				return err
			}
			if fuzz.Written(f) {
				return a.replayFound(f)
			}
			if circuitWritten(f) {
				return a.replayCircuit(f)
			}
			c, err := casefile.ReadCounterexample(f)
			if err != nil {
				return err
			}
			again := a.replayPair
			if c.Listing {
				again = a.replayListing
			}
			text, differ, err := again(c)
			if err != nil {
				return err
			}
			if err := a.output("", []byte(text)); err != nil {
				return err
			}
			if differ {
				a.exit = exitRefuted
			}
			return nil
		},
	}
}

// replayFound runs the case of a finding of tv fuzz.
func (a *app) replayFound(f *source.File) error {
	kind, detail, err := fuzz.Replay(f)
	if err != nil {
		return err
	}
	if kind == "" {
		return a.output("", []byte("nothing is wrong\n"))
	}
	a.exit = exitRefuted
	return a.output("", fmt.Appendf(nil, "it is there: %s, %s\n", kind, detail))
}

// replayPair runs the counterexample of two programs again.
func (a *app) replayPair(c *casefile.Counterexample) (text string, differ bool, err error) {
	r, err := newReplay(c)
	if err != nil {
		return "", false, err
	}
	return r.run()
}

// A replay is a counterexample ready to run.
type replay struct {
	c             *casefile.Counterexample
	before, after *side
}

// A side is a program of a replay: typed, and ready unless it is ill formed at the sizes.
type side struct {
	program semantics.Program
	run     semantics.Evaluator
	fail    error // why it is ill formed there
}

func newReplay(c *casefile.Counterexample) (*replay, error) {
	arith, ok := domain.ParseArith(c.Expect.Arith)
	if !ok {
		return nil, c.ExpectErrorf("arith is auto, real or exact, not %q", c.Expect.Arith)
	}
	if c.Expect.Equal != "tensor" && c.Expect.Equal != "access" {
		return nil, c.ExpectErrorf("equal is tensor or access, not %q", c.Expect.Equal)
	}
	env := &domain.Env{Tensors: map[string]domain.Tensor{}, Mins: map[string]int64{}}
	values := tensors{}
	for name, v := range c.Inputs {
		t := domain.Tensor{Name: name, Elem: v.Type}
		for _, d := range v.Shape {
			t.Dims = append(t.Dims, domain.IntSize(d))
		}
		env.Tensors[name] = t
		elements, err := parseElements(&v, arith)
		if err != nil {
			return nil, c.InputsErrorf("%s: %v", name, err)
		}
		values[name] = elements
	}
	r := &replay{c: c}
	before, after, err := sourcesOf([]*source.File{c.Before, c.After}, c.Extensions, "", languages.Supplement{})
	if err != nil {
		return nil, err
	}
	asked := equiv.Question{Before: before, After: after}
	if asked.Bind, err = bindings(c.Expect.Bind); err != nil {
		return nil, c.ExpectErrorf("%v", err)
	}
	if !asked.Shared() {
		return r, r.bound(asked, arith, values)
	}
	// A declaration is kept as it is written: where a name is wanted again, its value would not do.
	declared, err := domain.Merge([]domain.Declarations{before.Declarations()})
	if err != nil {
		return nil, err
	}
	maps.Copy(env.Tensors, declared.Tensors)
	maps.Copy(env.Mins, declared.Mins)
	for _, p := range []struct {
		prog semantics.Source
		side **side
	}{{before, &r.before}, {after, &r.after}} {
		if err := declaredAs(p.prog, c); err != nil {
			return nil, err
		}
		s := &side{}
		if s.program, err = p.prog.Type(env); err == nil {
			err = semantics.Suits(s.program, arith)
		}
		if err != nil {
			if p.prog == before {
				return nil, err
			}
			// Declarations of numbers decide what was a condition on sizes: AFTER may be ill formed.
			s.fail = err
		} else {
			s.run, s.fail = s.program.Evaluate(arith, domain.Point(c.Expect.Sizes), values, nil)
		}
		*p.side = s
	}
	if r.before.fail != nil {
		return nil, r.before.fail
	}
	return r, nil
}

// bound makes the sides ready where AFTER's names are its own.
func (r *replay) bound(asked equiv.Question, arith value.Arith, values tensors) error {
	before, after, err := equiv.Programs(asked, r.outside(asked.Before)...)
	if err != nil {
		return err
	}
	for _, p := range []semantics.Program{before, after} {
		if err := semantics.Suits(p, arith); err != nil {
			return err
		}
	}
	if o := r.c.Expect.Overlap; o != nil {
		var ok bool
		if before, after, ok = equiv.Overlapping(before, after, *o); !ok {
			return r.c.ExpectErrorf("nothing overlaps in these programs")
		}
	}
	point := domain.Point(r.c.Expect.Sizes)
	read := map[string]bool{}
	for _, p := range []semantics.Program{before, after} {
		for _, t := range p.Inputs() {
			if read[t.Name] { // AFTER may take it for a tensor of other extents: that is what is wrong then
				continue
			}
			read[t.Name] = true
			v, ok := r.c.Inputs[t.Name]
			if !ok {
				return r.c.InputsErrorf("there is no %s", t.Name)
			}
			if err := fits(&v, t, point); err != nil {
				return r.c.InputsErrorf("%v", err)
			}
		}
	}
	r.before, r.after = &side{program: before}, &side{program: after}
	for _, c := range after.Conditions() {
		if ok, err := c.Pred.Eval(point); r.after.fail == nil && (err != nil || !ok) { // the first is what is reported
			r.after.fail = source.Errorf(after.At(c.Part), c.Code, "%s", c.Msg)
		}
	}
	for _, s := range []*side{r.before, r.after} {
		if s.fail == nil {
			s.run, s.fail = s.program.Evaluate(arith, point, values, nil)
		}
	}
	return r.before.fail
}

// outside declares what the text of BEFORE does not say: the extents of parameters, and its inputs where none can be inferred, or
// those that are inferred have sizes that the counterexample does not give: they were declared on the command line.
func (r *replay) outside(before semantics.Source) (out []equiv.Declaration) {
	declare := func(name string) {
		v, ok := r.c.Inputs[name]
		if !ok {
			return
		}
		d := equiv.Declaration{Input: domain.Input{Name: name, Elem: v.Type}, Origin: "inputs.json"}
		for _, n := range v.Shape {
			d.Dims = append(d.Dims, domain.Dim{Size: domain.IntSize(n)})
		}
		out = append(out, d)
	}
	for _, p := range before.Signature().Parameters {
		if p.Unsized {
			declare(p.Name)
		}
	}
	if len(before.Declarations().Inputs) > 0 || r.infers(before) {
		return out
	}
	for _, name := range before.Reads() {
		declare(name)
	}
	return out
}

// infers tells whether the inputs of a program are inferred at the sizes of the counterexample.
func (r *replay) infers(p semantics.Source) bool {
	env, err := p.Infer()
	if err != nil {
		return false
	}
	for _, t := range env.Tensors {
		for _, d := range t.Dims {
			if _, err := d.Eval(r.c.Expect.Sizes); err != nil {
				return false
			}
		}
	}
	return true
}

// declaredAs asks that the inputs are as the program declares them at the counterexample's sizes.
func declaredAs(p semantics.Source, c *casefile.Counterexample) error {
	for _, in := range p.Declarations().Inputs {
		v, ok := c.Inputs[in.Name]
		if !ok {
			continue // not read by either program
		}
		t := domain.Tensor{Name: in.Name, Elem: in.Elem}
		for _, d := range in.Dims {
			t.Dims = append(t.Dims, d.Size)
		}
		if err := fits(&v, t, domain.Point(c.Expect.Sizes)); err != nil {
			return source.Errorf(in.Span, casefile.CodeCounterexample, "%v", err)
		}
	}
	return nil
}

// run compares both sides and says what there is to see.
func (r *replay) run() (text string, differ bool, err error) {
	if r.after.fail != nil {
		return fmt.Sprintf("the difference is there: AFTER is undefined: %v\n", r.after.fail), true, nil
	}
	path := r.c.Expect.Component
	before, err := component(r.before.program.Result(), path)
	if err != nil {
		return "", false, r.c.ExpectErrorf("before%s: %v", r.c.Extensions[0], err)
	}
	after, err := component(r.after.program.Result(), path)
	if err != nil {
		return "", false, r.c.ExpectErrorf("after%s: %v", r.c.Extensions[1], err)
	}
	if text := r.whole(before, after); text != "" {
		return "the difference is there: " + text + "\n", true, nil
	}
	index := r.c.Expect.Element
	dims := r.before.run.Dims(path)
	inside := len(index) == len(dims)
	for axis := 0; inside && axis < len(dims); axis++ {
		inside = index[axis] >= 0 && index[axis] < dims[axis]
	}
	if !inside {
		return "", false, r.c.ExpectErrorf("the result is %s and has no element %v",
			casefile.ShapeString(dims), index)
	}
	return r.element(path, index)
}

// component returns the type of a component of a tuple.
func component(t *semantics.Type, path []int) (*semantics.Type, error) {
	for _, i := range path {
		if !t.Tuple || i < 0 || i >= len(t.Items) {
			return nil, fmt.Errorf("the result has no component %v", path)
		}
		t = t.Items[i]
	}
	return t, nil
}

// whole returns in what two results differ as wholes, or "".
func (r *replay) whole(before, after *semantics.Type) string {
	if before.Tuple || after.Tuple {
		if before.Tuple == after.Tuple && len(before.Items) == len(after.Items) {
			return ""
		}
		return fmt.Sprintf("the result is %s before, %s after", before.Text, after.Text)
	}
	path := r.c.Expect.Component
	switch b, a := r.before.run.Dims(path), r.after.run.Dims(path); {
	case !slices.Equal(b, a):
		return fmt.Sprintf("the shape is %s before, %s after", casefile.ShapeString(b), casefile.ShapeString(a))
	case before.Elem != after.Elem:
		return fmt.Sprintf("the element type is %s before, %s after", before.Elem, after.Elem)
	case r.c.Expect.Equal == "access" && before.Split != after.Split:
		return fmt.Sprintf("the split is after axis %d before, %d after", before.Split, after.Split)
	}
	return ""
}

// element compares one element.
func (r *replay) element(path []int, index []int64) (text string, differ bool, err error) {
	var values [2]value.Value
	var texts [2]string
	for i, s := range []*side{r.before, r.after} {
		if texts[i], err = elementString(s.run, path, index); err == nil && texts[i] != undefined {
			values[i], err = s.run.Element(path, index)
		}
		if err != nil {
			return "", false, source.Errorf(s.program.Source().Root(), "uninterpreted",
				"%s %v", ci.ElementName(path, index), err)
		}
	}
	// Only AFTER can be at fault for having no value.
	differ = texts[1] == undefined && texts[0] != undefined
	if texts[0] != undefined && texts[1] != undefined {
		differ = value.Compare(values[0], values[1]) == value.Different
	}
	var b bytes.Buffer
	if differ {
		b.WriteString("the difference is there")
	} else {
		b.WriteString("the difference is not there")
	}
	fmt.Fprintf(&b, ": %s: %s before, %s after", ci.ElementName(path, index), texts[0], texts[1])
	if e := r.c.Expect; texts[0] != e.Before || texts[1] != e.After {
		fmt.Fprintf(&b, "; the file says %s before, %s after", e.Before, e.After)
	}
	b.WriteByte('\n')
	return b.String(), differ, nil
}
