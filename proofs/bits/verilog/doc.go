// Package verilog reads Verilog texts, and what Yosys writes as JSON, for the checker: designs of
// behaviour and netlists of vendors' cells.
//
//	words.go       words of a text
//	parse.go       modules, declarations, expressions
//	statements.go  blocks, statements and functions
//	yosys.go, yosysregisters.go
//	               netlists in the JSON of Yosys, as the modules that Verilog would have
//	modules.go     modules flattened, as functions that give the gate of a net at a cycle
//	generated.go   items that are generated
//	process.go     blocks run, as wires that choose among what paths assign
//	expression.go  expressions, with their widths and signs
//	models.go      what cells compute
//	dsp.go         the DSP slice of UltraScale+
//
// Start with [Read]. What is not read for sure is refused.
package verilog

import (
	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// Read is the circuit of module top of a text, whose language is verilog or yosys; cells are those
// of arch.
func Read(v *circuit.View, language, text, top, arch string) *circuit.Circuit {
	if language == "yosys" {
		return flatten(v, text, readYosys(text), top, arch)
	}
	gates.Need(language == "verilog", "the language %q", language)
	return flatten(v, text, readModules(text), top, arch)
}
