package glenside

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

// MergeEnv unites the declarations of programs that are compared, the first of which is BEFORE, with those from outside
// (see ParseShapes and ParseInputFlag), as Merge does. With no declaration anywhere Infer may find the tensors.
func MergeEnv(programs []*Program, outside ...domain.Input) (*domain.Env, error) {
	list := make([]domain.Declarations, len(programs))
	for i, p := range programs {
		list[i] = p.Declarations()
	}
	return domain.Merge(list, outside...)
}

// Declarations returns what the text says of tensors and sizes.
func (p *Program) Declarations() domain.Declarations {
	d := domain.Declarations{Inputs: p.Inputs, Assumes: p.Assumes}
	seen := map[string]bool{}
	for _, n := range p.Nodes {
		if n.Kind != KindInt {
			continue
		}
		if _, number := n.Int.Int64(); number && n.Text == "" {
			continue
		}
		for _, name := range p.sizeNames(n) {
			if !seen[name] {
				seen[name] = true
				d.Sizes = append(d.Sizes, domain.SizeUse{Name: name, Span: p.Span(n)})
			}
		}
	}
	return d
}

// sizeNames returns the names of the size n, sorted, those of the divisors that its normal form has lost included.
func (p *Program) sizeNames(n *Node) []string {
	names := n.Int.Names()
	for _, d := range p.lost[n] {
		names = append(names, d.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ParseInputFlag reads a declaration as the command line has it: NAME=32x32:int8, or NAME=N*K:int8 where sizes have names. The
// type may be left out and is then float32; a scalar is NAME=:int8. Errors: source.Errors with code bad-input.
func ParseInputFlag(flag string) (domain.Input, error) {
	f := source.NewFile("--input", flag)
	fail := func(start int, format string, args ...any) (domain.Input, error) {
		return domain.Input{}, source.Errors{source.Errorf(source.Span{File: f, Start: start, End: len(flag)},
			"bad-input", format, args...)}
	}
	equals := strings.LastIndexByte(flag, '=')
	if equals <= 0 {
		return fail(0, "an input is NAME=32x32:int8, got %q", flag)
	}
	in := domain.Input{Name: flag[:equals], Elem: domain.Float32, Span: source.Span{File: f, End: len(flag)}}
	if newWord(in.Name, 0).reserved() {
		return fail(0, "%s cannot be the name of a tensor", in.Name)
	}
	dims, typ, typed := strings.Cut(flag[equals+1:], ":")
	if typed {
		t, ok := domain.ParseElem(typ)
		if !ok {
			return fail(len(flag)-len(typ), "%s", notElemType(typ))
		}
		in.Elem = t
	}
	if dims == "" {
		if !typed {
			return fail(equals, "%s has no dims; a scalar is %s=:float32", in.Name, in.Name)
		}
		return in, nil
	}
	list, at, ok := extents(dims)
	if !ok {
		return fail(equals+1+at, "a dim is a number, or made of names of sizes by + - *, got %q", dims[at:])
	}
	in.Dims = list
	return in, nil
}

// ParseShapes reads the declarations of a JSON file, in its order: {"A":[32,32]} or
// {"A":{"shape":[32,"K"],"type":"int8"}}, where a string is the name of a size. The text is that of the
// file. Errors: source.Errors with code bad-shapes or duplicate-input.
func ParseShapes(name string, text []byte) ([]domain.Input, error) {
	r := shapesReader{file: source.NewFile(name, string(text)), dec: json.NewDecoder(bytes.NewReader(text))}
	r.dec.UseNumber()
	list, err := r.inputs()
	if err != nil {
		return nil, source.Errors{err}
	}
	return list, nil
}

// A shapesReader reads JSON token by token, for the positions and to see names that are there twice.
type shapesReader struct {
	file  *source.File
	dec   *json.Decoder
	start int64 // of the last token
}

func (r *shapesReader) errorf(code, format string, args ...any) *source.Error {
	span := source.Span{File: r.file, Start: int(r.start), End: int(max(r.start, r.dec.InputOffset()))}
	return source.Errorf(span, code, format, args...)
}

// token returns the next token; at the end of the file it is nil.
func (r *shapesReader) token() (json.Token, *source.Error) {
	r.start = r.dec.InputOffset()
	for r.start < int64(len(r.file.Text)) && strings.IndexByte(" \t\r\n,:", r.file.Text[r.start]) >= 0 {
		r.start++
	}
	t, err := r.dec.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case errors.As(err, &syntax):
		r.start = max(r.start, syntax.Offset-1)
		return nil, r.errorf("bad-shapes", "%v", err)
	case err != nil:
		return nil, r.errorf("bad-shapes", "%v", err)
	}
	return t, nil
}

// want reads a delimiter.
func (r *shapesReader) want(d json.Delim, what string) *source.Error {
	t, err := r.token()
	if err == nil && t != d {
		err = r.errorf("bad-shapes", "%s", what)
	}
	return err
}

// inputs reads the whole file.
func (r *shapesReader) inputs() ([]domain.Input, *source.Error) {
	if err := r.want('{', "a shapes file is an object of shapes by tensor name"); err != nil {
		return nil, err
	}
	var list []domain.Input
	declared := map[string]bool{}
	for r.dec.More() {
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		if declared[name] {
			return nil, r.errorf("duplicate-input", "%s is declared twice", name)
		}
		declared[name] = true
		in := domain.Input{Name: name, Elem: domain.Float32}
		start := int(r.start)
		if err := r.input(&in); err != nil {
			return nil, err
		}
		in.Span = source.Span{File: r.file, Start: start, End: int(r.dec.InputOffset())}
		list = append(list, in)
	}
	if err := r.want('}', "the object is not closed"); err != nil {
		return nil, err
	}
	if t, err := r.token(); err != nil || t != nil {
		return nil, r.errorf("bad-shapes", "text after the end of the object")
	}
	return list, nil
}

func (r *shapesReader) name() (string, *source.Error) {
	t, err := r.token()
	if err != nil {
		return "", err
	}
	name, ok := t.(string)
	if !ok {
		return "", r.errorf("bad-shapes", "the object is not closed")
	}
	return name, nil
}

// input reads a shape, or an object of shape and type.
func (r *shapesReader) input(in *domain.Input) *source.Error {
	const usage = `a declaration is [32,"N"] or {"shape":[32,"N"],"type":"int8"}`
	t, err := r.token()
	switch {
	case err != nil:
		return err
	case t == json.Delim('['):
		return r.dims(in)
	case t != json.Delim('{'):
		return r.errorf("bad-shapes", usage)
	}
	seen := map[string]bool{}
	for r.dec.More() {
		key, err := r.name()
		if err != nil {
			return err
		}
		if seen[key] {
			return r.errorf("bad-shapes", "%s is there twice", key)
		}
		seen[key] = true
		switch key {
		case "shape":
			if err = r.want('[', "a shape is a list"); err == nil {
				err = r.dims(in)
			}
		case "type":
			err = r.elem(in)
		default:
			err = r.errorf("bad-shapes", usage)
		}
		if err != nil {
			return err
		}
	}
	if !seen["shape"] {
		return r.errorf("bad-shapes", usage)
	}
	return r.want('}', "the object is not closed")
}

func (r *shapesReader) elem(in *domain.Input) *source.Error {
	t, err := r.token()
	if err != nil {
		return err
	}
	s, ok := t.(string)
	if !ok {
		return r.errorf("bad-shapes", "an element type is a string, not %v", t)
	}
	elem, ok := domain.ParseElem(s)
	if !ok {
		return r.errorf("bad-shapes", "%s", notElemType(s))
	}
	in.Elem = elem
	return nil
}

// dims reads the dims of a shape and its closing bracket.
func (r *shapesReader) dims(in *domain.Input) *source.Error {
	for {
		t, err := r.token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case json.Number:
			size, ok := decimalSize(t.String())
			if !ok || size.Sign() < 0 {
				return r.errorf("bad-shapes", "a dim is a natural number or the name of a size, got %s", t)
			}
			in.Dims = append(in.Dims, domain.Dim{Size: size})
		case string:
			if w := newWord(t, 0); w.reserved() || w.sizeOp != 0 || t == "" {
				return r.errorf("bad-shapes", "%q cannot be the name of a size", t)
			}
			in.Dims = append(in.Dims, domain.Dim{Size: domain.NamedSize(t), Min: 1})
		default:
			if t == json.Delim(']') {
				return nil
			}
			return r.errorf("bad-shapes", "a dim is a natural number or the name of a size")
		}
	}
}
