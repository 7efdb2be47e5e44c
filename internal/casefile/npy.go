package casefile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tv/semantics/domain"
)

// The format of NumPy's .npy files: magic, version, length of the header, header (a Python dictionary
// with the keys descr, fortran_order and shape), elements.
// Source: numpy.lib.format, versions 1.0 to 3.0.
const npyMagic = "\x93NUMPY"

// What the header says of an array. Few runs read one, so nothing is compiled before.
var npyDescr, npyFortran, npyShape = matcher(`'descr':\s*'([<>|=]?)([a-zV])(\d+)'`),
	matcher(`'fortran_order':\s*(True|False)`), matcher(`'shape':\s*\(([0-9, ]*)\)`)

func matcher(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// npyKinds gives the element type of a kind and width in bytes.
var npyKinds = map[string]domain.Elem{
	"f2": {Kind: domain.ElemFloat, Width: 16},
	"f4": {Kind: domain.ElemFloat, Width: 32},
	"f8": {Kind: domain.ElemFloat, Width: 64},
	"i1": {Kind: domain.ElemInt, Width: 8},
	"i2": {Kind: domain.ElemInt, Width: 16},
	"i4": {Kind: domain.ElemInt, Width: 32},
	"i8": {Kind: domain.ElemInt, Width: 64},
	"u1": {Kind: domain.ElemUint, Width: 8},
	"u2": {Kind: domain.ElemUint, Width: 16},
	"u4": {Kind: domain.ElemUint, Width: 32},
	"u8": {Kind: domain.ElemUint, Width: 64},
	"b1": {Kind: domain.ElemBool, Width: 1},
	"V2": domain.BFloat16, // NumPy has none: its extensions write the two bytes as they are, as raw data
}

// The archives of numpy.savez: zip files with a member NAME.npy for each array.
const (
	zipMagic   = "PK\x03\x04"
	zipNothing = "PK\x05\x06" // an archive without members
	npyEnding  = ".npy"
)

// maxMember is the most bytes of a member of an archive that are unpacked: a few thousand bytes may claim to be terabytes.
const maxMember = 1 << 30

// readNPZ reads the array of a name from an archive.
func readNPZ(data []byte, array string) (*Tensor, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range archive.File {
		name, ok := strings.CutSuffix(f.Name, npyEnding)
		if !ok {
			continue
		}
		if names = append(names, name); name != array {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		member, err := io.ReadAll(io.LimitReader(r, maxMember+1))
		if err != nil {
			return nil, err
		}
		if len(member) > maxMember {
			return nil, fmt.Errorf("the array %s has more than %d bytes", array, maxMember)
		}
		return readNPY(member)
	}
	return nil, fmt.Errorf("there is no array %q in it, only %q", array, names)
}

// readNPY reads arrays of the types above, in either order of bytes and of axes.
func readNPY(data []byte) (*Tensor, error) {
	header, body, err := npyHeader(data)
	if err != nil {
		return nil, err
	}
	descr := npyDescr().FindStringSubmatch(header)
	fortran := npyFortran().FindStringSubmatch(header)
	shape := npyShape().FindStringSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return nil, errors.New("the header does not give descr, fortran_order and shape of a plain array")
	}
	elem, ok := npyKinds[descr[2]+descr[3]]
	if !ok {
		return nil, fmt.Errorf("elements of type %s are not supported", descr[1]+descr[2]+descr[3])
	}
	width := 1
	if elem.Kind != domain.ElemBool {
		width = elem.Width / 8
	}
	t := &Tensor{Shape: []int64{}, Type: elem}
	for _, field := range strings.Split(shape[1], ",") {
		if field = strings.TrimSpace(field); field == "" {
			continue // a tuple may end in a comma
		}
		d, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("dim %s is too large", field)
		}
		t.Shape = append(t.Shape, d)
	}
	n, err := Elements(t.Shape)
	if err != nil {
		return nil, err
	}
	if n != int64(len(body)/width) || len(body)%width != 0 {
		return nil, fmt.Errorf("%s of %s wants %d elements of %d bytes, the file has %d bytes",
			ShapeString(t.Shape), elem, n, width, len(body))
	}
	t.Data = make([]string, n)
	index := make([]int64, len(t.Shape))
	for i := range t.Data {
		from := i
		if fortran[1] == "True" {
			from = int(fortranOffset(index, t.Shape))
			Increment(index, t.Shape)
		}
		b := body[from*width : (from+1)*width]
		if descr[1] == ">" {
			b = slices.Clone(b)
			slices.Reverse(b)
		}
		if t.Data[i], err = npyElement(elem, b); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// fortranOffset is the offset of an element where the first axis changes fastest.
func fortranOffset(index, shape []int64) (offset int64) {
	for axis := len(index) - 1; axis >= 0; axis-- {
		offset = offset*shape[axis] + index[axis]
	}
	return offset
}

// Increment moves an index to the next element in row-major order; behind the last comes the first.
func Increment(index, shape []int64) {
	for axis := len(index) - 1; axis >= 0; axis-- {
		if index[axis]++; index[axis] < shape[axis] {
			return
		}
		index[axis] = 0
	}
}

func npyHeader(data []byte) (header string, body []byte, err error) {
	const fixed = len(npyMagic) + 2
	if len(data) < fixed+4 {
		return "", nil, errors.New("shorter than a header")
	}
	var start, length int
	switch major := data[len(npyMagic)]; major {
	case 1:
		start, length = fixed+2, int(binary.LittleEndian.Uint16(data[fixed:]))
	case 2, 3:
		start, length = fixed+4, int(binary.LittleEndian.Uint32(data[fixed:]))
	default:
		return "", nil, fmt.Errorf("format version %d is not supported", major)
	}
	if length > len(data)-start {
		return "", nil, errors.New("shorter than its header says")
	}
	return string(data[start : start+length]), data[start+length:], nil
}

func npyElement(t domain.Elem, b []byte) (string, error) {
	var bits uint64
	for i, x := range b {
		bits |= uint64(x) << (8 * i)
	}
	switch t.Kind {
	case domain.ElemBool:
		if bits > 1 {
			return "", fmt.Errorf("a truth value is %d", bits)
		}
		return strconv.FormatUint(bits, 10), nil
	case domain.ElemUint:
		return strconv.FormatUint(bits, 10), nil
	case domain.ElemInt:
		shift := 64 - t.Width
		return strconv.FormatInt(int64(bits<<shift)>>shift, 10), nil
	}
	switch {
	case t == domain.BFloat16:
		return floatString(float64(math.Float32frombits(uint32(bits) << 16))), nil
	case t.Width == 16:
		return floatString(halfFloat(uint16(bits))), nil
	case t.Width == 32:
		return floatString(float64(math.Float32frombits(uint32(bits)))), nil
	default:
		return floatString(math.Float64frombits(bits)), nil
	}
}

// halfFloat decodes binary16.
func halfFloat(bits uint16) float64 {
	sign, exp, frac := 1.0, int(bits>>10&0x1f), float64(bits&0x3ff)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exp {
	case 0:
		return math.Copysign(math.Ldexp(frac, -24), sign)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// floatString prints x without loss in any arithmetic: the shortest decimal is a different real number
// unless it happens to be x, so most fractions are hexadecimal.
func floatString(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	short := strconv.FormatFloat(x, 'f', -1, 64)
	if r, ok := new(big.Rat).SetString(short); ok && len(short) < 20 {
		if same, exact := r.Float64(); exact && same == x {
			return short
		}
	}
	return strconv.FormatFloat(x, 'x', -1, 64)
}
