package glenside

import "math/big"

// A Size is an exact integer or an expression over named sizes with + - * div mod max min, kept in a
// normal form: a polynomial whose atoms are names and div, mod, max and min of sizes. The zero value is
// 0. Sizes are immutable; arithmetic never wraps. Two sizes with the same normal form are Equal; sizes
// that are not may still have the same value.
type Size struct {
	n int64
	e *sizeExpr // nil: the constant n
}

type sizeExpr struct{}

// SizeOp is the outermost operation of a size, for those who translate sizes.
type SizeOp uint8

const (
	SizeConst SizeOp = iota
	SizeName
	SizeAdd // two or more operands
	SizeMul // two or more operands
	SizeDiv // floor division, two operands
	SizeMod // x - y*(x div y), two operands
	SizeMax // two or more
	SizeMin // two or more
)

func IntSize(n int64) Size             { panic("stub") }
func BigSize(n *big.Int) Size          { panic("stub") }
func NamedSize(name string) Size       { panic("stub") }
func (a Size) Add(b Size) Size         { panic("stub") }
func (a Size) Sub(b Size) Size         { panic("stub") }
func (a Size) Mul(b Size) Size         { panic("stub") }
func (a Size) Div(b Size) Size         { panic("stub") }
func (a Size) Mod(b Size) Size         { panic("stub") }
func (a Size) Max(b Size) Size         { panic("stub") }
func (a Size) Min(b Size) Size         { panic("stub") }
func (a Size) Equal(b Size) bool       { panic("stub") }
func (a Size) Const() (*big.Int, bool) { panic("stub") } // the value, if no name occurs
func (a Size) Int64() (int64, bool)    { panic("stub") } // the value, if no name occurs and it fits
func (a Size) Op() SizeOp              { panic("stub") }
func (a Size) Operands() []Size        { panic("stub") } // of Op; subtraction shows as adding a product with a negative constant
func (a Size) Name() string            { panic("stub") } // of SizeName
func (a Size) Names() []string         { panic("stub") } // sorted, each once
func (a Size) String() string          { panic("stub") } // as an S-expression: 16, N, (+ (* 2 N) 1), (div N 2)

// Eval returns the value of a at a point. It fails where a name is missing or a divisor is not positive.
func (a Size) Eval(point Point) (*big.Int, error) { panic("stub") }

// A Point gives each named size a value.
type Point map[string]int64

// PredOp is the operation of a Pred.
type PredOp uint8

const (
	PredEq      PredOp = iota // A = B
	PredLt                    // A < B
	PredLe                    // A <= B
	PredDivides               // A >= 1 and B mod A = 0
	PredNot                   // not Args[0]
	PredAnd                   // all Args
	PredOr                    // some of Args
)

// A Pred is a condition on sizes.
type Pred struct {
	Op   PredOp
	A, B Size
	Args []*Pred
}

func (p *Pred) Eval(point Point) (bool, error) { panic("stub") } // where it has no value (a divisor that is not positive): false and an error
func (p *Pred) Names() []string                { panic("stub") } // sorted, each once
func (p *Pred) String() string                 { panic("stub") } // as an S-expression
