// Package hwmodels lists the machines that tv models and the drivers that map operations onto them.
//
//	Machine   a model by name, and where there is one the same machine in plain Go
//	Driver    makes the program for an operation of given sizes, or of all, with the contract on it
//	Carrier   the driver that carries out an accelerator call of a Glenside program
//
// The models are in the packages below; the rules onto them are in the directory rules.
package hwmodels

import (
	"tv/hwmodels/flexasr"
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
	New       func(sizes []int) (*ila.Task, error)
	All       func() *ila.Family // the driver for all sizes, or nil

	On map[string]func(sizes []int) (*ila.Task, error) // the program on other machines, by name
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
	return []Driver{
		{Name: "flexasr-addpool", Doc: "sums of pairs of timesteps, AdaptivFloat<8,3>, bias 2",
			Sizes: "timesteps x width", Arity: 2, New: func(sizes []int) (*ila.Task, error) {
				return flexasr.AddPool(sizes[0], sizes[1], 2)
			}, All: func() *ila.Family { return flexasr.AddPoolAll(2) }},
		{Name: "flexasr-linear", Doc: "linear layer with bias, AdaptivFloat<8,3>, all biases of exponents 2",
			Sizes: "m x n x k", Arity: 3, New: func(sizes []int) (*ila.Task, error) {
				return flexasr.Linear(sizes[0], sizes[1], sizes[2],
					flexasr.LinearOptions{Weights: 2, Inputs: 2, Biases: 2, Outputs: 2})
			}},
		{Name: "flexasr-lstm", Doc: "one timestep of an LSTM, AdaptivFloat<8,3>, all biases of exponents 2",
			Sizes: "states x inputs", Arity: 2, New: func(sizes []int) (*ila.Task, error) {
				return flexasr.LSTM(sizes[0], sizes[1],
					flexasr.LinearOptions{Weights: 2, Inputs: 2, Biases: 2, Outputs: 2})
			}},
		{Name: "flexasr-maxpool", Doc: "max-pool over pairs of timesteps, AdaptivFloat<8,3>, bias 2",
			Sizes: "timesteps x width", Arity: 2, New: func(sizes []int) (*ila.Task, error) {
				return flexasr.MaxPool(sizes[0], sizes[1], 2)
			}, All: func() *ila.Family { return flexasr.MaxPoolAll(2) }},
		{Name: "flexasr-meanpool", Doc: "mean-pool over pairs of timesteps, AdaptivFloat<8,3>, bias 2",
			Sizes: "timesteps x width", Arity: 2, New: func(sizes []int) (*ila.Task, error) {
				return flexasr.MeanPool(sizes[0], sizes[1], 2)
			}, All: func() *ila.Family { return flexasr.MeanPoolAll(2) }},
		{Name: "systolic-matmul", Doc: "matrix product, int8 to int32, on an array of k rows and n columns",
			Sizes: "m x k x n", Arity: 3, New: func(sizes []int) (*ila.Task, error) {
				return systolic.MatMul(sizes[0], sizes[1], sizes[2])
			}, On: map[string]func([]int) (*ila.Task, error){"systolic-step": func(sizes []int) (*ila.Task, error) {
				return systolic.OneStep(sizes[0], sizes[1], sizes[2])
			}}},
		dense("vta-dense", "dense layer, int8 to int8: product, shift by 8, clip to [-127, 127]",
			vta.DenseOptions{Shift: 8}),
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
