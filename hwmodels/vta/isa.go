// Package vta models VTA, the open matrix accelerator of TVM: its instruction words, its machine, its
// listings, and a driver for dense layers with the contract on it.
//
//	Config       the layout of instruction words and the choices where official implementations differ
//	Fields       an instruction taken apart; Encode and Decode move between it and the 128 bits
//	NewModel     the machine as an instruction-level model
//	loading      how an implementation takes LOAD, and counts of 0 (loads.go)
//	recheck      has proofs/races read a program again, of which units were shown not to race (recheck.go)
//	ParseListing an assembler; Fields.String disassembles
//	Dense        the program for a dense layer of given sizes and its contract
//
// A tile of inputs is 1x16 int8, of weights 16x16 int8 (rows are outputs), of accumulators 1x16 int32, of
// outputs 1x16 int8. Addresses in DRAM count tiles of the memory that is loaded; memories count tiles.
//
// Source: T. Moreau et al., A Hardware-Software Blueprint for Flexible Deep Learning Specialization, IEEE
// Micro 39(5), 2019, and the public headers and sources of its implementations.
package vta

import (
	"fmt"
	"slices"
	"strings"
)

// Opcodes.
const (
	OpLoad = iota
	OpStore
	OpGemm
	OpFinish
	OpALU
)

// Memory types of LOAD and STORE.
const (
	MemUop = iota
	MemWgt
	MemInp
	MemAcc
	MemOut
	MemAcc8
)

// Operations of ALU.
const (
	ALUMin = iota
	ALUMax
	ALUAdd
	ALUShr
	ALUMul
)

var (
	opNames  = []string{"load", "store", "gemm", "finish", "alu"}
	memNames = []string{"uop", "wgt", "inp", "acc", "out", "acc8"}
	aluNames = []string{"min", "max", "add", "shr", "mul"}
)

// A Word is an instruction: bits 63:0 and 127:64.
type Word struct{ Low, High uint64 }

// A field is Width bits from bit Low of the word on; no field lies across the middle.
type field struct {
	name       string
	low, width int
}

func (f field) get(w Word) uint64 {
	half, low := w.Low, f.low
	if low >= 64 {
		half, low = w.High, low-64
	}
	return half >> low & (1<<f.width - 1)
}

func (f field) put(w *Word, v uint64) {
	half, low := &w.Low, f.low
	if low >= 64 {
		half, low = &w.High, low-64
	}
	*half |= v << low
}

var common = []field{{"op", 0, 3}, {"pop_prev", 3, 1}, {"pop_next", 4, 1}, {"push_prev", 5, 1}, {"push_next", 6, 1}}

// memoryFields are those of LOAD and STORE; in the older layout memory types have 2 bits.
func memoryFields(older bool) []field {
	list := []field{{"mem", 7, 3}, {"sram", 10, 16}, {"dram", 26, 32}, {"reserved", 58, 6}}
	if older {
		list = []field{{"mem", 7, 2}, {"sram", 9, 16}, {"dram", 25, 32}, {"reserved", 57, 7}}
	}
	return append(list, field{"y", 64, 16}, field{"x", 80, 16}, field{"stride", 96, 16},
		field{"ypad0", 112, 4}, field{"ypad1", 116, 4}, field{"xpad0", 120, 4}, field{"xpad1", 124, 4})
}

var loop = []field{{"reset", 7, 1}, {"begin", 8, 13}, {"end", 21, 14}, {"out", 35, 14}, {"in", 49, 14},
	{"reserved", 63, 1}, {"dst_out", 64, 11}, {"dst_in", 75, 11}, {"src_out", 86, 11}, {"src_in", 97, 11}}

var gemmFields = append(loop[:len(loop):len(loop)], field{"wgt_out", 108, 10}, field{"wgt_in", 118, 10})

// aluFields are those of ALU; in the older layout operations have 2 bits.
func aluFields(older bool) []field {
	if older {
		return append(loop[:len(loop):len(loop)], field{"alu", 108, 2}, field{"use_imm", 110, 1},
			field{"imm", 111, 16}, field{"reserved2", 127, 1})
	}
	return append(loop[:len(loop):len(loop)], field{"alu", 108, 3}, field{"use_imm", 111, 1}, field{"imm", 112, 16})
}

// fieldsOf returns the layout of an opcode without the common fields.
func fieldsOf(op uint64, older bool) []field {
	switch op {
	case OpLoad, OpStore:
		return memoryFields(older)
	case OpGemm:
		return gemmFields
	case OpALU:
		return aluFields(older)
	case OpFinish:
		return nil
	}
	return nil
}

// Fields is an instruction taken apart: the value of each field by name. Fields that are 0 may be missing.
type Fields map[string]uint64

// Encode returns the word of an instruction. It fails where a field is unknown to the opcode or too wide.
func Encode(f Fields, older bool) (Word, error) {
	var w Word
	op := f["op"]
	if op > OpALU {
		return w, fmt.Errorf("there is no opcode %d", op)
	}
	known := map[string]bool{}
	for _, x := range slices.Concat(common, fieldsOf(op, older)) {
		known[x.name] = true
		if v := f[x.name]; v >= 1<<x.width {
			return w, fmt.Errorf("%s is %d and has %d bits", x.name, v, x.width)
		}
		x.put(&w, f[x.name])
	}
	for name := range f {
		if !known[name] {
			return w, fmt.Errorf("%s has no field %s", opNames[op], name)
		}
	}
	return w, nil
}

// Decode takes a word apart. Every word has fields; what they mean is the machine's business.
func Decode(w Word, older bool) Fields {
	f := Fields{}
	op := common[0].get(w)
	for _, x := range slices.Concat(common, fieldsOf(op, older)) {
		if v := x.get(w); v != 0 || x.name == "op" {
			f[x.name] = v
		}
	}
	return f
}

// String prints an instruction as a line of a listing: "load inp sram=0 dram=256 y=1 x=16 stride=16".
func (f Fields) String() string {
	op := f["op"]
	if op > OpALU {
		return fmt.Sprintf("illegal op=%d", op)
	}
	parts := []string{opNames[op]}
	name := func(field string, names []string) {
		if v := f[field]; v < uint64(len(names)) {
			parts = append(parts, names[v])
		} else {
			parts = append(parts, fmt.Sprintf("%s=%d", field, v))
		}
	}
	switch op {
	case OpLoad, OpStore:
		name("mem", memNames)
	case OpALU:
		name("alu", aluNames)
	}
	for _, x := range slices.Concat(fieldsOf(op, true), common[1:]) { // the older layout has one field more
		v := f[x.name]
		switch {
		case x.name == "mem" || x.name == "alu" || x.name == "use_imm" || v == 0 && x.name != "imm":
		case x.name == "imm":
			if f["use_imm"] != 0 {
				parts = append(parts, fmt.Sprintf("imm=%d", int16(v)))
			}
		case x.width == 1:
			parts = append(parts, x.name)
		default:
			parts = append(parts, fmt.Sprintf("%s=%d", x.name, v))
		}
	}
	return strings.Join(parts, " ")
}
