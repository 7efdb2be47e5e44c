// Package hwmodels lists the machines that tv models and the drivers that map operations onto them.
//
//	Machine   a model by name, and where there is one the same machine in plain Go
//	Driver    makes the program for an operation of given sizes, or of all, with the contract on it
//	Errors    how far the results of a driver are from the reals: what bounds it (package bounds), and the ideal operator
//	          that it is measured against (package ideal)
//	Carrier   the driver that carries out an accelerator call of a Glenside program
//	Mappings  what publications map onto machines, for the table of what there is of that (coverage.go)
//
// The models are in the packages below; the rules onto them are in the directory rules.
package hwmodels

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/hwmodels/bounds"
	"tv/hwmodels/crossbar"
	crossbarplain "tv/hwmodels/crossbar/plain"
	"tv/hwmodels/flexasr"
	flexasrplain "tv/hwmodels/flexasr/plain"
	"tv/hwmodels/hlscnn"
	"tv/hwmodels/ideal"
	"tv/hwmodels/systolic"
	"tv/hwmodels/vta"
	"tv/hwmodels/vta/plain"
	"tv/ila"
)

// A Machine is a model by name.
type Machine struct {
	Name, Doc string
	New       func() *ila.Model
	Plain     func() Plain // the same machine written by itself, or nil

	Tabled func(t *flexasr.Tables) *ila.Model // the machine with other tables, or nil where it has none
}

// Plain is a machine that shares nothing with its model: campaigns run both.
type Plain interface {
	Set(memory string, at, value uint64)
	// Step takes one instruction and returns nil, or the codes of faults of which the model may have any.
	Step(inputs []uint64) []string
	Cell(memory string, at uint64) (value uint64, written bool)
	Count(memory string) int // cells with a value
	Has(memory string) bool
}

// plainVTA is VTA in plain Go, with the choices of a configuration.
type plainVTA struct{ *plain.Machine }

// Step takes an instruction as the model's two inputs.
func (m plainVTA) Step(inputs []uint64) []string { return m.Machine.Step(inputs[0], inputs[1]) }

// plainCrossbar is the crossbar in plain Go.
type plainCrossbar struct{ *crossbarplain.Machine }

// Step takes an instruction as the model's three inputs.
func (m plainCrossbar) Step(inputs []uint64) []string {
	return m.Machine.Step(inputs[0], inputs[1], inputs[2])
}

// crossbarOf is the crossbar with the choices of a configuration that there is.
func crossbarOf(name string, c crossbar.Config) *ila.Model {
	m, err := crossbar.NewModel(c)
	if err != nil {
		panic(err)
	}
	m.Name = name
	return m.Model
}

// serial is the default crossbar, driven bit by bit, with converters that lose nothing.
func serial() crossbar.Config {
	c := crossbar.Default()
	c.Serial = true
	c.ADC = c.Full()
	return c
}

// plainFlexASR is FlexASR in plain Go.
type plainFlexASR struct{ *flexasrplain.Machine }

// Step takes a write as the model's inputs: an address and 16 bytes.
func (m plainFlexASR) Step(inputs []uint64) []string {
	var data [16]byte
	for j := range data {
		data[j] = byte(inputs[1+j])
	}
	return m.Machine.Step(inputs[0], data)
}

// A Driver makes the program for an operation of given sizes, and the contract on it.
type Driver struct {
	Name, Doc string
	Sizes     string // "m x n x k"; as many numbers as names
	Arity     int
	Parse     func(sizes string) ([]int, bool) // reads sizes that are written in another way than with x between them; or nil
	Optional  int                              // of the sizes, at the end, that may be left out
	New       func(sizes []int) (*ila.Task, error)
	All       func() *ila.Family // the driver for all sizes, or nil

	// Nest is the loop nest that New unrolls, with settings such as lda=300, or nil; it is proved at sizes without being
	// unrolled.
	Nest   func(sizes []int, settings []string) (*ila.Nest, error)
	Biases []string               // names of the exponent biases that Choose takes
	Choose func(c Choices) Driver // the same driver with choices, whose names are of Biases; nil where it takes none
	With   string                 // what was chosen, for messages: " with weights=3", or ""

	On map[string]func(sizes []int) (*ila.Task, error) // the program on other machines, by name

	Errors *Errors // how far results are from the reals, or nil
}

// Errors says how far the results of a driver are from the operator in the reals.
type Errors struct {
	Sizes string // what --sizes takes, where it is not what the driver takes
	Rows  bool   // sizes are those of one row: the driver takes a 1 before them
	Ideal func(sizes []int) ideal.Operator
	Bound func(q bounds.Question, sizes []int) *bounds.Bound // or nil: there is none
}

// cim returns a driver of the crossbar.
func cim(name, doc, sizes string, arity int, nest func(sizes []int, o crossbar.Options) (*ila.Nest, error)) Driver {
	d := Driver{Name: name, Doc: doc, Sizes: sizes, Arity: arity}
	d.Nest = func(sizes []int, settings []string) (*ila.Nest, error) {
		o := crossbar.Defaults()
		if err := o.Set(settings); err != nil {
			return nil, err
		}
		return nest(sizes, o)
	}
	d.New = func(sizes []int) (*ila.Task, error) {
		n, err := d.Nest(sizes, nil)
		if err != nil {
			return nil, err
		}
		return n.Task(), nil
	}
	return d
}

// saturating is the driver whose contract holds for operands of few bits alone. New refuses others, for which Nest shows
// that it does not.
func saturating() Driver {
	d := cim("cim-saturating", "cim-gemm of operands of few bits on a crossbar that saturates results", "m x n x k x bits", 4,
		func(s []int, o crossbar.Options) (*ila.Nest, error) {
			return crossbar.Saturating(s[0], s[1], s[2], s[3], o)
		})
	all := d.New
	d.New = func(sizes []int) (*ila.Task, error) {
		if most := 1 << (2 * max(0, min(sizes[3], 8)-1)) * sizes[2]; most > 127 {
			return nil, fmt.Errorf("sums of %d products of %d bits may saturate", sizes[2], sizes[3])
		}
		return all(sizes)
	}
	return d
}

// cimCall is cim-gemm with a setting, for all sizes of which one tile holds the weights.
func cimCall(setting string) Driver {
	own := gemm()
	d := own
	d.Nest = func(sizes []int, settings []string) (*ila.Nest, error) {
		return own.Nest(sizes, append([]string{setting}, settings...))
	}
	d.New = nil // it is proved as a nest
	d.All = func() *ila.Family { return gemmAll(setting) }
	return d
}

// gemm is the driver cim-gemm.
func gemm() Driver {
	d := cim("cim-gemm", "alpha·op(a)·op(b) + beta·c, int8, modulo 2^8, in tiles on the crossbar", "m x n x k", 3,
		func(s []int, o crossbar.Options) (*ila.Nest, error) { return crossbar.Gemm(s[0], s[1], s[2], o) })
	d.All = func() *ila.Family { return gemmAll() }
	d.Errors = &Errors{Ideal: func(s []int) ideal.Operator { return ideal.Product(s[0], s[1], s[2]) },
		Bound: func(q bounds.Question, s []int) *bounds.Bound { return bounds.Product(q, s[0], s[1], s[2]) }}
	return d
}

// gemv is the driver cim-gemv.
func gemv() Driver {
	d := cim("cim-gemv", "alpha·op(a)·x + beta·y, the same of a matrix of m x n and a vector", "m x n", 2,
		func(s []int, o crossbar.Options) (*ila.Nest, error) { return crossbar.Gemv(s[0], s[1], o) })
	d.All = func() *ila.Family {
		f, err := crossbar.GemvAll(crossbar.Defaults())
		if err != nil {
			panic(err)
		}
		return f
	}
	return d
}

// gemmAll is the driver cim-gemm with settings that there are, for all sizes of which one tile holds the weights.
func gemmAll(settings ...string) *ila.Family {
	o := crossbar.Defaults()
	err := o.Set(settings)
	if err != nil {
		panic(err)
	}
	f, err := crossbar.GemmAll(o)
	if err != nil {
		panic(err)
	}
	return f
}

// Choices are what a driver can be told beside sizes.
type Choices struct {
	Biases    map[string]int // exponent biases of tensors, 0 to 7, by name; those left out are 2
	AllBiases bool           // any biases at once
	Tables    *flexasr.Tables
}

// number returns the bias of a name.
func (c Choices) number(name string) int {
	if n, ok := c.Biases[name]; ok {
		return n
	}
	return 2
}

// String says what was chosen: " with inputs=1, weights=3", or "".
func (c Choices) String() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(c.Biases)) {
		list = append(list, fmt.Sprintf("%s=%d", name, c.Biases[name]))
	}
	if c.AllBiases {
		list = append(list, "any biases")
	}
	if c.Tables != nil {
		list = append(list, "the tables of "+c.Tables.Release)
	}
	if list == nil {
		return ""
	}
	return " with " + strings.Join(list, ", ")
}

// chosen adds Choose to a driver whose programs are made from choices.
func chosen(d Driver, biases []string, program func(sizes []int, c Choices) (*ila.Task, error), all func(c Choices) *ila.Family) Driver {
	d.Biases = biases
	d.Choose = func(c Choices) Driver {
		with := d
		with.With = c.String()
		with.New = func(sizes []int) (*ila.Task, error) { return program(sizes, c) }
		if with.All = nil; all != nil && !c.AllBiases && c.Tables == nil {
			with.All = func() *ila.Family { return all(c) }
		}
		return with
	}
	with := d.Choose(Choices{})
	with.Choose = d.Choose
	return with
}

// Carrier returns the driver that carries out an accelerator call with the contract of the given name, on tensors as programs have them:
// AdaptivFloat of bias 0. Its inputs are named as the operands of the contract; ok is false where there is none.
func Carrier(call string) (d Driver, ok bool) {
	switch call {
	case "cim-gemm(1, 0)":
		return cimCall("beta=0"), true
	case "cim-gemm(1, 1)":
		return cimCall("beta=1"), true
	case "vta-dense":
		for _, d := range Drivers() {
			if d.Name == call {
				return d, true
			}
		}
	case "flex-linear":
		return Driver{Name: "flexasr-linear", Arity: 3, New: func(sizes []int) (*ila.Task, error) {
			return flexasr.Linear(sizes[0], sizes[1], sizes[2], flexasr.LinearOptions{})
		}}, true
	case "flex-maxpool":
		return Driver{Name: "flexasr-maxpool", Arity: 2, New: func(sizes []int) (*ila.Task, error) {
			return flexasr.MaxPool(sizes[0], sizes[1], 0)
		}, All: func() *ila.Family { return flexasr.MaxPoolAll(0) }}, true
	case "flex-meanpool":
		return Driver{Name: "flexasr-meanpool", Arity: 2, New: func(sizes []int) (*ila.Task, error) {
			return flexasr.MeanPool(sizes[0], sizes[1], 0)
		}, All: func() *ila.Family { return flexasr.MeanPoolAll(0) }}, true
	}
	return Driver{}, false
}

// Machines returns all machines, sorted by name.
func Machines() []Machine {
	return []Machine{
		{Name: "crossbar", Doc: "a memristor crossbar of 256x256 weights in cells of 4 bits, behind registers", New: func() *ila.Model {
			return crossbarOf("crossbar", crossbar.Default())
		}, Plain: func() Plain { return plainCrossbar{crossbar.Plain(crossbar.Default())} }},
		{Name: "flexasr", Doc: "FlexASR: layer reduction, layer norm, attention and zero padding; linear layers and LSTM on four elements", New: func() *ila.Model {
			return flexasr.NewModel().Model
		}, Plain: func() Plain { return plainFlexASR{flexasrplain.New()} }, Tabled: func(t *flexasr.Tables) *ila.Model {
			return flexasr.Config{Tables: t}.NewModel().Model
		}},
		{Name: "hlscnn", Doc: "HLSCNN: convolutions in fixed point, valid padding, outputs grouped by 8 filters", New: func() *ila.Model {
			return hlscnn.NewModel(hlscnn.Config{}).Model
		}, Plain: func() Plain { return hlscnn.Plain(hlscnn.Config{}) }},
		{Name: "systolic", Doc: "a weight-stationary systolic array of 4x4, cycle by cycle", New: func() *ila.Model {
			return systolic.NewModel(4, 4).Model
		}},
		{Name: "vta", Doc: "VTA, with the choices of the simulator that comes with TVM", New: func() *ila.Model {
			return vta.NewModel(vta.Configs[0]).Model
		}, Plain: func() Plain { return plainVTA{vta.Plain(vta.Configs[0])} }},
	}
}

// All returns all machines and, after each, those that are compared with it: the same machine with other choices, or a
// specification of it.
func All() []Machine {
	var list []Machine
	for _, m := range Machines() {
		list = append(list, m)
		switch m.Name {
		case "crossbar":
			list = append(list, Machine{Name: "crossbar-serial", Doc: "the crossbar, driven by one bit of the inputs at a time", New: func() *ila.Model {
				return crossbarOf("crossbar-serial", serial())
			}, Plain: func() Plain { return plainCrossbar{crossbar.Plain(serial())} }})
		case "hlscnn":
			original := hlscnn.Config{Original: true}
			list = append(list, Machine{Name: "hlscnn-original", Doc: "HLSCNN as it was first: weights of 8 bits, outputs as large as inputs", New: func() *ila.Model {
				model := hlscnn.NewModel(original).Model
				model.Name = "hlscnn-original"
				return model
			}, Plain: func() Plain { return hlscnn.Plain(original) }})
		case "systolic":
			list = append(list, Machine{Name: "systolic-step", Doc: "the product that the 4x4 array computes, in one step", New: func() *ila.Model {
				return systolic.NewSpecification(4, 4).Model
			}})
		case "vta":
			for _, c := range variants() {
				list = append(list, Machine{Name: "vta-" + c.Name, Doc: "VTA, with the choices of " + c.Name, New: func() *ila.Model {
					model := vta.NewModel(c).Model
					model.Name = "vta-" + c.Name
					return model
				}})
			}
		}
	}
	return list
}

// variants returns the choices of VTA other than those of the machine of that name.
func variants() []vta.Config {
	older := vta.Configs[0]
	older.Name, older.Older = "older", true
	return append(vta.Configs[1:len(vta.Configs):len(vta.Configs)], older)
}

// Drivers returns all drivers, sorted by name.
func Drivers() []Driver {
	dense := func(name, doc string, o vta.DenseOptions) Driver {
		program := func(c vta.Config) func(sizes []int) (*ila.Task, error) {
			return func(sizes []int) (*ila.Task, error) {
				t, err := vta.Dense(c, sizes[0], sizes[1], sizes[2], o)
				if t != nil {
					t.Name = name
				}
				return t, err
			}
		}
		on := map[string]func([]int) (*ila.Task, error){}
		for _, c := range variants() {
			on["vta-"+c.Name] = program(c)
		}
		return Driver{Name: name, Doc: doc, Sizes: "m x n x k", Arity: 3, New: program(vta.Configs[0]), On: on, All: func() *ila.Family { return vta.DenseAll(name, vta.Configs[0], o) }}
	}
	layerBiases := []string{"weights", "inputs", "biases", "outputs"}
	layer := func(c Choices) flexasr.LinearOptions {
		return flexasr.LinearOptions{Weights: c.number("weights"), Inputs: c.number("inputs"), Biases: c.number("biases"),
			Outputs: c.number("outputs"), AllBiases: c.AllBiases}
	}
	config := func(c Choices) flexasr.Config { return flexasr.Config{Tables: c.Tables} }
	pool := func(name, doc, kind string, of func(x, y float64) float64, at func(timesteps, width, bias int) (*ila.Task, error), all func(bias int) *ila.Family) Driver {
		return withErrors(chosen(Driver{Name: name, Doc: doc + ", AdaptivFloat<8,3>, bias 2 unless set", Sizes: "timesteps x width", Arity: 2},
			[]string{"inputs"}, func(sizes []int, c Choices) (*ila.Task, error) {
				if c.AllBiases {
					return at(sizes[0], sizes[1], flexasr.AnyBias)
				}
				return at(sizes[0], sizes[1], c.number("inputs"))
			}, func(c Choices) *ila.Family { return all(c.number("inputs")) }), func(c Choices) *Errors {
			bias := c.number("inputs")
			return &Errors{Ideal: func(s []int) ideal.Operator { return ideal.Pool(s[1], bias, of) },
				Bound: func(q bounds.Question, s []int) *bounds.Bound { return bounds.Pool(q, kind, s[0], s[1], bias) }}
		})
	}
	part := func(name, doc, of string, program func(c vta.Config, m, n, k, size int, o vta.DenseOptions) (*ila.Task, error),
		all func() *ila.Family) Driver {
		return Driver{Name: name, Doc: doc, Sizes: "m x n x k x " + of, Arity: 4, New: func(sizes []int) (*ila.Task, error) {
			t, err := program(vta.Configs[0], sizes[0], sizes[1], sizes[2], sizes[3], vta.DenseOptions{Shift: 8})
			if t != nil {
				t.Name = name
			}
			return t, err
		}, All: all}
	}
	plain := dense("vta-dense", "dense layer, int8 to int8: product, shift by 8, clip to [-127, 127]", vta.DenseOptions{Shift: 8})
	plain.Errors = &Errors{Sizes: "n x k", Rows: true, Ideal: func(s []int) ideal.Operator { return ideal.Dense(s[0], s[1], 8) },
		Bound: func(q bounds.Question, s []int) *bounds.Bound { return bounds.Dense(q, s[0], s[1], 8) }}
	return []Driver{
		cim("cim-batched", "a batch of products as cim-gemm makes them, one after the other", "batch x m x n x k", 4,
			func(s []int, o crossbar.Options) (*ila.Nest, error) {
				return crossbar.Batched(s[0], s[1], s[2], s[3], o)
			}),
		gemm(),
		gemv(),
		saturating(),
		pool("flexasr-addpool", "sums of pairs of timesteps", bounds.AddPool, func(x, y float64) float64 { return x + y }, flexasr.AddPool, flexasr.AddPoolAll),
		withErrors(chosen(Driver{Name: "flexasr-attention", Doc: "attention of a query over timesteps, AdaptivFloat<8,3>, biases of exponents 2 unless set",
			Sizes: "timesteps x width", Arity: 2}, []string{"matrix", "query", "weights", "outputs"},
			func(sizes []int, c Choices) (*ila.Task, error) {
				return config(c).Attention(sizes[0], sizes[1], flexasr.AttentionOptions{Matrix: c.number("matrix"), Query: c.number("query"),
					Weights: c.number("weights"), Outputs: c.number("outputs"), AllBiases: c.AllBiases})
			}, nil), func(c Choices) *Errors {
			return &Errors{Ideal: func(s []int) ideal.Operator {
				return ideal.Attention(s[1], c.number("matrix"), c.number("query"), c.number("outputs"))
			}}
		}),
		withErrors(chosen(Driver{Name: "flexasr-layernorm", Doc: "layer norm of timesteps, AdaptivFloat<8,3>, biases of exponents 2 unless set",
			Sizes: "timesteps x width", Arity: 2}, []string{"inputs", "gamma", "beta"},
			func(sizes []int, c Choices) (*ila.Task, error) {
				return config(c).LayerNorm(sizes[0], sizes[1], flexasr.NormOptions{Inputs: c.number("inputs"), Gamma: c.number("gamma"),
					Beta: c.number("beta"), AllBiases: c.AllBiases})
			}, nil), func(c Choices) *Errors {
			return &Errors{Ideal: func(s []int) ideal.Operator {
				return ideal.LayerNorm(s[1], c.number("inputs"), c.number("gamma"), c.number("beta"))
			}}
		}),
		withErrors(chosen(Driver{Name: "flexasr-linear", Doc: "linear layer with bias, AdaptivFloat<8,3>, biases of exponents 2 unless set",
			Sizes: "m x n x k", Arity: 3}, layerBiases, func(sizes []int, c Choices) (*ila.Task, error) {
			return config(c).Linear(sizes[0], sizes[1], sizes[2], layer(c))
		}, nil), func(c Choices) *Errors {
			exponents := [4]int{c.number("weights"), c.number("inputs"), c.number("biases"), c.number("outputs")}
			return &Errors{Sizes: "n x k", Rows: true, Ideal: func(s []int) ideal.Operator { return ideal.Linear(s[0], s[1], exponents) },
				Bound: func(q bounds.Question, s []int) *bounds.Bound { return bounds.Linear(q, s[0], s[1], exponents) }}
		}),
		withErrors(chosen(Driver{Name: "flexasr-lstm", Doc: "timesteps of an LSTM, one if the third size is left out, AdaptivFloat<8,3>, biases of exponents 2 unless set",
			Sizes: "states x inputs [x timesteps]", Arity: 2, Optional: 1}, layerBiases, func(sizes []int, c Choices) (*ila.Task, error) {
			return config(c).LSTM(sizes[0], sizes[1], timesteps(sizes), flexasr.LSTMOptions{LinearOptions: layer(c)})
		}, nil), func(c Choices) *Errors {
			exponents := [4]int{c.number("weights"), c.number("inputs"), c.number("biases"), c.number("outputs")}
			return &Errors{Ideal: func(s []int) ideal.Operator { return ideal.LSTM(s[0], s[1], timesteps(s), exponents) },
				Bound: func(q bounds.Question, s []int) *bounds.Bound {
					t := c.Tables
					if t == nil {
						t = flexasr.PublicTables()
					}
					return bounds.LSTM(q, bounds.Cell{States: s[0], Inputs: s[1], Steps: timesteps(s), Exponents: exponents,
						Sigmoid: new(big.Rat).SetFloat64(t.SigmoidError()), Tanh: new(big.Rat).SetFloat64(t.TanhError())})
				}}
		}),
		pool("flexasr-maxpool", "max-pool over pairs of timesteps", bounds.MaxPool, math.Max, flexasr.MaxPool, flexasr.MaxPoolAll),
		pool("flexasr-meanpool", "mean-pool over pairs of timesteps", bounds.MeanPool, func(x, y float64) float64 { return (x + y) / 2 }, flexasr.MeanPool, flexasr.MeanPoolAll),
		{Name: "hlscnn-conv2d", Doc: "convolution, int16 to int16: Q9.7 inputs, Q2.14 weights, rounded to Q9.7 after each tap of 8 channels",
			Sizes: "CxHxW,FxKxL[,stride]", Arity: 7, Parse: convolutionSizes, New: func(s []int) (*ila.Task, error) {
				return hlscnn.Conv2D(hlscnn.Config{}, hlscnn.Sizes{Channels: s[0], Rows: s[1], Cols: s[2], Filters: s[3],
					KernelRows: s[4], KernelCols: s[5], Stride: s[6]}, hlscnn.Options{})
			}, Errors: &Errors{Ideal: ideal.Conv2D, Bound: func(q bounds.Question, s []int) *bounds.Bound {
				return bounds.Conv2D(q, bounds.Convolution{Channels: s[0], Rows: s[1], Cols: s[2], Filters: s[3], KernelRows: s[4], KernelCols: s[5], Stride: s[6]})
			}}},
		{Name: "systolic-matmul", Doc: "matrix product, int8 to int32, on an array of k rows and n columns",
			Sizes: "m x k x n", Arity: 3, New: func(sizes []int) (*ila.Task, error) {
				return systolic.MatMul(sizes[0], sizes[1], sizes[2])
			}, On: map[string]func([]int) (*ila.Task, error){"systolic-step": func(sizes []int) (*ila.Task, error) {
				return systolic.OneStep(sizes[0], sizes[1], sizes[2])
			}}},
		plain,
		dense("vta-dense-bias", "the same with an int32 bias", vta.DenseOptions{Shift: 8, Bias: true}),
		part("vta-dense-columns", "as vta-dense, in chunks of tiles of n, one after the other", "tiles", vta.DenseColumns,
			func() *ila.Family {
				return vta.DenseChunksAll("vta-dense-columns", vta.Configs[0], vta.DenseOptions{Shift: 8}, "n")
			}),
		part("vta-dense-depth", "as vta-dense, in chunks of tiles of k, one after the other", "tiles", vta.DenseDepth,
			func() *ila.Family {
				return vta.DenseChunksAll("vta-dense-depth", vta.Configs[0], vta.DenseOptions{Shift: 8}, "k")
			}),
		dense("vta-dense-relu", "the same with bias and relu", vta.DenseOptions{Shift: 8, Bias: true, Relu: true}),
		part("vta-dense-rows", "as vta-dense, in chunks of rows, one after the other", "rows", vta.DenseRows, func() *ila.Family {
			return vta.DenseRowsAll("vta-dense-rows", vta.Configs[0], vta.DenseOptions{Shift: 8})
		}),
		dense("vta-dense-scale", "with bias, a requantisation by 77 / 2^15: product by 77, shift by 15, clip",
			vta.DenseOptions{Scale: 77, Shift: 15, Bias: true}),
	}
}

// timesteps is the third size of an LSTM, or 1.
func timesteps(sizes []int) int {
	if len(sizes) > 2 {
		return sizes[2]
	}
	return 1
}

// withErrors adds what errors are to a driver that is made from choices; there is nothing for any biases at once.
func withErrors(d Driver, errors func(c Choices) *Errors) Driver {
	choose := d.Choose
	d.Choose = func(c Choices) Driver {
		with := choose(c)
		if with.Errors = nil; !c.AllBiases {
			with.Errors = errors(c)
		}
		return with
	}
	d.Errors = errors(Choices{})
	return d
}

// convolutionSizes reads "8x16x16,4x3x3,2"; without the last number the stride is 1.
func convolutionSizes(text string) (sizes []int, ok bool) {
	groups := strings.Split(text, ",")
	if len(groups) == 2 {
		groups = append(groups, "1")
	}
	if len(groups) != 3 {
		return nil, false
	}
	for i, group := range groups {
		parts := strings.Split(group, "x")
		if len(parts) != [...]int{3, 3, 1}[i] {
			return nil, false
		}
		for _, part := range parts {
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 {
				return nil, false
			}
			sizes = append(sizes, n)
		}
	}
	return sizes, true
}
