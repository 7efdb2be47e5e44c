package casefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"tv/equiv/sample"
	"tv/internal/source"
	"tv/semantics/domain"
)

// CodeTensor is the code of a file that does not hold a tensor.
const CodeTensor = "tensor-file"

// A Tensor is a tensor with its elements as decimal strings in the spelling of eval.ParseValue, by
// row-major offset. Its JSON is {"shape":[2,3],"type":"int8","data":["0","1",...]}; where almost all of
// very many elements are 0, {"shape":[4096,4096],"type":"int8","sparse":{"17":"1"}}.
type Tensor struct {
	Shape  []int64
	Type   domain.Elem
	Data   []string         // all elements, or nil where Sparse has them
	Sparse map[int64]string // the elements that are not 0
}

// denseElements is the number of elements up to which a sparse tensor is written out: a megabyte or so.
const denseElements = 1 << 18

// NewTensor returns the tensor of a counterexample.
func NewTensor(in sample.InputValue) Tensor {
	t := Tensor{Shape: in.Dims, Type: in.Elem}
	if n, err := Elements(in.Dims); err == nil && n <= denseElements {
		t.Data = in.Data()
	} else if t.Sparse = in.Sparse; t.Sparse == nil { // of zeros alone, which null would not say
		t.Sparse = map[int64]string{}
	}
	return t
}

// At returns the element at a row-major offset.
func (t *Tensor) At(offset int64) string {
	if t.Data != nil {
		return t.Data[offset]
	}
	if s, ok := t.Sparse[offset]; ok {
		return s
	}
	return "0"
}

// A scalar is an element in JSON: a string, or a number or truth value as people write them.
type scalar string

func (s *scalar) UnmarshalJSON(data []byte) error {
	switch {
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(s))
	case data[0] == '-' || '0' <= data[0] && data[0] <= '9':
		*s = scalar(data)
	case string(data) == "true":
		*s = "1"
	case string(data) == "false":
		*s = "0"
	default:
		return fmt.Errorf("an element is a number or a string, not %.20s", data)
	}
	return nil
}

// MarshalJSON writes the object that UnmarshalJSON reads, all elements as strings.
func (t Tensor) MarshalJSON() ([]byte, error) {
	shape := t.Shape
	if shape == nil {
		shape = []int64{} // of a scalar, not null
	}
	if t.Data == nil {
		return json.Marshal(struct {
			Shape  []int64          `json:"shape"`
			Type   string           `json:"type"`
			Sparse map[int64]string `json:"sparse"`
		}{shape, t.Type.String(), t.Sparse})
	}
	return json.Marshal(struct {
		Shape []int64  `json:"shape"`
		Type  string   `json:"type"`
		Data  []string `json:"data"`
	}{shape, t.Type.String(), t.Data})
}

// UnmarshalJSON reads a tensor object. The type may be left out and is float32 then.
func (t *Tensor) UnmarshalJSON(data []byte) error {
	j := struct {
		Shape  []int64          `json:"shape"`
		Type   string           `json:"type"`
		Data   []scalar         `json:"data"`
		Sparse map[int64]scalar `json:"sparse"`
	}{Type: domain.Float32.String()}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&j); err != nil {
		// The place in it would be one in data, not in the file.
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return errors.New(kindMessage(kind))
		}
		return err
	}
	elem, ok := domain.ParseElem(j.Type)
	if !ok {
		return fmt.Errorf("unknown element type %q", j.Type)
	}
	if j.Shape == nil || (j.Data == nil) == (j.Sparse == nil) {
		return errors.New(`a tensor is {"shape":[...],"type":"...","data":[...]}`)
	}
	n, err := Elements(j.Shape)
	if err != nil {
		return err
	}
	*t = Tensor{Shape: j.Shape, Type: elem}
	if j.Data != nil {
		if n != int64(len(j.Data)) {
			return fmt.Errorf("shape %s has %d elements, data has %d", ShapeString(j.Shape), n, len(j.Data))
		}
		t.Data = make([]string, n)
		for i, d := range j.Data {
			t.Data[i] = string(d)
		}
		return nil
	}
	t.Sparse = make(map[int64]string, len(j.Sparse))
	for at, d := range j.Sparse {
		if at < 0 || at >= n {
			return fmt.Errorf("shape %s has no element at offset %d", ShapeString(j.Shape), at)
		}
		t.Sparse[at] = string(d)
	}
	return nil
}

// Elements returns the number of elements of a tensor, which must fit.
func Elements(shape []int64) (int64, error) {
	n := int64(1)
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("a dim is negative: %d", d)
		}
		if d == 0 {
			return 0, nil
		}
		if n > (1<<62)/d {
			return 0, fmt.Errorf("shape %s has too many elements", ShapeString(shape))
		}
		n *= d
	}
	return n, nil
}

// ShapeString prints a shape as --input takes it: "2x3"; "scalar" for no dims.
func ShapeString(shape []int64) string {
	if len(shape) == 0 {
		return "scalar"
	}
	parts := make([]string, len(shape))
	for i, d := range shape {
		parts[i] = fmt.Sprint(d)
	}
	return strings.Join(parts, "x")
}

// ReadTensor reads a tensor from the content of a file: .npy, or the array of a name in .npz, where it starts like one,
// else JSON. Errors: a *source.Error with code tensor-file.
func ReadTensor(name string, data []byte, array string) (*Tensor, error) {
	var t *Tensor
	var err error
	of := ".npy"
	switch {
	case bytes.HasPrefix(data, []byte(npyMagic)):
		t, err = readNPY(data)
	case bytes.HasPrefix(data, []byte(zipMagic)), bytes.HasPrefix(data, []byte(zipNothing)):
		of = ".npz"
		t, err = readNPZ(data, array)
	default:
		return readJSONTensor(name, data)
	}
	if err != nil {
		return nil, &source.Error{Name: name, Code: CodeTensor, Msg: "not a readable " + of + ": " + err.Error(), Err: err}
	}
	return t, nil
}

func readJSONTensor(name string, data []byte) (*Tensor, error) {
	f := source.NewFile(name, string(data))
	t := new(Tensor)
	if err := decodeJSON(f, t, CodeTensor); err != nil {
		return nil, err
	}
	return t, nil
}

// decodeJSON reads the one JSON value that f holds into v. Errors carry the place in f.
func decodeJSON(f *source.File, v any, code string) error {
	dec := json.NewDecoder(strings.NewReader(f.Text))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		start := int(dec.InputOffset())
		if rest := strings.TrimLeft(f.Text[start:], " \t\r\n"); rest != "" {
			at := len(f.Text) - len(rest)
			return source.Errorf(source.Span{File: f, Start: at, End: at + 1}, code, "text after the JSON value")
		}
		return nil
	}
	return jsonError(f, err, code)
}

// jsonError places an error of decoding f: where the decoder says, else at the start of the value.
func jsonError(f *source.File, err error, code string) error {
	at := len(f.Text) - len(strings.TrimLeft(f.Text, " \t\r\n"))
	msg := strings.TrimPrefix(err.Error(), "json: ") // of JSON that is well formed and says something else
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at, msg = max(int(syntax.Offset)-1, 0), "invalid JSON: "+msg
	case errors.As(err, &kind):
		at = max(int(kind.Offset)-1, 0)
		msg = kindMessage(kind)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		at, msg = len(f.Text), "invalid JSON: ends in the middle"
	}
	return &source.Error{
		Span: source.Span{File: f, Start: at, End: min(at+1, len(f.Text))},
		Code: code, Msg: msg, Err: err,
	}
}

func kindMessage(err *json.UnmarshalTypeError) string {
	if err.Field == "" {
		return "an object is wanted, found " + err.Value
	}
	return fmt.Sprintf("%q cannot be a %s", err.Field, err.Value)
}

// String returns the elements on one line: "[[1 2] [3 4]]", a scalar as itself.
func (t *Tensor) String() string { return t.nested(0, 0, " ") }

// Rows returns the elements with one row of the last axis a line.
func (t *Tensor) Rows() string { return t.nested(0, 0, "\n") }

// nested prints the part of the tensor under the given axis that starts at offset; sep stands between rows.
func (t *Tensor) nested(axis int, offset int64, sep string) string {
	if axis == len(t.Shape) {
		return t.At(offset)
	}
	stride := int64(1)
	for _, d := range t.Shape[axis+1:] {
		stride *= d
	}
	between := sep
	if axis == len(t.Shape)-1 {
		between = " "
	} else if sep == "\n" {
		between += strings.Repeat(" ", axis+1)
	}
	var b strings.Builder
	b.WriteByte('[')
	for i := range t.Shape[axis] {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(t.nested(axis+1, offset+i*stride, sep))
	}
	b.WriteByte(']')
	return b.String()
}
