//go:build !js

package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"tv/hwmodels"
	"tv/hwmodels/flexasr"
	"tv/internal/source"
)

// codeBias is the code of an exponent bias that a driver cannot take.
const codeBias = "machine-bias"

// choiceFlags are what a driver can be told beside sizes.
type choiceFlags struct {
	set    []string
	all    bool
	tables string
}

func (c *choiceFlags) register(fs *pflag.FlagSet) {
	fs.StringSliceVar(&c.set, "set", nil, "choices of a driver: `NAME=NUMBER,...`, such as lda=300, or exponent biases of tensors, 0 to 7 (repeatable)")
	fs.BoolVar(&c.all, "all-biases", false, "prove it for all exponent biases at once")
	registerTables(fs, &c.tables)
}

func registerTables(fs *pflag.FlagSet, into *string) {
	fs.StringVar(into, "tables", "", "a `FILE` with the tables of the machine's functions, instead of the public ones")
}

// args returns the flags that say the same.
func (c *choiceFlags) args() (list []string) {
	for _, s := range c.set {
		list = append(list, "--set="+s)
	}
	if c.all {
		list = append(list, "--all-biases")
	}
	if c.tables != "" {
		list = append(list, "--tables="+c.tables)
	}
	return list
}

// readTables reads a file of tables.
func (a *app) readTables(name string) (*flexasr.Tables, error) {
	file, err := a.reader()(name)
	if err != nil {
		return nil, err
	}
	return flexasr.ReadTables(file)
}

// choose returns a driver with the choices of the flags. Errors: machine-bias, machine-tables.
func (a *app) choose(c *choiceFlags, d hwmodels.Driver) (hwmodels.Driver, error) {
	if len(c.args()) == 0 {
		return d, nil
	}
	if d.Choose == nil {
		if d.Nest != nil {
			return d, usageError("%s takes no --all-biases or --tables", d.Name)
		}
		return d, usageError("%s takes no --set, --all-biases or --tables", d.Name)
	}
	if c.all && len(c.set) > 0 {
		return d, usageError("--all-biases leaves no bias to --set")
	}
	fail := func(format string, args ...any) (hwmodels.Driver, error) {
		return d, &source.Error{Code: codeBias, Msg: fmt.Sprintf(format, args...)}
	}
	choices := hwmodels.Choices{Biases: map[string]int{}, AllBiases: c.all}
	for _, text := range c.set {
		name, number, _ := strings.Cut(text, "=")
		bias, err := strconv.Atoi(number)
		_, twice := choices.Biases[name]
		switch {
		case !slices.Contains(d.Biases, name):
			return fail("%s has no bias %q; it has those of %s", d.Name, name, strings.Join(d.Biases, ", "))
		case twice:
			return fail("the bias of %s is set twice", name)
		case err != nil || bias < 0 || bias > 7:
			return fail("the bias of %s is %q: it has 3 bits, 0 to 7", name, number)
		}
		choices.Biases[name] = bias
	}
	if c.tables != "" {
		tables, err := a.readTables(c.tables)
		if err != nil {
			return d, err
		}
		choices.Tables = tables
	}
	d = d.Choose(choices)
	return d, nil
}
