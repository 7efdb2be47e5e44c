package yosys

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"tv/internal/source"
)

type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
)

// A value of JSON, with its place.
type value struct {
	kind   kind
	text   string // of a text, a number or a boolean
	list   []*value
	fields []field
	span   source.Span
}

type field struct {
	name  string
	value *value
}

func (v *value) errorf(code, format string, args ...any) error {
	return source.Errorf(v.span, code, format, args...)
}

// get is a field of an object, or nil.
func (v *value) get(name string) *value {
	for _, f := range v.fields {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// net is the number of a net.
func (v *value) net() (int, bool) {
	n, err := strconv.Atoi(v.text)
	return n, v.kind == number && err == nil && n >= 2
}

// maxNesting bounds how deep values nest.
const maxNesting = 64

func readJSON(f *source.File) (*value, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(f.Text)))
	d.UseNumber()
	v, err := next(f, d, 0)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more behind the value")
		}
	}
	var placed *source.Error
	if errors.As(err, &placed) {
		return nil, err
	}
	if err != nil {
		at := min(int(d.InputOffset()), len(f.Text))
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the text ends within a value")
		}
		return nil, source.Errorf(source.Span{File: f, Start: at, End: at}, "syntax", "%s", err.Error())
	}
	return v, nil
}

func next(f *source.File, d *json.Decoder, depth int) (*value, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	end := int(d.InputOffset())
	v := &value{}
	switch t := t.(type) {
	case json.Delim:
		v.span = source.Span{File: f, Start: end - 1, End: end}
		if depth > maxNesting {
			return nil, v.errorf("unsupported", "values nest deeper than %d", maxNesting)
		}
		v.kind = array
		if t == '{' {
			v.kind = object
		}
		var seen map[string]bool
		for d.More() {
			name := ""
			if v.kind == object {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				name = key.(string)
			}
			x, err := next(f, d, depth+1)
			if err != nil {
				return nil, err
			}
			if v.kind == array {
				v.list = append(v.list, x)
				continue
			}
			if seen == nil {
				seen = map[string]bool{}
			}
			if seen[name] {
				return nil, x.errorf("syntax", "the field %q is there twice", name)
			}
			seen[name] = true
			v.fields = append(v.fields, field{name, x})
		}
		_, err := d.Token()
		return v, err
	case string:
		v.kind, v.text = text, t
		v.span = source.Span{File: f, Start: max(0, end-len(t)-2), End: end} // escapes make it longer; the end is right
		return v, nil
	case json.Number:
		v.kind, v.text = number, t.String()
	case bool:
		v.kind, v.text = boolean, strconv.FormatBool(t)
	}
	v.span = source.Span{File: f, Start: max(0, end-len(v.text)), End: end}
	return v, nil
}
