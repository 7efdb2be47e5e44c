package cli

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/equiv"
	"tv/internal/casefile"
	"tv/internal/source"
	"tv/internal/spelling"
	"tv/semantics"
	"tv/semantics/domain"
)

// typed parses a program and types it with the declarations of the flags, for an arithmetic.
func (a *app) typed(name, lang, function, shapes string, inputs []string, arith equiv.Arith) (semantics.Program, *domain.Env, error) {
	decls, err := declarations(shapes, inputs, a.reader())
	if err != nil {
		return nil, nil, err
	}
	s, err := a.program(name, lang, function)
	if err != nil {
		return nil, nil, err
	}
	if err := readInputs(decls, s); err != nil {
		return nil, nil, err
	}
	env, err := equiv.Environment([]semantics.Source{s}, decls)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.Type(env)
	if err == nil {
		err = semantics.Suits(p, arith)
	}
	return p, env, err
}

// readInputs refuses an --input of a tensor that none of the programs reads: its name is a slip, or its program another.
// Names of --shapes may be those of a larger network.
func readInputs(list []equiv.Declaration, programs ...semantics.Source) error {
	read := map[string]bool{}
	for _, p := range programs {
		for _, name := range p.Reads() {
			read[name] = true
		}
	}
	var errs source.Errors
	for _, d := range list {
		if d.Weak || read[d.Input.Name] {
			continue
		}
		hint := ""
		if near := spelling.Nearest(d.Input.Name, slices.Sorted(maps.Keys(read))); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		errs = append(errs, usageError("--input: no program reads a tensor %s%s", d.Input.Name, hint))
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// sizeNames returns the named sizes of a program, sorted: those of its tensors, of what it assumes, and of its own.
func sizeNames(p semantics.Program, env *domain.Env) (all []string) {
	for _, name := range p.Source().Reads() {
		for _, d := range env.Tensor(name).Dims {
			all = append(all, d.Names()...)
		}
	}
	for _, as := range p.Source().Declarations().Assumes {
		all = append(all, as.Pred.Names()...)
	}
	for _, s := range p.Sizes() {
		all = append(all, s.Names()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// parseSizes reads the values of --size: N=4.
func parseSizes(values []string) (domain.Point, error) {
	point := domain.Point{}
	for _, value := range values {
		name, number, ok := strings.Cut(value, "=")
		n, err := strconv.ParseInt(number, 10, 64)
		if !ok || name == "" || err != nil || n < 0 {
			return nil, usageError("--size takes NAME=NUMBER, such as N=4, not %q", value)
		}
		if old, twice := point[name]; twice && old != n {
			return nil, usageError("--size gives %s the values %d and %d", name, old, n)
		}
		point[name] = n
	}
	return point, nil
}

// sizesFrom adds the named sizes that the shape of a value settles.
func sizesFrom(point domain.Point, t domain.Tensor, shape []int64) {
	for i, d := range t.Dims {
		if name := d.Name(); i < len(shape) && d.Op() == domain.SizeName {
			if _, given := point[name]; !given {
				point[name] = shape[i]
			}
		}
	}
}

// checkPoint asks that every size has a value that the declarations and assumes admit.
func checkPoint(p semantics.Program, env *domain.Env, point domain.Point) error {
	names := sizeNames(p, env)
	for name := range point {
		if !slices.Contains(names, name) {
			return usageError("--size: the program has no size %s", name)
		}
	}
	for _, name := range names {
		n, ok := point[name]
		if !ok {
			return &source.Error{Name: p.Source().File().Name, Code: "size-wanted",
				Msg: fmt.Sprintf("the size %s has no value: give it with --size %s=4", name, name)}
		}
		if least, declared := env.Mins[name]; declared && n < least {
			return usageError("--size: %s is at least %d, not %d", name, least, n)
		}
	}
	for _, as := range p.Source().Declarations().Assumes {
		if holds, err := as.Pred.Eval(point); err != nil || !holds {
			return source.Errorf(as.Span, "outside-domain", "the sizes given do not satisfy this assume")
		}
	}
	return nil
}

// dimsAt returns the dims of a declared tensor at a point.
func dimsAt(t domain.Tensor, point domain.Point) ([]int64, error) {
	dims := make([]int64, len(t.Dims))
	for i, d := range t.Dims {
		n, err := d.Eval(point)
		if err == nil && (n.Sign() < 0 || n.Cmp(big.NewInt(math.MaxInt64)) > 0) {
			err = fmt.Errorf("it is %s", n)
		}
		if err != nil {
			return nil, fmt.Errorf("dim %d of %s: %w", i, t.Name, err)
		}
		dims[i] = n.Int64()
	}
	return dims, nil
}

// fits tells whether a value has the shape and type of a declaration at a point, or says what is wrong.
func fits(v *casefile.Tensor, t domain.Tensor, point domain.Point) error {
	dims, err := dimsAt(t, point)
	if err != nil {
		return err
	}
	if !slices.Equal(dims, v.Shape) {
		return fmt.Errorf("%s is declared as %s, the value is %s",
			t.Name, casefile.ShapeString(dims), casefile.ShapeString(v.Shape))
	}
	if v.Type != t.Elem {
		return fmt.Errorf("%s is declared as %s, the value is %s", t.Name, t.Elem, v.Type)
	}
	return nil
}
