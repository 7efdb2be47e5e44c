package ideal

import "math"

// LayerNorm is the layer norm of timesteps on FlexASR, without an epsilon; where all elements are one number it is beta. Operands are x, gamma and beta.
func LayerNorm(width, inputs, gamma, beta int) Operator {
	o := operator(adaptive(inputs), adaptive(inputs), adaptive(gamma), adaptive(beta))
	o.Of = func(in [][]float64) (out []float64) {
		for at := 0; at < len(in[0]); at += width {
			row, mean, variance := in[0][at:at+width], 0.0, 0.0
			for _, v := range row {
				mean += v / float64(width)
			}
			for _, v := range row {
				variance += (v - mean) * (v - mean) / float64(width)
			}
			for j, v := range row {
				unit := 0.0
				if variance > 0 {
					unit = (v - mean) / math.Sqrt(variance)
				}
				out = append(out, unit*in[1][j]+in[2][j])
			}
		}
		return out
	}
	return o
}

// Attention is the attention of a query over timesteps on FlexASR. Operands are the matrix and the query.
func Attention(width, matrix, query, outputs int) Operator {
	o := operator(adaptive(outputs), adaptive(matrix), adaptive(query))
	o.Of = func(in [][]float64) []float64 {
		steps := len(in[0]) / width
		scores, most, sum := make([]float64, steps), math.Inf(-1), 0.0
		for t := range scores {
			for j, v := range in[1] {
				scores[t] += v * in[0][t*width+j]
			}
			most = math.Max(most, scores[t])
		}
		for t, v := range scores {
			scores[t] = math.Exp(v - most)
			sum += scores[t]
		}
		out := make([]float64, width)
		for t, v := range scores {
			for j := range out {
				out[j] += v / sum * in[0][t*width+j]
			}
		}
		return out
	}
	return o
}
