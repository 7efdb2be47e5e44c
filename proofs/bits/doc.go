// Package bits checks certificates about circuits: that a netlist computes what a specification
// over bit-vectors says. It shares no code with the prover, and knows no other package of tv: it
// reads both texts, has its own models of cells and makes its own gates.
//
//	certificate.go  the file: header, texts and body; [Check] and the [Claim] it returns
//	spec.go         specifications (.bv), as gates
//	verilog.go      Verilog texts: words and syntax
//	yosys.go        netlists in the JSON of Yosys, as the modules that Verilog would have
//	modules.go      modules flattened, as functions that give the gate of a net at a cycle
//	expression.go   Verilog expressions, with their widths and signs
//	models.go       what cells compute
//	dsp.go          the DSP slice of UltraScale+
//	gates.go        and-inverter graph, and the formulas that words are made of gates by
//	lemmas.go       the lines of a body of kind gates, each checked by unit propagation
//	polynomials.go  what kind algebra has beside: words as polynomials, nodes replaced by what they are
//
// The format, the formulas and what has to be trusted are in doc/certificates.md, section 7.
package bits
