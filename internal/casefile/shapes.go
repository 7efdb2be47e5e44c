package casefile

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tv/equiv"
	"tv/glenside"
	"tv/internal/source"
)

// The codes of declarations that cannot be read.
const (
	CodeShapes = "shapes-file"
	CodeInput  = "input-flag"
)

// Shapes reads declarations in Glenside's own JSON, {"A":[32,32]}, or with element types and named
// sizes, {"A":{"shape":[32,"K"],"type":"int8"}}, in the order of the file.
// Errors: a *source.Error with code shapes-file.
func Shapes(f *source.File) ([]equiv.Declaration, error) {
	r := &shapesReader{file: f, dec: json.NewDecoder(strings.NewReader(f.Text))}
	r.dec.UseNumber()
	if err := r.expect(json.Delim('{'), "an object of shapes"); err != nil {
		return nil, err
	}
	var list []equiv.Declaration
	seen := map[string]bool{}
	for r.dec.More() {
		name, err := r.key()
		if err != nil {
			return nil, err
		}
		d := equiv.Declaration{Origin: f.Name, Weak: true}
		d.Name, d.Span, d.Elem = name, r.last, glenside.Float32
		if seen[name] {
			return nil, r.errorf("%s is declared twice", name)
		}
		seen[name] = true
		if err := r.declaration(&d.Input); err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	if err := r.expect(json.Delim('}'), "the end of the object"); err != nil {
		return nil, err
	}
	if rest := strings.TrimSpace(f.Text[r.dec.InputOffset():]); rest != "" {
		at := len(strings.TrimRight(f.Text, " \t\r\n")) - len(rest)
		return nil, source.Errorf(source.Span{File: f, Start: at, End: at + 1}, CodeShapes, "text after the JSON value")
	}
	return list, nil
}

// A shapesReader reads tokens and remembers the place of the last one.
type shapesReader struct {
	file *source.File
	dec  *json.Decoder
	last source.Span
}

func (r *shapesReader) token() (json.Token, error) {
	start := int(r.dec.InputOffset())
	tok, err := r.dec.Token()
	if err != nil {
		return nil, jsonError(r.file, err, CodeShapes)
	}
	end := int(r.dec.InputOffset())
	for start < end && strings.IndexByte(" \t\r\n,:", r.file.Text[start]) >= 0 {
		start++
	}
	r.last = source.Span{File: r.file, Start: start, End: end}
	return tok, nil
}

func (r *shapesReader) errorf(format string, args ...any) error {
	return source.Errorf(r.last, CodeShapes, format, args...)
}

func (r *shapesReader) expect(want json.Token, what string) error {
	tok, err := r.token()
	if err == nil && tok != want {
		err = r.errorf("%s is wanted here", what)
	}
	return err
}

func (r *shapesReader) key() (string, error) {
	tok, err := r.token()
	if err != nil {
		return "", err
	}
	return tok.(string), nil // the decoder takes nothing else here
}

// declaration reads a list of dims, or an object with shape and type.
func (r *shapesReader) declaration(in *glenside.Input) error {
	tok, err := r.token()
	if err != nil {
		return err
	}
	switch tok {
	case json.Delim('['):
		return r.dims(in)
	case json.Delim('{'):
	default:
		return r.errorf(`a shape is [32,32] or {"shape":[32,32],"type":"int8"}`)
	}
	shaped := false
	for r.dec.More() {
		key, err := r.key()
		if err != nil {
			return err
		}
		switch key {
		case "shape":
			shaped = true
			if err := r.expect(json.Delim('['), "a list of dims"); err != nil {
				return err
			}
			if err := r.dims(in); err != nil {
				return err
			}
		case "type":
			tok, err := r.token()
			if err != nil {
				return err
			}
			name, ok := tok.(string)
			if ok {
				in.Elem, ok = glenside.ParseElemType(name)
			}
			if !ok {
				return r.errorf("%v is no element type", tok)
			}
		default:
			return r.errorf("unknown key %q: shape and type are known", key)
		}
	}
	if err := r.expect(json.Delim('}'), "the end of the object"); err != nil {
		return err
	}
	if !shaped {
		return source.Errorf(in.Span, CodeShapes, "%s has no shape", in.Name)
	}
	return nil
}

// dims reads the rest of a list of dims.
func (r *shapesReader) dims(in *glenside.Input) error {
	in.Dims = nil
	for r.dec.More() {
		tok, err := r.token()
		if err != nil {
			return err
		}
		switch tok := tok.(type) {
		case json.Number:
			n, err := strconv.ParseInt(tok.String(), 10, 64)
			if err != nil || n < 0 {
				return r.errorf("a dim is a whole number from 0 to %d, or a name, not %s", int64(math.MaxInt64), tok)
			}
			in.Dims = append(in.Dims, glenside.Dim{Size: glenside.IntSize(n)})
		case string:
			if !isSizeName(tok) {
				return r.errorf("%q cannot name a size", tok)
			}
			in.Dims = append(in.Dims, glenside.Dim{Size: glenside.NamedSize(tok), Min: 1})
		default:
			return r.errorf("a dim is a number or a name")
		}
	}
	return r.expect(json.Delim(']'), "the end of the list")
}

// isSizeName tells whether a program could write s for a size: an atom that is not a number.
func isSizeName(s string) bool {
	if s == "" || strings.ContainsAny(s, " \t\r\n()\";") {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err != nil
}

// Input reads the value of --input: NAME=32x32:int8, a scalar as NAME=:int8; the type may be left out
// and is float32 then.
// Errors: a *source.Error with code input-flag and a place in the value.
func Input(value string) (equiv.Declaration, error) {
	f := source.NewFile("--input", value)
	fail := func(start, end int, format string, args ...any) (equiv.Declaration, error) {
		return equiv.Declaration{}, source.Errorf(source.Span{File: f, Start: start, End: end}, CodeInput, format, args...)
	}
	eq := strings.LastIndexByte(value, '=')
	if eq <= 0 {
		return fail(0, len(value), "NAME=DIMxDIM:TYPE is wanted, such as A=32x64:int8, not %q", value)
	}
	d := equiv.Declaration{Origin: f.Name}
	d.Name, d.Elem = value[:eq], glenside.Float32
	d.Span = source.Span{File: f, End: len(value)}
	dims, typ, typed := strings.Cut(value[eq+1:], ":")
	if typed {
		var ok bool
		if d.Elem, ok = glenside.ParseElemType(typ); !ok {
			return fail(len(value)-len(typ), len(value), "%q is no element type", typ)
		}
	}
	if dims == "" {
		if !typed {
			return fail(eq, len(value), "a scalar is written %s=:float32", d.Name)
		}
		return d, nil
	}
	at := eq + 1
	for _, dim := range strings.Split(dims, "x") {
		n, err := strconv.ParseUint(dim, 10, 63)
		if err != nil {
			return fail(at, at+len(dim), "dim %s", dimProblem(dim, err))
		}
		d.Dims = append(d.Dims, glenside.Dim{Size: glenside.IntSize(int64(n))})
		at += len(dim) + 1
	}
	return d, nil
}

func dimProblem(dim string, err error) string {
	switch {
	case dim == "":
		return "is missing"
	case strings.Contains(err.Error(), strconv.ErrRange.Error()):
		return fmt.Sprintf("%s is larger than %d", dim, int64(math.MaxInt64))
	}
	return fmt.Sprintf("%q is not a whole number", dim)
}
