// Package hwmodels lists the machines that tv models and the drivers that map operations onto them.
//
//	Machine   a model by name, and where there is one the same machine in plain Go
//	Driver    makes the program for an operation of given sizes, or of all, with the contract on it
//	Carrier   the driver that carries out an accelerator call of a Glenside program
//
// The models are in the packages below; the rules onto them are in the directory rules.
package hwmodels

import (
	"fmt"

	"tv/hwmodels/crossbar"
	crossbarplain "tv/hwmodels/crossbar/plain"
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

// A Driver makes the program for an operation of given sizes, and the contract on it.
type Driver struct {
	Name, Doc string
	Sizes     string // "m x n x k"; as many numbers as names
	Arity     int
	New       func(sizes []int) (*ila.Task, error)
	All       func() *ila.Family // the driver for all sizes, or nil

	// Nest is the loop nest that New unrolls, with settings such as lda=300, or nil; it is proved at sizes without being
	// unrolled.
	Nest func(sizes []int, settings []string) (*ila.Nest, error)

	On map[string]func(sizes []int) (*ila.Task, error) // the program on other machines, by name
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
	}
	return Driver{}, false
}

// Machines returns all machines, sorted by name.
func Machines() []Machine {
	return []Machine{
		{Name: "crossbar", Doc: "a memristor crossbar of 256x256 weights in cells of 4 bits, behind registers", New: func() *ila.Model {
			return crossbarOf("crossbar", crossbar.Default())
		}, Plain: func() Plain { return plainCrossbar{crossbar.Plain(crossbar.Default())} }},
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
		case "crossbar":
			list = append(list, Machine{Name: "crossbar-serial", Doc: "the crossbar, driven by one bit of the inputs at a time", New: func() *ila.Model {
				return crossbarOf("crossbar-serial", serial())
			}, Plain: func() Plain { return plainCrossbar{crossbar.Plain(serial())} }})
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
	return []Driver{
		cim("cim-batched", "a batch of products as cim-gemm makes them, one after the other", "batch x m x n x k", 4,
			func(s []int, o crossbar.Options) (*ila.Nest, error) {
				return crossbar.Batched(s[0], s[1], s[2], s[3], o)
			}),
		gemm(),
		cim("cim-gemv", "alpha·op(a)·x + beta·y, the same of a matrix of m x n and a vector", "m x n", 2,
			func(s []int, o crossbar.Options) (*ila.Nest, error) { return crossbar.Gemv(s[0], s[1], o) }),
		saturating(),
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
