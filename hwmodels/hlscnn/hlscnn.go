// Package hlscnn models HLSCNN, an accelerator for convolutions in fixed point, bit by bit, and maps convolutions onto it.
//
// An access of the bus writes a register, a vector of the memory of the system, or has the machine copy vectors from
// there to a scratchpad; or it reads a vector of a scratchpad. A vector is 8 channels of 16 bits. A write to the trigger
// starts the convolution that the registers describe: each input is scattered to the outputs that it contributes to,
// whose partial sums lie in scratchpad 1, rounded to 16 bits after each tap of 8 channels.
//
//	NewModel   the machine; Config has the choices where sources differ or say nothing
//	Plain      the same machine in plain Go (package plain), for tests and campaigns
//	Conv2D     the program for a convolution, and its contract
//
//	model.go     the bus, registers and memories
//	conv.go      the convolution and its micro-instructions
//	datapath.go  its arithmetic
//	conv2d.go    the driver
//	contract.go  what results are, tap by tap
//
// Sources: P. N. Whatmough et al., A 25 mm² SoC for IoT Devices with 18 ms Noise Robust Speech-to-Text Latency, and the
// public instruction-level model of the accelerator (PrincetonUniversity/hlscnn-ila), both versions.
package hlscnn

import (
	"fmt"

	"tv/hwmodels/hlscnn/plain"
)

// Numbers: activations are Q9.7, weights Q2.14 or, narrow, Q2.6 in the high byte; partial sums of a tap Q16.16.
const (
	lanes     = 8
	registers = 30
	spadSize  = 1 << 17 // bytes
	socSize   = 0x30000

	addrSpad0 = 0x4000
	addrSpad1 = addrSpad0 + spadSize
	addrEnd   = addrSpad1 + spadSize
	addrSoC   = 0x50000
)

// Numbers of registers.
const (
	regSoCBase = 4
	regLength  = 5
	regTrigger = 17
	regActBase = 18
	regWgtBase = 19
	regOutBase = 20
	regInput   = 21
	regOutput  = 22
	regKernel  = 23
	regChannel = 24
)

// Ways to round the partial sum of a tap to 16 bits.
const (
	Truncate = "truncate"  // rounds down
	HalfUp   = "half-up"   // to nearest, halves up
	HalfEven = "half-even" // to nearest, halves to even
)

// Config has the choices where the sources of the machine differ or say nothing.
type Config struct {
	Original bool   // the version of before outputs were grouped by 8 channels
	Rounding string // of the partial sum of a tap: Truncate, HalfUp ("" too) or HalfEven
	Wrap     bool   // what is too large for 16 bits wraps instead of being saturated
	Weights  int    // bits of a weight where the flag of the channel register is 0, 8 or 16; 0: as the version has it
}

// settled returns c with what is left open filled in.
func (c Config) settled() Config {
	if c.Rounding == "" {
		c.Rounding = HalfUp
	}
	if c.Weights == 0 {
		if c.Weights = 16; c.Original {
			c.Weights = 8
		}
	}
	return c
}

// check says which choice is none.
func (c Config) check() error {
	switch c = c.settled(); {
	case c.Rounding != Truncate && c.Rounding != HalfUp && c.Rounding != HalfEven:
		return fmt.Errorf("there is no rounding %q; there are %s, %s and %s", c.Rounding, Truncate, HalfUp, HalfEven)
	case c.Weights != 8 && c.Weights != 16:
		return fmt.Errorf("weights have 8 or 16 bits, not %d", c.Weights)
	}
	return nil
}

// Plain returns the machine in plain Go with the choices of c.
func Plain(c Config) *plain.Machine {
	c = c.settled()
	return plain.New(plain.Choices{Original: c.Original, Rounding: c.Rounding, Wrap: c.Wrap, Weights: c.Weights})
}
