package casefile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"tv/semantics/domain"
)

// npyAlign is what the length of magic, version and header together is a multiple of, so that elements can be mapped to memory.
const npyAlign = 64

// NPY returns the tensor as a .npy file of format version 1.0, little-endian, in C order.
// Errors: an element type that NumPy has not, and elements that the type has not, as a third or one without a value.
func (t *Tensor) NPY() ([]byte, error) {
	kind := ""
	for k, elem := range npyKinds {
		if elem == t.Type {
			kind = k
		}
	}
	order := "<"
	switch {
	case kind == "":
		return nil, fmt.Errorf("NumPy has no elements of type %s", t.Type)
	case kind[0] == 'V' || strings.HasSuffix(kind, "1"):
		order = "|" // a single byte has no order, and raw data none that NumPy knows of
	}
	n, err := Elements(t.Shape)
	if err != nil {
		return nil, err
	}
	shape := ""
	for _, d := range t.Shape {
		shape += fmt.Sprintf("%d, ", d)
	}
	if len(t.Shape) != 1 {
		shape = strings.TrimSuffix(shape, ", ") // a tuple of one ends in a comma
	}
	header := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, kind, strings.TrimSuffix(shape, " "))
	const fixed = len(npyMagic) + 4
	header += strings.Repeat(" ", npyAlign-1-(fixed+len(header))%npyAlign) + "\n"
	b := bytes.NewBufferString(npyMagic + "\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) // a header of 64 kB would have thousands of dims
	b.WriteString(header)
	var word [8]byte
	for i := range n {
		bits, ok := npyBits(t.Type, t.At(i))
		if !ok {
			return nil, fmt.Errorf("element %d is %s, which %s has not", i, t.At(i), t.Type)
		}
		binary.LittleEndian.PutUint64(word[:], bits)
		b.Write(word[:max(t.Type.Width/8, 1)])
	}
	return b.Bytes(), nil
}

// An Array is a tensor of an archive.
type Array struct {
	Name   string
	Tensor *Tensor
}

// NPZ returns arrays as an archive of numpy.savez. Errors: those of NPY, with the name of the array.
func NPZ(arrays []Array) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, a := range arrays {
		data, err := a.Tensor.NPY()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		// Output is deterministic: members have the time that numpy.savez gives them.
		member, err := w.CreateHeader(&zip.FileHeader{Name: a.Name + npyEnding, Method: zip.Deflate,
			Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return nil, err
		}
		if _, err := member.Write(data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// npyBits returns the bits of an element; ok is false unless the type has the number itself.
func npyBits(t domain.Elem, s string) (bits uint64, ok bool) {
	if t.Kind != domain.ElemFloat {
		x, ok := new(big.Int).SetString(s, 10)
		switch {
		case !ok:
			return 0, false
		case t.Kind == domain.ElemInt && x.IsInt64():
			v, shift := x.Int64(), 64-t.Width
			return uint64(v), v<<shift>>shift == v
		case t.Kind != domain.ElemInt && x.IsUint64():
			return x.Uint64(), t.Width == 64 || x.Uint64()>>t.Width == 0
		}
		return 0, false
	}
	x, ok := float64Of(s)
	switch {
	case !ok:
		return 0, false
	case t == domain.BFloat16:
		bits = uint64(math.Float32bits(float32(x)))
		ok, bits = bits&0xffff == 0 || math.IsNaN(x), bits>>16
		return bits, ok && (float64(float32(x)) == x || math.IsNaN(x))
	case t.Width == 16:
		return halfBits(x)
	case t.Width == 32:
		return uint64(math.Float32bits(float32(x))), float64(float32(x)) == x || math.IsNaN(x)
	}
	return math.Float64bits(x), true
}

// float64Of reads a number as tensors spell it, if a float64 is that number.
func float64Of(s string) (x float64, ok bool) {
	switch s {
	case "nan":
		return math.NaN(), true
	case "inf":
		return math.Inf(1), true
	case "-inf":
		return math.Inf(-1), true
	case "-0":
		return math.Copysign(0, -1), true
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return 0, false
	}
	return r.Float64()
}

// halfBits encodes binary16; ok is false for numbers between two of it, or beyond.
func halfBits(x float64) (bits uint64, ok bool) {
	if math.Signbit(x) {
		bits = 0x8000
	}
	switch {
	case math.IsNaN(x):
		return 0x7e00, true
	case math.IsInf(x, 0):
		return bits | 0x7c00, true
	case x == 0:
		return bits, true
	}
	_, exp := math.Frexp(x)                 // |x| is in [2^(exp-1), 2^exp)
	exp = max(exp-1, -14)                   // subnormals have the least exponent
	unit := math.Ldexp(math.Abs(x), 10-exp) // in units of the last place
	if unit != math.Trunc(unit) || exp > 15 {
		return 0, false
	}
	if unit < 1024 {
		return bits | uint64(unit), true // subnormal: no leading one
	}
	return bits | uint64(exp+15)<<10 | (uint64(unit) - 1024), true
}
