// Package casefile reads and writes the files that stand beside programs.
//
//	Litmus          a question and the verdict it wants (.txtar)
//	Counterexample  two programs, inputs and the element that tells them apart (.txtar)
//	Tensor          a tensor with its elements: .json (tensor.go), .npy and .npz (npy.go, npywrite.go)
//
// Texts inside an archive keep their line numbers: a problem in before.sexp of case.txtar is reported at
// its line of case.txtar.
package casefile
