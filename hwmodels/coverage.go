package hwmodels

// A Mapping is an operation that publications map onto a machine, and where tv looks at what it has of that.
type Mapping struct {
	Pattern string // the operation
	Machine string
	Driver  string // "": there is none
	Call    string // of a Glenside program, or of the contract on it: "cim-gemm(1, 0)"
	Sizes   string // of the driver
	Errors  string // sizes for errors, and
	Range   string // where elements of operands lie
}

// Mappings returns the rows of what publications map, and after them products on the crossbar and the array.
func Mappings() []Mapping {
	const small, bytes = "-0.125..0.125", "-128..127"
	return []Mapping{
		{"bias_add(dense), dense", "flexasr", "flexasr-linear", "flex-linear", "2x64x32", "64x64", small},
		{"LSTM, unrolled", "flexasr", "flexasr-lstm", "flex-lstm", "16x16x2", "", ""},
		{"maxima of pairs", "flexasr", "flexasr-maxpool", "flex-maxpool", "16x64", "2x64", small},
		{"means of pairs", "flexasr", "flexasr-meanpool", "flex-meanpool", "16x64", "2x64", small},
		{"layer_norm", "flexasr", "flexasr-layernorm", "flex-layernorm", "2x32", "", ""},
		{"batch_matmul, softmax, batch_matmul", "flexasr", "flexasr-attention", "flex-attention", "16x32", "", ""},
		{"conv2d", "hlscnn", "hlscnn-conv2d", "hlscnn-conv2d", "8x5x5,4x3x3", "8x5x5,4x3x3", "-1..1"},
		{"dense of int8", "vta", "vta-dense", "vta-dense", "2x16x32", "16x64", bytes},
		{"dense of int8, bias_add, relu", "vta", "vta-dense-relu", "", "2x16x32", "", ""},
		{"conv2d 16x5x5,16x3x3 by im2col", "vta", "vta-dense", "vta-dense", "9x16x144", "", ""},
		{"conv2d 16x4x4,64x3x3 by im2col", "flexasr", "flexasr-linear", "flex-linear", "4x64x144", "", ""},
		{"conv1d 16x8,16x3 by im2col", "vta", "vta-dense", "vta-dense", "6x16x48", "", ""},
		{"product of int8", "crossbar", "cim-gemm", "cim-gemm(1, 0)", "20x30x40", "", ""},
		{"product of int8", "systolic", "systolic-matmul", "", "5x4x4", "", ""},
	}
}
