// Package polybench has no code but tests: the kernels of testdata/polybench against what mlir-opt makes of them, and
// against near misses of that.
package polybench
