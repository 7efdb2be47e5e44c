package cli

import (
	"tv/glenside/recexpr"
	"tv/semantics/relay/syntax"
	"tv/semantics/relay/translate"
)

// importCodes returns the codes of models that are imported.
func importCodes() (list []Code) {
	for _, c := range syntax.Codes() {
		list = append(list, Code{Name: c.Name, Meaning: c.Meaning, run: "tv import a.relay\n-- a.relay --\n" + c.Text})
	}
	const heading = "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(2), float32]) {\n  "
	dump := func(text, more string) string { return "tv import a.json" + more + "\n-- a.json --\n" + text + "\n" }
	return append(list,
		Code{Name: translate.CodeConstant, Meaning: "a tensor of several numbers in the metadata of a model, which is an input with --constants alone",
			run: "tv import a.relay\n-- a.relay --\n" + heading + "add(%x, meta[relay.Constant][0])\n}\n" + constantMetadata},
		Code{Name: translate.CodeUntyped, Meaning: "a constant of a model has a type that it does not get from its use in Glenside",
			run: "tv import a.relay\n-- a.relay --\n" + heading + "(%x, 1)\n}\n"},
		Code{Name: translate.CodeIllTyped, Meaning: "what Glenside has for a call of a model is not well formed for its operands"},
		Code{Name: codeUncertified, Meaning: "a rule that --lower, tv map or tv isa is to use is not proved",
			run: "tv map a.sexp --rules a.rules\n-- a.sexp --\n(input A (shape 2))\n(access A 1)\n-- a.rules --\n" +
				"(rule r (vars (?a ((?n) ()))) (lhs (access ?a 1)) (rhs (access (access-pad ?a zero-padding 0 1 0) 1)))\n"},
		Code{Name: recexpr.CodeDump, Meaning: "a dump of a program, or its companion file, is not in the form that dumps have",
			run: dump(`[[0, "x", [1]]]`, "")},
		Code{Name: recexpr.CodeCompanion, Meaning: "the companion file of a dump has another shape for a node than the one inferred",
			run: dump(`[[0, "x", []], [1, "access-tensor", [0]], [2, "0", []], [3, "access", [1, 2]]]`, " --companion b.json") +
				"-- b.json --\n{\"0\": {\"relay_shape\": [2]}, \"3\": {\"shape\": [2], \"item_shape\": []}}\n"},
		Code{Name: recexpr.CodeShape, Meaning: "nothing says the shape of a tensor of a dump, or a call ends with a shape that is not its result's",
			run: dump(`[[0, "x", []], [1, "access-tensor", [0]], [2, "0", []], [3, "access", [1, 2]]]`, "")},
		Code{Name: recexpr.CodeWindows, Meaning: "windows of a dump have two strides that differ, and it is not known of which dims they are",
			run: dump(`[[0, "x", []], [1, "access-tensor", [0]], [2, "2", []], [3, "shape", [2, 2]], [4, "1", []], `+
				`[5, "access-windows", [1, 3, 4, 2]]]`, " --shapes s.json") + "-- s.json --\n{\"x\": [4, 4]}\n"},
		Code{Name: syntax.CodeNoVersion, Meaning: "a warning: a text of Relay does not say its version"},
		Code{Name: syntax.CodeUnused, Meaning: "a warning: a let of a text of Relay is not used, and no part of the program"},
		Code{Name: syntax.CodeAttrs, Meaning: "a warning: attributes are in metadata that the text does not have, and were found by shapes"},
		Code{Name: translate.CodeRenamed, Meaning: "a warning: an input has another name in the program, as its own is a word of Glenside"},
		Code{Name: recexpr.CodeUnused, Meaning: "a warning: nodes of a dump that its last one does not use"},
	)
}

// constantMetadata has the two numbers 1 and 2.
const constantMetadata = `#[metadata]
{"root": 0, "nodes": [{"type_key": "Map", "keys": ["relay.Constant"], "data": [1]}, {"type_key": "Array", "data": [2]},
  {"type_key": "relay.Constant", "attrs": {"data": "0"}}],
 "b64ndarrays": ["P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAAEA="]}
`
