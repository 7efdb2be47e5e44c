package index

import (
	"fmt"
	"math/big"
)

// Eval returns the value of e where each size, variable and slot has the value that at gives. It fails
// where a divisor is not positive.
func (e *Expr) Eval(at func(*Atom) *big.Int) (*big.Int, error) {
	sum := new(big.Int)
	for _, t := range e.terms {
		p := t.Coef.Big()
		for _, a := range t.mono.atoms {
			x, err := a.eval(at)
			if err != nil {
				return nil, err
			}
			p.Mul(p, x)
		}
		sum.Add(sum, p)
	}
	return sum, nil
}

func (a *Atom) eval(at func(*Atom) *big.Int) (*big.Int, error) {
	if a.Kind < Floor {
		return at(a), nil
	}
	x, err := a.Num.Eval(at)
	if err != nil {
		return nil, err
	}
	y, err := a.Den.Eval(at)
	if err != nil {
		return nil, err
	}
	switch a.Kind {
	case Floor:
		if y.Sign() <= 0 {
			return nil, fmt.Errorf("index: %s is not positive", a.Den)
		}
		return new(big.Int).Div(x, y), nil
	case Max:
		if x.Cmp(y) < 0 {
			return y, nil
		}
		return x, nil
	}
	if x.Cmp(y) < 0 {
		return x, nil
	}
	return y, nil
}
