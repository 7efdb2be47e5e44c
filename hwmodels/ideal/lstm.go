package ideal

import "math"

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// LSTM is timesteps of an LSTM on FlexASR: states of all timesteps, and the cells behind the last. Operands are x, h, c, wx, wh, bx and bh, gates
// in the order i, f, g, o; exponents are the biases of weights, inputs, biases and outputs.
func LSTM(n, k, steps int, exponents [4]int) Operator {
	weights, inputs, biases, outputs := adaptive(exponents[0]), adaptive(exponents[1]), adaptive(exponents[2]), adaptive(exponents[3])
	o := operator(outputs, inputs, inputs, outputs, weights, weights, biases, biases)
	o.Of = func(in [][]float64) (out []float64) {
		h, c, wx, wh, bx, bh := in[1], in[2], in[3], in[4], in[5], in[6]
		for t := range steps {
			x := in[0][t*k : (t+1)*k]
			gate := func(row int) float64 {
				sum := bx[row] + bh[row]
				for i, v := range x {
					sum += v * wx[row*k+i]
				}
				for i, v := range h {
					sum += v * wh[row*n+i]
				}
				return sum
			}
			state, cell := make([]float64, n), make([]float64, n)
			for j := range n {
				cell[j] = sigmoid(gate(n+j))*c[j] + sigmoid(gate(j))*math.Tanh(gate(2*n+j))
				state[j] = sigmoid(gate(3*n+j)) * math.Tanh(cell[j])
			}
			h, c = state, cell
			out = append(out, h...)
		}
		return append(out, c...)
	}
	o.Wraps = func(in [][]float64) int { // a register of the first timestep
		part := func(bias, x, w []float64, row int) float64 {
			sum := bias[row]
			for i, v := range x {
				sum += v * w[row*len(x)+i]
			}
			return math.Min(math.Max(sum, -32), 32)
		}
		for row := range 4 * n {
			if sum := part(in[5], in[0][:k], in[3], row) + part(in[6], in[1], in[4], row); sum >= 32 || sum < -32 {
				return row % n
			}
		}
		return -1
	}
	return o
}
