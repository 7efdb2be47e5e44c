package crossbar

import "tv/ila"

// LeastADC finds the least width of converters with which a column is exact. Of each width from 2 bits on it asks about the
// product of 1 x 1 x rows, on the machine of the options but for the width: whether it is proved, or a run shows it wrong. The
// last question is about the width found, the one before about a bit less.
// Errors: machine-config where a product is neither, or all widths are wrong, or the least there is is right.
func LeastADC(o Options, ask func(nest func() (*ila.Nest, error)) (proved, wrong bool, err error)) (width int, err error) {
	for width = 2; width <= sumBits; width++ {
		own := o
		own.Config.ADC = width
		proved, wrong, err := ask(func() (*ila.Nest, error) { return Gemm(1, 1, own.Config.Rows, own) })
		switch {
		case err != nil:
			return 0, err
		case !proved && !wrong:
			return 0, problem(CodeConfig, "with converters of %d bits a product is open", width)
		case wrong:
			continue
		case width == 2:
			return 0, problem(CodeConfig, "with converters of %d bits a product is right, and there are none below", width)
		}
		return width, nil
	}
	return 0, problem(CodeConfig, "no converter of up to %d bits is exact", sumBits)
}
