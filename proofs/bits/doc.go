// Package bits checks certificates about circuits: that a netlist computes what a specification
// over bit-vectors says. It shares no code with the prover, and knows no other package of tv: it
// reads both texts, has its own models of cells and makes its own gates.
//
//	certificate.go  the file: header, texts and body; [Check] and the [Claim] it returns
//	question.go     both texts in one graph, and what has to be shown of them
//	machine.go      proofs by induction over cycles: an invariant, its start and its step
//	gates           and-inverter graph, the formulas that words are made of gates by, lemmas by
//	                unit propagation, words as polynomials
//	circuit         what texts of any language are read into
//	bv              the reading of specifications over bit-vectors
//	verilog         the reading of Verilog and of Yosys' JSON, with the cells of vendors
//	comb            the reading of CIRCT's dialects hw, comb and seq
//	calyx           the reading of Calyx
//	reticle         the reading of Reticle's intermediate language
//	tokens          words of texts, for these three
//	circuittest     for tests of readings: runs from the first cycle on
//
// The format, the formulas and what has to be trusted are in doc/certificates.md, section 7.
package bits
