// Package hwmodels lists the machines that tv models and the drivers that map operations onto them.
//
//	Machine   a model by name, and where there is one the same machine in plain Go
//	Driver    makes the program for an operation of given sizes, or of all, with the contract on it
//	Errors    how far the results of a driver are from the reals: what bounds it (package bounds), and the ideal operator
//	          that it is measured against (package ideal)
//	Carrier   the driver that carries out an accelerator call of a Glenside program
//
// The models are in the packages below; the rules onto them are in the directory rules.
package hwmodels

import (
	"math"
	"strconv"
	"strings"

	"tv/hwmodels/bounds"
	"tv/hwmodels/flexasr"
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
}

// Plain is a machine that shares nothing with its model: campaigns run both.
type Plain interface {
	Set(memory string, at, value uint64)
	// Step takes one instruction and returns nil, or the codes of faults of which the model may have any.
	Step(inputs []uint64) []string
	Cell(memory string, at uint64) (value uint64, written bool)
	Count(memory string) int // cells with a value
}

// plainVTA is VTA in plain Go, with the choices of a configuration.
type plainVTA struct{ *plain.Machine }

// Step takes an instruction as the model's two inputs.
func (m plainVTA) Step(inputs []uint64) []string { return m.Machine.Step(inputs[0], inputs[1]) }

// A Driver makes the program for an operation of given sizes, and the contract on it.
type Driver struct {
	Name, Doc string
	Sizes     string // "m x n x k"; as many numbers as names
	Arity     int
	Parse     func(sizes string) ([]int, bool) // reads sizes that are written in another way than with x between them; or nil
	New       func(sizes []int) (*ila.Task, error)
	All       func() *ila.Family // the driver for all sizes, or nil

	On map[string]func(sizes []int) (*ila.Task, error) // the program on other machines, by name

	Errors *Errors // how far results are from the reals, or nil
}

// Errors says how far the results of a driver are from the operator in the reals.
type Errors struct {
	Sizes string // what --sizes takes, where it is not what the driver takes
	Rows  bool   // sizes are those of one row: the driver takes a 1 before them
	Ideal func(sizes []int) ideal.Operator
	Bound func(q bounds.Question, sizes []int) *bounds.Bound
}

// Carrier returns the driver that carries out an accelerator call of the given name, on tensors as programs have them:
// AdaptivFloat of bias 0. Its inputs are named as the operands of the contract; ok is false where there is none.
func Carrier(call string) (d Driver, ok bool) {
	switch call {
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
	}
	return Driver{}, false
}

// Machines returns all machines, sorted by name.
func Machines() []Machine {
	return []Machine{
		{Name: "flexasr", Doc: "FlexASR: layer reduction over pairs of timesteps, linear layers and LSTM on four elements", New: func() *ila.Model {
			return flexasr.NewModel().Model
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
	plain := dense("vta-dense", "dense layer, int8 to int8: product, shift by 8, clip to [-127, 127]", vta.DenseOptions{Shift: 8})
	plain.Errors = &Errors{Sizes: "n x k", Rows: true, Ideal: func(s []int) ideal.Operator { return ideal.Dense(s[0], s[1], 8) },
		Bound: func(q bounds.Question, s []int) *bounds.Bound { return bounds.Dense(q, s[0], s[1], 8) }}
	return []Driver{
		{Name: "flexasr-addpool", Doc: "sums of pairs of timesteps, AdaptivFloat<8,3>, bias 2",
			Sizes: "timesteps x width", Arity: 2, New: func(sizes []int) (*ila.Task, error) {
				return flexasr.AddPool(sizes[0], sizes[1], 2)
			}, All: func() *ila.Family { return flexasr.AddPoolAll(2) },
			Errors: poolErrors(bounds.AddPool, func(x, y float64) float64 { return x + y })},
		{Name: "flexasr-linear", Doc: "linear layer with bias, AdaptivFloat<8,3>, all biases of exponents 2",
			Sizes: "m x n x k", Arity: 3, New: func(sizes []int) (*ila.Task, error) {
				return flexasr.Linear(sizes[0], sizes[1], sizes[2],
					flexasr.LinearOptions{Weights: 2, Inputs: 2, Biases: 2, Outputs: 2})
			}, Errors: &Errors{Sizes: "n x k", Rows: true, Ideal: func(s []int) ideal.Operator { return ideal.Linear(s[0], s[1], [4]int{2, 2, 2, 2}) },
				Bound: func(q bounds.Question, s []int) *bounds.Bound {
					return bounds.Linear(q, s[0], s[1], [4]int{2, 2, 2, 2})
				}}},
		{Name: "flexasr-lstm", Doc: "one timestep of an LSTM, AdaptivFloat<8,3>, all biases of exponents 2",
			Sizes: "states x inputs", Arity: 2, New: func(sizes []int) (*ila.Task, error) {
				return flexasr.LSTM(sizes[0], sizes[1],
					flexasr.LinearOptions{Weights: 2, Inputs: 2, Biases: 2, Outputs: 2})
			}},
		{Name: "flexasr-maxpool", Doc: "max-pool over pairs of timesteps, AdaptivFloat<8,3>, bias 2",
			Sizes: "timesteps x width", Arity: 2, New: func(sizes []int) (*ila.Task, error) {
				return flexasr.MaxPool(sizes[0], sizes[1], 2)
			}, All: func() *ila.Family { return flexasr.MaxPoolAll(2) },
			Errors: poolErrors(bounds.MaxPool, math.Max)},
		{Name: "flexasr-meanpool", Doc: "mean-pool over pairs of timesteps, AdaptivFloat<8,3>, bias 2",
			Sizes: "timesteps x width", Arity: 2, New: func(sizes []int) (*ila.Task, error) {
				return flexasr.MeanPool(sizes[0], sizes[1], 2)
			}, All: func() *ila.Family { return flexasr.MeanPoolAll(2) },
			Errors: poolErrors(bounds.MeanPool, func(x, y float64) float64 { return (x + y) / 2 })},
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
		dense("vta-dense-relu", "the same with bias and relu", vta.DenseOptions{Shift: 8, Bias: true, Relu: true}),
		{Name: "vta-dense-rows", Doc: "as vta-dense, in chunks of rows, one after the other", Sizes: "m x n x k x rows",
			Arity: 4, New: func(sizes []int) (*ila.Task, error) {
				t, err := vta.DenseRows(vta.Configs[0], sizes[0], sizes[1], sizes[2], sizes[3], vta.DenseOptions{Shift: 8})
				if t != nil {
					t.Name = "vta-dense-rows"
				}
				return t, err
			}, All: func() *ila.Family {
				return vta.DenseRowsAll("vta-dense-rows", vta.Configs[0], vta.DenseOptions{Shift: 8})
			}},
		dense("vta-dense-scale", "with bias, a requantisation by 77 / 2^15: product by 77, shift by 15, clip",
			vta.DenseOptions{Scale: 77, Shift: 15, Bias: true}),
	}
}

// poolErrors are those of a pool over pairs of timesteps on FlexASR, with bias 2.
func poolErrors(kind string, of func(x, y float64) float64) *Errors {
	return &Errors{Ideal: func(s []int) ideal.Operator { return ideal.Pool(s[1], 2, of) },
		Bound: func(q bounds.Question, s []int) *bounds.Bound { return bounds.Pool(q, kind, s[0], s[1], 2) }}
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
