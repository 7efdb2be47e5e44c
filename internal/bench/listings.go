package main

import (
	"fmt"
	"strings"
)

// The listing that measures the simulator multiplies 32x64 by 64x64 many times: 32 rows of 4 tiles, 4x4 tiles of
// weights.
const (
	gemmRuns     = 384
	gemmProducts = 32 * 64 * 64
)

// gemms returns a listing of VTA that runs the same GEMM a number of times.
func gemms(runs int) string {
	var b strings.Builder
	b.WriteString(`.input a dram=0 shape=32x64 type=int8
.input w dram=8192 shape=64x64 type=int8 layout=0/16,1/16,0%16,1%16
.output out dram=16384 shape=32x64 type=int8
`)
	for n := range 4 {
		fmt.Fprintf(&b, ".uop dram=%d dst=%d wgt=%d\n", 32768+4*n, n, 4*n)
	}
	b.WriteString(`load uop dram=8192 y=1 x=4 stride=4
load inp y=1 x=128 stride=128
load wgt dram=32 y=1 x=16 stride=16 push_next
gemm reset end=4 out=32 in=1 dst_out=4
gemm end=4 out=32 in=4 dst_out=4 src_out=4 src_in=1 wgt_in=1 pop_prev
`)
	b.WriteString(strings.Repeat("gemm end=4 out=32 in=4 dst_out=4 src_out=4 src_in=1 wgt_in=1\n", runs-1))
	b.WriteString(`alu shr end=4 out=32 in=1 dst_out=4 src_out=4 imm=8 push_next
store out dram=1024 y=1 x=128 stride=128 pop_prev push_prev
load uop pop_next
finish
`)
	return b.String()
}
