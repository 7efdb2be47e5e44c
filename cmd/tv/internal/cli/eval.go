package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

const (
	maxResult = 1 << 22 // elements that eval computes
	maxShown  = 1 << 10 // elements of an input that eval prints as text
)

type evalFlags struct {
	set      []string // inputs of a specification over bit-vectors, or of a netlist
	circuit  circuitOptions
	shapes   string
	inputs   []string
	values   []string
	sizes    []string
	seed     uint64
	arith    *choice
	format   *choice
	output   string
	lang     *choice
	function *string
	given    bool // --arith
}

func (a *app) evalCommand() *cobra.Command {
	flags := &evalFlags{arith: newArith(), format: newChoice("text", "json")}
	cmd := &cobra.Command{
		Use:   "eval PROGRAM",
		Short: "run a program in the reference evaluator",
		Long: `Eval computes the result of a program, of a procedure what its parameters hold after the call. Tensors without a
--value have random elements, which are printed first; named sizes come from --size or from the shape of a value.`,
		Example: `  tv eval program.sexp --value A=a.npy --value B=b.json
  tv eval program.sexp --seed 7 --size N=4
  tv eval program.sexp --seed 7 -o run.npz
  tv eval matmul.comp --size M=2 --size N=3 --size K=4
  tv eval adder.bv --set a=0x1f --set b=1`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if l := circuitLang(args[0], flags.lang.value, len(flags.set) > 0); l != nil {
				return a.evalCircuit(flags, args[0], l)
			}
			if len(flags.set) > 0 {
				return usageError("--set is for specifications over bit-vectors (.bv) and netlists (.v); --value gives a tensor its elements")
			}
			flags.given = cmd.Flags().Changed("arith")
			return a.eval(cmd.Context(), flags, args[0])
		},
	}
	fs := cmd.Flags()
	flags.lang, flags.function = registerLang(fs, false, circuitLangNames()...), registerFunction(fs)
	registerDeclarations(fs, &flags.shapes, &flags.inputs)
	fs.StringArrayVar(&flags.values, "value", nil, "elements of a tensor: `NAME=FILE`, .npy, .npz or JSON (repeatable)")
	fs.StringArrayVar(&flags.sizes, "size", nil, "value of a named size: `N=4` (repeatable)")
	flags.circuit.register(cmd)
	fs.StringArrayVar(&flags.set, "set", nil, "value of an input of a specification over bit-vectors or a netlist: `NAME=VALUE`, by cycles a=1,2,3 (repeatable)")
	fs.Uint64Var(&flags.seed, "seed", 1, "seed of the random elements")
	fs.Var(flags.arith, "arith", arithUsage)
	fs.Var(flags.format, "format", "format of the result")
	fs.StringVarP(&flags.output, "output", "o", "", "write the result to a `file` instead of standard output: "+
		"the report, the result as .npy, or it and what it was computed from as .npz")
	return cmd
}

func (a *app) eval(ctx context.Context, flags *evalFlags, name string) error {
	inputs := []string{name, flags.shapes}
	for _, value := range flags.values {
		_, file, _ := strings.Cut(value, "=")
		inputs = append(inputs, file)
	}
	if err := notInputs(inputs, []string{flags.output}); err != nil {
		return err
	}
	point, err := parseSizes(flags.sizes)
	if err != nil {
		return err
	}
	p, env, err := a.typed(name, flags.lang.value, *flags.function, flags.shapes, flags.inputs, arithOf(flags.arith))
	if err != nil {
		return err
	}
	if err := exactOnly(flags.arith, flags.given, p.Source()); err != nil {
		return err
	}
	values, err := a.values(flags.values, p, point)
	if err != nil {
		return err
	}
	if err := checkPoint(p, env, point); err != nil {
		return err
	}
	arith := arithOf(flags.arith)
	in, err := newEvalInputs(p, arith, point, values, flags.seed)
	if err != nil {
		return err
	}
	e, err := p.Evaluate(arith, point, in, nil)
	if err != nil {
		return err
	}
	result, err := evalResult(ctx, e, p, p.Result(), nil)
	if err != nil {
		return err
	}
	data, err := in.report(result, flags.format.value, flags.output, values)
	if err != nil {
		return err
	}
	return a.output(flags.output, data)
}

// report is what eval writes to a file of a name: arrays for NumPy, or the report in a format.
func (in *evalInputs) report(
	result *resultValue, format, file string, given map[string]*casefile.Tensor,
) ([]byte, error) {
	var b bytes.Buffer
	switch ext := filepath.Ext(file); {
	case ext == ".npy" || ext == ".npz":
		data, err := in.arrays(result, ext, given)
		if err != nil {
			return nil, &source.Error{Name: file, Code: "not-numpy", Msg: "cannot be written: " + err.Error(), Err: err}
		}
		return data, nil
	case format == "json":
		if err := in.json(&b, result); err != nil {
			return nil, err
		}
	default:
		in.text(&b, result)
	}
	return b.Bytes(), nil
}

// arrays are the result as .npy; as .npz all that it was computed from too, under the names of --value.
// Errors: a result of several tensors for .npy, and what NumPy has not.
func (in *evalInputs) arrays(result *resultValue, ext string, given map[string]*casefile.Tensor) ([]byte, error) {
	if ext == ".npy" {
		if result.tensor == nil {
			return nil, errors.New("the result is several tensors, which .npz takes")
		}
		return result.tensor.NPY()
	}
	var all []casefile.Array
	_, random, err := in.randomTensors(maxResult)
	if err != nil {
		return nil, err
	}
	for _, t := range in.inputs {
		if v := given[t.Name]; v != nil {
			all = append(all, casefile.Array{Name: t.Name, Tensor: v})
		} else if v := random[t.Name]; v.Data == nil {
			return nil, fmt.Errorf("%s is %s: at most %d elements are written", t.Name, casefile.ShapeString(v.Shape), maxResult)
		} else {
			all = append(all, casefile.Array{Name: t.Name, Tensor: &v})
		}
	}
	result.each("result", func(name string, t *casefile.Tensor) {
		all = append(all, casefile.Array{Name: name, Tensor: t})
	})
	return casefile.NPZ(all)
}

// values reads the files of --value and adds the sizes that their shapes settle to point.
func (a *app) values(
	flags []string, p semantics.Program, point domain.Point,
) (map[string]*casefile.Tensor, error) {
	values := map[string]*casefile.Tensor{}
	inputs := p.Inputs()
	var errs source.Errors
	for _, flag := range flags {
		name, file, ok := strings.Cut(flag, "=")
		i := slices.IndexFunc(inputs, func(t domain.Tensor) bool { return t.Name == name })
		switch {
		case !ok || name == "" || file == "":
			return nil, usageError("--value takes NAME=FILE, not %q", flag)
		case i < 0:
			return nil, usageError("--value: the program reads no tensor %s", name)
		case values[name] != nil:
			return nil, usageError("--value gives %s twice", name)
		}
		data, err := files.ReadBytes(file, a.stdin)
		if err == nil {
			values[name], err = casefile.ReadTensor(file, data, name)
		}
		if err != nil {
			errs = append(errs, source.AsErrors(err)...)
			continue
		}
		sizesFrom(point, inputs[i], values[name].Shape)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return values, nil
}

// evalInputs are the tensors of a run: given ones, and random ones for the rest.
type evalInputs struct {
	file    string // of the program
	inputs  []domain.Tensor
	point   domain.Point
	seed    uint64
	tensors tensors
	random  value.Inputs
}

func newEvalInputs(
	p semantics.Program, arith value.Arith, point domain.Point, values map[string]*casefile.Tensor, seed uint64,
) (*evalInputs, error) {
	in := &evalInputs{
		file: p.Source().File().Name, inputs: p.Inputs(), point: point, seed: seed, tensors: tensors{},
	}
	in.random = value.Random(seed, arith, value.Small, in.inputs)
	for _, t := range in.inputs {
		v := values[t.Name]
		if v == nil {
			continue
		}
		if err := fits(v, t, point); err != nil {
			return nil, &source.Error{Name: "--value", Code: "value-mismatch", Msg: err.Error()}
		}
		elements, err := parseElements(v, arith)
		if err != nil {
			return nil, &source.Error{Name: "--value", Code: casefile.CodeTensor, Msg: t.Name + ": " + err.Error()}
		}
		in.tensors[t.Name] = elements
	}
	return in, nil
}

// Element returns the element of a tensor at a row-major offset.
func (in *evalInputs) Element(name string, offset int64) value.Value {
	if _, given := in.tensors[name]; given {
		return in.tensors.Element(name, offset)
	}
	return in.random.Element(name, offset)
}

// tensors are inputs with elements from files: all of a tensor, or 0 but for some.
type tensors map[string]*elements

type elements struct {
	dense  []value.Value
	sparse map[int64]value.Value
	zero   value.Value
}

// Element returns the element of a tensor at a row-major offset.
func (ts tensors) Element(name string, offset int64) value.Value {
	t := ts[name]
	if t == nil {
		return value.NoValue(fmt.Errorf("no value for %s", name))
	}
	if t.dense != nil {
		return t.dense[offset]
	}
	if v, ok := t.sparse[offset]; ok {
		return v
	}
	return t.zero
}

// parseElements returns the elements of a tensor in an arithmetic.
func parseElements(t *casefile.Tensor, arith value.Arith) (*elements, error) {
	parse := func(offset int64, s string) (value.Value, error) {
		v, err := value.ParseValue(s, arith, t.Type)
		if err != nil {
			err = fmt.Errorf("element %d: %w", offset, err)
		}
		return v, err
	}
	var err error
	e := &elements{}
	if t.Data != nil {
		e.dense = make([]value.Value, len(t.Data))
		for i, s := range t.Data {
			if e.dense[i], err = parse(int64(i), s); err != nil {
				return nil, err
			}
		}
		return e, nil
	}
	e.zero = value.IntValue(0, arith, t.Type)
	e.sparse = make(map[int64]value.Value, len(t.Sparse))
	for i, s := range t.Sparse {
		if e.sparse[i], err = parse(i, s); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// randomTensors returns the tensors with random elements, without the elements of large ones.
func (in *evalInputs) randomTensors(limit int64) ([]string, map[string]casefile.Tensor, error) {
	var order []string
	all := map[string]casefile.Tensor{}
	for _, t := range in.inputs {
		if _, given := in.tensors[t.Name]; given {
			continue
		}
		dims, err := dimsAt(t, in.point)
		if err != nil {
			return nil, nil, &source.Error{Name: in.file, Code: "too-large", Msg: err.Error()}
		}
		v := casefile.Tensor{Shape: dims, Type: t.Elem}
		if n, err := casefile.Elements(dims); err == nil && n <= limit {
			v.Data = make([]string, n)
			for i := range v.Data {
				v.Data[i] = in.random.Element(t.Name, int64(i)).String()
			}
		}
		order = append(order, t.Name)
		all[t.Name] = v
	}
	return order, all, nil
}

// A resultValue is a tensor or the components of a tuple.
type resultValue struct {
	tensor *casefile.Tensor
	items  []*resultValue
}

// MarshalJSON writes a tensor object, or an array for a tuple.
func (r *resultValue) MarshalJSON() ([]byte, error) {
	if r.tensor != nil {
		return json.Marshal(r.tensor)
	}
	return json.Marshal(append([]*resultValue{}, r.items...))
}

// evalResult computes a component of the result; t is its type.
func evalResult(
	ctx context.Context, e semantics.Evaluator, p semantics.Program, t *semantics.Type, path []int,
) (*resultValue, error) {
	if t.Tuple {
		r := &resultValue{}
		for i, item := range t.Items {
			v, err := evalResult(ctx, e, p, item, append(slices.Clip(path), i))
			if err != nil {
				return nil, err
			}
			r.items = append(r.items, v)
		}
		return r, nil
	}
	v := &casefile.Tensor{Shape: e.Dims(path), Type: t.Elem}
	n, err := casefile.Elements(v.Shape)
	if err != nil || n > maxResult {
		return nil, source.Errorf(p.Source().Root(), "too-large",
			"the result is %s: eval computes at most %d elements", casefile.ShapeString(v.Shape), maxResult)
	}
	v.Data = make([]string, n)
	index := make([]int64, len(v.Shape))
	for i := range v.Data {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if v.Data[i], err = elementString(e, path, index); err != nil {
			return nil, source.Errorf(p.Source().Root(), "uninterpreted", "%s %v", ci.ElementName(path, index), err)
		}
		casefile.Increment(index, v.Shape)
	}
	return &resultValue{tensor: v}, nil
}

// elementString returns an element as text, "undefined" where it has no value.
func elementString(e interface {
	Element(path []int, index []int64) (value.Value, error)
}, path []int, index []int64) (string, error) {
	v, err := e.Element(path, index)
	if errors.Is(err, value.ErrUndefined) {
		return undefined, nil
	}
	if err != nil {
		return "", err
	}
	return v.String(), nil
}

// undefined is the text of an element without a value.
const undefined = "undefined"

func (in *evalInputs) text(b *bytes.Buffer, result *resultValue) {
	order, all, err := in.randomTensors(maxShown)
	if err == nil && len(order) > 0 {
		fmt.Fprintf(b, "seed %d\n", in.seed)
	}
	for _, name := range order {
		t := all[name]
		fmt.Fprintf(b, "%s: %s %s", name, casefile.ShapeString(t.Shape), t.Type)
		if t.Data != nil {
			fmt.Fprintf(b, "\n%s\n", t.Rows())
		} else {
			fmt.Fprintln(b, ", random")
		}
	}
	result.text(b, "result")
}

func (r *resultValue) text(b *bytes.Buffer, name string) {
	r.each(name, func(name string, t *casefile.Tensor) {
		fmt.Fprintf(b, "%s: %s %s\n%s\n", name, casefile.ShapeString(t.Shape), t.Type, t.Rows())
	})
}

// each visits the tensors of a result; components of a tuple have the name of the tuple, a point and their number.
func (r *resultValue) each(name string, visit func(name string, t *casefile.Tensor)) {
	if r.tensor != nil {
		visit(name, r.tensor)
	}
	for i, item := range r.items {
		item.each(fmt.Sprintf("%s.%d", name, i), visit)
	}
}

func (in *evalInputs) json(b *bytes.Buffer, result *resultValue) error {
	_, all, err := in.randomTensors(maxResult)
	if err != nil {
		return err
	}
	for name, t := range all {
		if t.Data == nil {
			return &source.Error{Name: in.file, Code: "too-large",
				Msg: fmt.Sprintf("%s is %s: the report holds at most %d elements",
					name, casefile.ShapeString(t.Shape), maxResult)}
		}
	}
	doc := struct {
		Seed   *uint64                    `json:"seed,omitempty"`
		Sizes  domain.Point               `json:"sizes,omitempty"`
		Inputs map[string]casefile.Tensor `json:"inputs,omitempty"`
		Result *resultValue               `json:"result"`
	}{Sizes: maps.Clone(in.point), Inputs: all, Result: result}
	if len(all) > 0 {
		doc.Seed = &in.seed
	}
	return json.NewEncoder(b).Encode(doc)
}
