package mlir

import (
	"slices"
	"strings"
)

// nameToday returns the name that an operation has in the dialects of today: func, addf and load had none before.
func nameToday(name string) string {
	if rest, ok := strings.CutPrefix(name, "std."); ok {
		name = rest
	}
	switch name {
	case "func", "func.func", "builtin.func":
		return "func.func"
	case "return", "call":
		return "func." + name
	case "dim", "load", "store", "alloc", "alloca", "dealloc", "subview", "copy":
		return "memref." + name
	case "memref_cast":
		return "memref.cast"
	case "splat":
		return "vector.splat"
	case "arith.maxf":
		return "arith.maximumf"
	case "arith.minf":
		return "arith.minimumf"
	}
	if new, ok := oldArith[name]; ok {
		return "arith." + new
	}
	return name
}

// oldArith are operations of arith by the names that they had when they were part of std.
var oldArith = func() map[string]string {
	out := map[string]string{"constant": "constant", "select": "select", "cmpi": "cmpi", "cmpf": "cmpf", "absf": "",
		"signed_divi": "divsi", "unsigned_divi": "divui", "divi_signed": "divsi", "divi_unsigned": "divui",
		"remi_signed": "remsi", "remi_unsigned": "remui", "signed_shift_right": "shrsi", "shift_right_signed": "shrsi",
		"shift_right_unsigned": "shrui", "shift_left": "shli", "and": "andi", "or": "ori", "xor": "xori",
		"sexti": "extsi", "zexti": "extui", "fpext": "extf", "fptrunc": "truncf", "floordivi_signed": "floordivsi",
		"ceildivi_signed": "ceildivsi", "maxf": "maximumf", "minf": "minimumf"}
	for _, n := range strings.Fields("addi subi muli addf subf mulf divf negf remf index_cast trunci sitofp uitofp fptosi fptoui " +
		"maxsi minsi maxui minui") {
		out[n] = n
	}
	delete(out, "absf")
	return out
}()

// binaries, unaries and conversions are operations of each form.
var (
	binaries = strings.Fields("arith.addi arith.subi arith.muli arith.divsi arith.divui arith.remsi arith.remui arith.floordivsi " +
		"arith.ceildivsi arith.ceildivui arith.andi arith.ori arith.xori arith.shli arith.shrsi arith.shrui arith.maxsi " +
		"arith.minsi arith.maxui arith.minui arith.addf arith.subf arith.mulf arith.divf arith.maximumf arith.minimumf " +
		"arith.maxnumf arith.minnumf math.powf")
	unaries = strings.Fields("arith.negf math.exp math.sqrt math.absf math.absi math.log math.erf math.sin math.cos math.tan " +
		"math.tanh math.floor math.ceil math.round math.trunc math.rsqrt")
	conversions = strings.Fields("arith.index_cast arith.index_castui arith.extsi arith.extui arith.trunci arith.sitofp " +
		"arith.uitofp arith.fptosi arith.fptoui arith.extf arith.truncf")
)

// customNames are the operations that there are.
func customNames() (out []string) {
	for name := range customs {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
