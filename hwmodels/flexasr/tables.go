package flexasr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
)

// Pieces are lines y = m·f + c, one for each interval of the argument, f being where in the interval it lies, 0 to 1.
type Pieces struct{ Slopes, Intercepts []int64 }

// Tables are those by which the machine computes its functions. Units are 1/1024, of InverseRoot 1/4096.
type Tables struct {
	Release string // whose they are
	Sigmoid Pieces // 8, of 5/8 each from 0 on
	Tanh    Pieces // 12, of 1/4 each from 0 on
	// InverseRoot has 8 pieces of 1/16 each from 1/2 on.
	InverseRoot Pieces
	Exp2        Pieces // 4, of 1/4 each from 0 on: of 2 to the power of a fraction
}

// PublicTables are those of the public releases of ac_math. Which release the chip was made with is not known.
func PublicTables() *Tables {
	return &Tables{
		Release: "ac_math, public releases",
		Sigmoid: Pieces{[]int64{155, 130, 92, 58, 34, 19, 10, 6}, []int64{513, 668, 798, 890, 948, 982, 1001, 1012}},
		Tanh: Pieces{[]int64{251, 224, 177, 129, 88, 57, 37, 23, 14, 9, 5, 3},
			[]int64{1, 252, 476, 653, 783, 871, 928, 965, 988, 1002, 1011, 1016}},
		InverseRoot: Pieces{[]int64{-331, -279, -240, -210, -185, -165, -148, -134},
			[]int64{5789, 5458, 5178, 4938, 4728, 4543, 4378, 4229}},
		Exp2: Pieces{[]int64{194, 230, 273, 325}, []int64{1022, 1216, 1446, 1719}},
	}
}

// CodeTables is the code of tables that the machine cannot take.
const CodeTables = "machine-tables"

// A table is one of Tables by the name that files have for it, and how many entries it has.
type table struct {
	name   string
	pieces *Pieces
	size   int
}

func (t *Tables) named() []table {
	return []table{{"sigmoid", &t.Sigmoid, 8}, {"tanh", &t.Tanh, 12}, {"inverse-root", &t.InverseRoot, 8}, {"exp2", &t.Exp2, 4}}
}

// ReadTables reads tables from a file: "release" and whose they are, then for each of sigmoid, tanh, inverse-root and exp2 a
// line "NAME slopes" and a line "NAME intercepts" with as many numbers as the table has entries; "#" begins a comment. An error
// names the line: a table that is missing, is there twice or has a wrong number of entries, an entry beyond 15 bits.
func ReadTables(file *source.File) (*Tables, error) {
	t := &Tables{}
	start, end := 0, 0 // of the line at hand
	fail := func(format string, args ...any) error {
		return &source.Error{Span: source.Span{File: file, Start: start, End: end}, Code: CodeTables, Msg: fmt.Sprintf(format, args...)}
	}
	for line := range strings.Lines(file.Text) {
		start, end = end, end+len(line)
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			continue
		case words[0] == "release" && len(words) > 1 && t.Release == "":
			t.Release = strings.Join(words[1:], " ")
			continue
		case len(words) < 2 || words[1] != "slopes" && words[1] != "intercepts":
			return nil, fail("a line is release TEXT, once, or NAME slopes|intercepts and numbers, not %q", strings.Join(words, " "))
		}
		known := t.named()
		i := slices.IndexFunc(known, func(k table) bool { return k.name == words[0] })
		if i < 0 {
			return nil, fail("there is no table %q; there are sigmoid, tanh, inverse-root and exp2", words[0])
		}
		into := &known[i].pieces.Slopes
		if words[1] == "intercepts" {
			into = &known[i].pieces.Intercepts
		}
		switch {
		case *into != nil:
			return nil, fail("%s %s are there twice", words[0], words[1])
		case len(words)-2 != known[i].size:
			return nil, fail("%s %s have %d entries; the machine takes %d", words[0], words[1], len(words)-2, known[i].size)
		}
		*into = []int64{}
		for _, w := range words[2:] {
			v, err := strconv.ParseInt(w, 10, 16)
			if err != nil {
				return nil, fail("%q is no entry of 16 bits", w)
			}
			*into = append(*into, v)
		}
	}
	if t.Release == "" {
		return nil, fail("no line says whose the tables are: release TEXT")
	}
	for _, k := range t.named() {
		if k.pieces.Slopes == nil || k.pieces.Intercepts == nil {
			return nil, fail("the table %s is missing, or half of it", k.name)
		}
	}
	return t, nil
}

// at returns piece i at a fraction of 2^bits parts of it, in 2^bits times the units of the table.
func (p Pieces) at(i, fraction int64, bits int) int64 {
	return p.Slopes[i]*fraction + p.Intercepts[i]<<bits
}

// sigmoid takes Q6.14 to Q6.14. The argument is cut to 10 fraction bits and scaled by 819/512, about 8/5.
func (t *Tables) sigmoid(x int64) int64 {
	y := int64(1<<20 - 1)
	if size := max(x, -x); size < 5<<14 {
		s := size >> 4 * 819 >> 9
		y = t.Sigmoid.at(s>>10&7, s&1023, 10)
	}
	if x < 0 {
		y = 1<<20 - y
	}
	return y >> 6
}

// tanh takes Q6.14 to Q6.14, rounding down.
func (t *Tables) tanh(x int64) int64 {
	y := int64(1<<20 - 1)
	if size := max(x, -x); size < 3<<14 {
		s := size >> 2
		y = t.Tanh.at(s>>10, s&1023, 10)
	}
	if x < 0 {
		y = -y
	}
	return y >> 6
}

// inverseRoot takes 20 bits with 14 behind the point to the same; all ones for 0.
func (t *Tables) inverseRoot(x int64) int64 {
	if x == 0 {
		return 1<<20 - 1
	}
	// x·2^-14 = n·2^e with n from 1/2 to 1; n in units of 2^-20
	e, n := 6, x
	for ; n < 1<<19; n <<= 1 {
		e--
	}
	s := (n - 1<<19) >> 4 // sixteenths in units of 2^-12
	y := t.InverseRoot.at(s>>12, s&4095, 12)
	if e&1 != 0 {
		y = y * 2896 >> 12
	}
	if e >>= 1; e >= 0 {
		y >>= e
	} else {
		y <<= -e
	}
	return y >> 10
}

// exp takes Q12.20 to 32 bits with 20 behind the point; what is too large loses its high bits.
func (t *Tables) exp(x int64) int64 {
	log := x * 23637 >> 14
	f := log & (1<<20 - 1) >> 8 // quarters in units of 2^-10
	y := t.Exp2.at(f>>10, f&1023, 10)
	if log >>= 20; log < 0 {
		return y >> min(-log, 63)
	}
	return y << min(log, 63)
}

// share is the narrow division of numbers with 4 bits behind the point: 8 behind that of the quotient, which has 10 bits.
func share(x, y uint64) uint64 {
	if y == 0 {
		return 1<<10 - 1
	}
	return x << 8 / y & (1<<10 - 1)
}
