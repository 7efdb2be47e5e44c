package cli

// circuitCodes are those of specifications over bit-vectors and of netlists.
var circuitCodes = []Code{
	{
		Name:    "syntax",
		Meaning: "a text about circuits that is none of its language: what was expected there",
		run:     "tv check a.bv a.bv\n-- a.bv --\n(spec (in a) (out y 1 a))\n",
	},
	{
		Name:    "ill-typed",
		Meaning: "a term or operation over bits whose parts do not go together: widths, numbers of arguments, names",
		run:     "tv check a.bv a.bv\n-- a.bv --\n(spec (in a 8) (in b 4) (out y 8 (bvadd a b)))\n",
	},
	{
		Name:    "literal-width",
		Meaning: "a constant with more bits than it has by its own account",
		run:     "tv check a.bv a.bv\n-- a.bv --\n(spec (in a 4) (out y 4 (bvadd a (_ bv18 4))))\n",
	},
	{
		Name:    "unsupported",
		Meaning: "a construct that is read by other tools and not by tv, which names it",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  FDCE r (.C(a), .CLR(b), .D(a), .Q(y));\nendmodule\n",
	},
	{
		Name:    "no-module",
		Meaning: "a text about circuits without a module, component or function",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (out y 1 a))\n-- n.v --\n// nothing\n",
	},
	{
		Name:    "pin-twice",
		Meaning: "an instance that connects a pin twice",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  LUT2 #(.INIT(4'h8)) u (.I0(a), .I0(b), .O(y));\nendmodule\n",
	},
	{
		Name:    "port-mismatch",
		Meaning: "circuits whose ports are not the same: an output that AFTER lacks, an input that BEFORE lacks, another width",
		run:     "tv check a.bv b.bv\n-- a.bv --\n(spec (in a 8) (out y 8 a))\n-- b.bv --\n(spec (in a 9) (out y 8 ((_ extract 7 0) a)))\n",
	},
	{
		Name:    "port-missing",
		Meaning: "an input of BEFORE that AFTER does not read (a warning)",
	},
	{
		Name:    codeCircuitCertificate,
		Meaning: "a certificate about circuits that shows nothing: what the checker found wrong with it",
		run:     "tv verify c.cert\n-- c.cert --\ntv bits certificate 1\nbefore bv 00 0 a.bv\n\n",
	},
	{
		Name:    "two-drivers",
		Meaning: "a net that two cells, assignments or inputs drive",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  assign y = a;\n  LUT2 #(.INIT(4'h8)) u (.I0(a), .I1(b), .O(y));\nendmodule\n",
	},
	{
		Name:    "undriven",
		Meaning: "an output, or a net that is read, which nothing drives; an open pin that matters",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  LUT2 #(.INIT(4'h8)) u (.I0(a), .I1(c), .O(y));\nendmodule\n",
	},
	{
		Name:    "comb-cycle",
		Meaning: "a bit that is made of itself through no register",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  LUT2 #(.INIT(4'h8)) u (.I0(a), .I1(y), .O(y));\nendmodule\n",
	},
	{
		Name:    "unknown-cell",
		Meaning: "an instance of what is neither a module of the text nor a cell of the architecture",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  LUT9 u (.I0(a), .O(y));\nendmodule\n",
	},
	{
		Name:    "unknown-pin",
		Meaning: "a pin that a cell or module does not have",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  LUT2 #(.INIT(4'h8)) u (.I0(a), .IN1(b), .O(y));\nendmodule\n",
	},
	{
		Name:    "unknown-parameter",
		Meaning: "a parameter that a cell does not have",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  LUT2 #(.LUT(4'h8)) u (.I0(a), .I1(b), .O(y));\nendmodule\n",
	},
	{
		Name:    "width",
		Meaning: "a connection or parameter of another width than the pin's: nothing is cut or extended silently; a bit that a net does not have",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  LUT2 #(.INIT(4'h8)) u (.I0({a, b}), .I1(b), .O(y));\nendmodule\n",
	},
	{
		Name:    "four-valued",
		Meaning: "x or z: values are 0 and 1; only registers may start as anything",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  LUT2 #(.INIT(4'h8)) u (.I0(a), .I1(1'bx), .O(y));\nendmodule\n",
	},
	{
		Name:    "illegal-configuration",
		Meaning: "parameters that a cell cannot have together, or a text that one of them cannot be",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  wire [7:0] o;\n  CARRY8 #(.CARRY_TYPE(\"BOTH\")) u (.CI(a), .O(o));\n  assign y = o[0];\nendmodule\n",
	},
	{
		Name:    "arch-unknown",
		Meaning: "cells of two architectures, or such as several have: --arch says which",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  wire t;\n  LUT2 #(.INIT(4'h8)) u (.I0(a), .I1(b), .O(t));\n  MISTRAL_NOT v (.A(t), .Q(y));\nendmodule\n",
	},
	{
		Name:    "clock-unknown",
		Meaning: "a register that no input clocks, or another one than --clock says",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  wire t;\n  INV n (.I(a), .O(t));\n  FDRE r (.C(t), .D(b), .Q(y));\nendmodule\n",
	},
	{
		Name:    "two-clocks",
		Meaning: "registers that two inputs clock",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\n  wire t;\n  FDRE q (.C(a), .D(b), .Q(t));\n  FDRE r (.C(b), .D(t), .Q(y));\nendmodule\n",
	},
	{
		Name:    "top-unknown",
		Meaning: "several modules of which none is a part of another, or none of the name that --top says",
		run:     "tv check a.bv n.v\n-- a.bv --\n(spec (in a 1) (in b 1) (out y 1 (bvand a b)))\n-- n.v --\nmodule m(input a, b, output y);\nendmodule\nmodule n(input a, output y);\nendmodule\n",
	},
	{
		Name:    "module-wins",
		Meaning: "a module of the text with the name of a cell: it is the module that instances mean (a warning)",
	},
}
