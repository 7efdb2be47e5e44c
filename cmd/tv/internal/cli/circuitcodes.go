package cli

// circuitCodes are those of specifications over bit-vectors and of netlists.
var circuitCodes = []Code{
	{
		Name:    "syntax",
		Meaning: "a specification over bit-vectors, or a Verilog text, that is not one: what was expected there",
		run:     "tv check a.bv a.bv\n-- a.bv --\n(spec (in a) (out y 1 a))\n",
	},
	{
		Name:    "ill-typed",
		Meaning: "a term over bit-vectors whose parts do not go together: widths, numbers of arguments, names",
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
	},
	{
		Name:    "no-module",
		Meaning: "a Verilog text without a module",
	},
	{
		Name:    "pin-twice",
		Meaning: "an instance that connects a pin twice",
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
}
