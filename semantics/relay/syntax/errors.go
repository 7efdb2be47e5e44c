package syntax

// The codes of what is wrong with a text.
const (
	CodeSyntax     = "bad-syntax"
	CodeVersion    = "unknown-version"
	CodeNoVersion  = "version-missing"
	CodeEntry      = "entry-missing"
	CodeDuplicate  = "duplicate-binding"
	CodeName       = "unknown-name"
	CodeOutside    = "outside-subset"
	CodeUnused     = "unused-binding"
	CodeMetadata   = "bad-metadata"
	CodeDangling   = "dangling-metadata"
	CodeOp         = "unsupported-op"
	CodeArity      = "wrong-arity"
	CodeAttr       = "unknown-attribute"
	CodeValue      = "bad-attribute"
	CodeMeaning    = "unsupported-attribute"
	CodeAttrs      = "attributes-missing"
	CodeTranspose  = "transpose-unknown"
	CodeShape      = "shape-mismatch"
	CodeType       = "type-mismatch"
	CodeNote       = "note-mismatch"
	CodeOpen       = "dynamic-shape"
	CodeNumber     = "ambiguous-number"
	CodeNoMeaning  = "no-inference-meaning"
	CodeUntyped    = "type-missing"
	CodeOnlyTensor = "not-a-tensor"
)

// A Code is a kind of problem with a text of Relay that no other language has.
type Code struct {
	Name, Meaning string
	Text          string // one that has the problem
}

// Codes lists the codes that are Relay's own, each with a text.
func Codes() []Code {
	body := func(params, body string) string {
		return "#[version = \"0.0.5\"]\ndef @main(" + params + ") {\n  " + body + "\n}\n"
	}
	const x = "%x: Tensor[(1, 4), float32]"
	return []Code{
		{CodeVersion, "the text is of a version of Relay's notation that tv does not read",
			"#[version = \"0.0.6\"]\ndef @main(" + x + ") {\n  %x\n}\n"},
		{CodeEntry, "the text does not have the function that is to be read",
			"#[version = \"0.0.5\"]\ndef @f(" + x + ") {\n  %x\n}\n"},
		{CodeDuplicate, "a number, a parameter or a function is bound twice", body(x, "%0 = nn.relu(%x);\n  %0 = tanh(%x);\n  %0")},
		{CodeOutside, "Relay has it and the subset that tv reads does not: match, ref, recursion, calls of globals, type variables, " +
			"free variables, conditions that are not constant", body(x, "@f(%x)")},
		{CodeMetadata, "the metadata of a text is not a graph in JSON as TVM writes it, or an array in it is broken",
			body(x, "%x") + "#[metadata]\n{\n"},
		{CodeDangling, "a text refers to metadata that it does not have", body(x, "add(%x, meta[relay.Constant][0])")},
		{CodeAttr, "an operator has no attribute of that name", body(x, "nn.relu(%x, axis=1)")},
		{CodeValue, "an attribute has a value that it cannot have, or one that has no default is missing",
			body(x, "nn.softmax(%x, axis=2)")},
		{CodeMeaning, "an attribute has a value that tv has no meaning for, such as a dilation of 2",
			body("%x: Tensor[(1, 4, 8, 8), float32]", "nn.max_pool2d(%x, pool_size=[2, 2], ceil_mode=True)")},
		{CodeTranspose, "nothing says whether an operand of nn.batch_matmul is transposed: its dims fit both ways, and releases of TVM " +
			"differ; --tvm says which one wrote the text", body("%x: Tensor[(1, 4, 4), float32]", "nn.batch_matmul(%x, %x)")},
		{CodeNote, "a type that the text notes is not the one inferred", body(x, "nn.relu(%x) /* ty=Tensor[(1, 5), float32] */")},
		{CodeOpen, "a dim is left open", body("%x: Tensor[(?, 4), float32]", "nn.relu(%x)")},
		{CodeNumber, "a decimal number without a suffix, whose type differs between releases of TVM", body(x, "add(%x, 0.5)")},
		{CodeNoMeaning, "a component of a result has no meaning in inference, such as the mask of nn.dropout",
			body(x, "%0 = nn.dropout(%x);\n  %0.1")},
		{CodeUntyped, "a parameter has no type", body("%x", "nn.relu(%x)")},
	}
}
