package crossbar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tv/semantics/index"
)

// CodeSizes is the code of sizes that a driver does not take.
const CodeSizes = "machine-sizes"

// Options of the drivers.
type Options struct {
	Config         Config
	TransA, TransB bool
	LDA, LDB, LDC  int // leading dimensions; 0: no gaps between rows
	IncX, IncY     int // of Gemv
	Alpha, Beta    int // -128 to 127

	// Choices of the driver that change no value.
	TileRows, TileColumns int    // 0: those of the machine
	Order                 string // of tiles: nk (default: those of k one after the other) or kn
	Double                bool   // a bank is programmed before the other one is used
	Zero                  bool   // C is multiplied by beta first, and all tiles accumulate
	AtA, AtB, AtC         int    // bytes in memory; -1: one after the other

	// mutate changes what is written to a register, or drops that; machine makes another machine. Tests only.
	mutate  func(ix *index.Builder, name string, value *index.Expr) *index.Expr
	machine func(Config) *Machine
}

// Defaults are alpha = 1, beta = 0, no transposes and no gaps, on the default machine.
func Defaults() Options {
	return Options{Config: Default(), Alpha: 1, IncX: 1, IncY: 1, AtA: -1, AtB: -1, AtC: -1}
}

func (o *Options) check() error {
	if o.Alpha < -128 || o.Alpha > 127 || o.Beta < -128 || o.Beta > 127 {
		return problem(CodeConfig, "alpha is %d and beta %d: both are from -128 to 127", o.Alpha, o.Beta)
	}
	if o.TileRows < 0 || o.TileRows > o.Config.Rows || o.TileColumns < 0 || o.TileColumns > o.Config.Columns {
		return problem(CodeConfig, "tiles of %dx%d: the machine holds %dx%d weights", o.TileRows, o.TileColumns, o.Config.Rows, o.Config.Columns)
	}
	if !slices.Contains([]string{"", "nk", "kn"}, o.Order) {
		return problem(CodeConfig, "the order of tiles is nk or kn, not %q", o.Order)
	}
	return nil
}

// settings are the options by name.
func (o *Options) settings() (numbers map[string]*int, flags map[string]*bool) {
	return map[string]*int{"rows": &o.Config.Rows, "columns": &o.Config.Columns, "adc": &o.Config.ADC, "lda": &o.LDA, "ldb": &o.LDB,
			"ldc": &o.LDC, "incx": &o.IncX, "incy": &o.IncY, "alpha": &o.Alpha, "beta": &o.Beta, "tile-rows": &o.TileRows,
			"tile-columns": &o.TileColumns, "at-a": &o.AtA, "at-b": &o.AtB, "at-c": &o.AtC},
		map[string]*bool{"drop": &o.Config.Drop, "serial": &o.Config.Serial, "saturate": &o.Config.Saturate, "transa": &o.TransA,
			"transb": &o.TransB, "double": &o.Double, "zero": &o.Zero}
}

// Set gives options values by name, "lda=300": numbers, 0 or 1 for what is chosen or not, nk or kn for order.
// None is given twice, and none the value that stands for a default. Errors: machine-config.
func (o *Options) Set(settings []string) error {
	numbers, flags := o.settings()
	set := map[string]bool{}
	for _, text := range settings {
		name, value, _ := strings.Cut(text, "=")
		if set[name] {
			return problem(CodeConfig, "%s is set twice", name)
		}
		set[name] = true
		if name == "order" {
			o.Order = value
			continue
		}
		n, err := strconv.Atoi(value)
		switch {
		case err != nil:
			return problem(CodeConfig, "%q is no setting, such as lda=300", text)
		case n == 0 && slices.Contains([]string{"lda", "ldb", "ldc", "tile-rows", "tile-columns"}, name):
			return problem(CodeConfig, "%s is 0, and must be at least 1", name) // it would be read as not set
		case n < 0 && slices.Contains([]string{"at-a", "at-b", "at-c"}, name):
			return problem(CodeConfig, "%s is %d, and addresses begin at 0", name, n) // as not set, too
		case numbers[name] != nil:
			*numbers[name] = n
		case flags[name] != nil && (n == 0 || n == 1):
			*flags[name] = n == 1
		default:
			return problem(CodeConfig, "there is no setting %q; there are %s", text, o.names())
		}
	}
	return o.check()
}

// names lists the settings.
func (o *Options) names() string {
	numbers, flags := o.settings()
	names := []string{"order=nk|kn"}
	for name := range numbers {
		names = append(names, name)
	}
	for name := range flags {
		names = append(names, fmt.Sprintf("%s=0|1", name))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
