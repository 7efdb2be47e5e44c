// Package flat has netlists that are to be written: one module of cells and nets, without hierarchy and without expressions.
//
//	flat.go     Module: signals, bits, cells
//	verilog.go  Verilog, as Yosys and others read it
//	json.go     the JSON that Yosys writes
//
// What is written is read by packages verilog and yosys; the same module has the same bytes each time. Names are those of the caller, who
// keeps them apart: a signal, a port and a cell of one name are one name in Verilog.
package flat

import "math/big"

// A Kind says what a signal is.
type Kind uint8

// The kinds of signals.
const (
	Wire Kind = iota
	Input
	Output
)

// A Signal is a port or a wire of so many bits.
type Signal struct {
	Name  string
	Width int
	Kind  Kind
}

// A Bit is one of a signal, or a constant.
type Bit struct {
	Signal int // its place in Module.Signals; Constant, Open
	Index  int // of the bit; of a constant its value
}

// What a bit is that belongs to no signal: a constant, or a pin that is connected to nothing.
const (
	Constant = -1
	Open     = -2
)

// A Param is a parameter of a cell: a number of Width bits, a whole number, or a text.
type Param struct {
	Name  string
	Text  string
	Width int      // 0: a whole number
	Value *big.Int // nil: Text
}

// A Pin is a connection, its bits the least first.
type Pin struct {
	Name   string
	Output bool
	Bits   []Bit
}

// A Cell is an instance.
type Cell struct {
	Type, Name string
	Params     []Param
	Pins       []Pin
}

// A Module is a netlist. Outputs are what Drivers say; other signals are driven by cells, or are inputs.
type Module struct {
	Name    string
	Signals []Signal
	Cells   []Cell
	Drivers []Driver
}

// A Driver says what the bits of an output are, the least first.
type Driver struct {
	Signal int
	Bits   []Bit
}
