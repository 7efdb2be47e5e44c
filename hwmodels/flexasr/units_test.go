package flexasr

import (
	"fmt"
	"testing"

	"tv/ila"
	"tv/ila/format"
	"tv/ila/prove"
	"tv/internal/tier"
	"tv/semantics/term"
)

// unitTasks are the tasks on which mistakes are made, by driver, on a machine.
var unitTasks = map[string]func(m *Machine) (*ila.Task, error){
	"layer norm": func(m *Machine) (*ila.Task, error) {
		return layerNorm(m, 18, 48, NormOptions{Inputs: 3, Gamma: 4, Beta: 1})
	},
	"attention": func(m *Machine) (*ila.Task, error) {
		return attention(m, 20, 32, AttentionOptions{Matrix: 3, Query: 2, Weights: 0, Outputs: 1})
	},
	"lstm": func(m *Machine) (*ila.Task, error) {
		return lstm(m, 16, 20, 3, LSTMOptions{LinearOptions: LinearOptions{Weights: 3, Inputs: 2, Biases: 1, Outputs: 2}})
	},
	"forward": func(m *Machine) (*ila.Task, error) {
		return lstm(m, 16, 16, 9, LSTMOptions{LinearOptions: usual, Mode: modeForward})
	},
	"backward": func(m *Machine) (*ila.Task, error) {
		return lstm(m, 16, 16, 9, LSTMOptions{LinearOptions: usual, Mode: modeBackward})
	},
	"decoder": func(m *Machine) (*ila.Task, error) {
		return lstm(m, 16, 16, 1, LSTMOptions{LinearOptions: usual, Mode: modeDecoder})
	},
}

// Every unit is proved, with biases as numbers and all at once.
func TestUnits(t *testing.T) {
	for name, task := range unitTasks {
		k, err := task(NewModel())
		if r := verify(t, k, err); r.Verdict != prove.Proved || r.Outputs != k.Output.Size() || len(k.Rests) != 1 {
			t.Errorf("%s: %s, %s: %s", name, r.Verdict, r.Reason, r.Detail)
		}
	}
	for _, task := range []func() (*ila.Task, error){
		func() (*ila.Task, error) { return LayerNorm(2, 32, NormOptions{AllBiases: true}) },
		func() (*ila.Task, error) { return Attention(17, 16, AttentionOptions{AllBiases: true}) },
		func() (*ila.Task, error) { return Linear(1, 16, 20, LinearOptions{AllBiases: true}) },
		func() (*ila.Task, error) {
			return LSTM(16, 16, 2, LSTMOptions{LinearOptions: LinearOptions{AllBiases: true}})
		},
		func() (*ila.Task, error) { return MaxPool(2, 16, AnyBias) },
	} {
		k, err := task()
		if r := verify(t, k, err); r.Verdict != prove.Proved {
			t.Errorf("%s: %s, %s: %s", k.Name, r.Verdict, r.Reason, r.Detail)
		}
	}
}

// Sizes and biases that the machine does not take are errors.
func TestUnitSizes(t *testing.T) {
	for _, size := range [][2]int{{0, 16}, {1, 0}, {1, 24}, {1 << 16, 16}, {1, 4096}, {4096, 512}} {
		if _, err := LayerNorm(size[0], size[1], NormOptions{}); err == nil {
			t.Errorf("LayerNorm%v succeeds", size)
		}
		if _, err := Attention(size[0], size[1], AttentionOptions{}); err == nil {
			t.Errorf("Attention%v succeeds", size)
		}
	}
	for name, task := range map[string]func() (*ila.Task, error){
		"a bias of 8 of gamma":     func() (*ila.Task, error) { return LayerNorm(1, 16, NormOptions{Gamma: 8}) },
		"a bias of 8 of weights":   func() (*ila.Task, error) { return Attention(16, 16, AttentionOptions{Weights: 8}) },
		"1025 timesteps":           func() (*ila.Task, error) { return Attention(1025, 16, AttentionOptions{}) },
		"a mode 4":                 func() (*ila.Task, error) { return LSTM(16, 16, 1, LSTMOptions{Mode: 4}) },
		"a decoder of 2 timesteps": func() (*ila.Task, error) { return LSTM(16, 16, 2, LSTMOptions{Mode: 3}) },
		"no timesteps":             func() (*ila.Task, error) { return LSTM(16, 16, 0, LSTMOptions{}) },
		"two biases of states": func() (*ila.Task, error) {
			return LSTM(16, 16, 2, LSTMOptions{LinearOptions: LinearOptions{Inputs: 1, Outputs: 2}})
		},
		"too many timesteps": func() (*ila.Task, error) { return LSTM(256, 256, 8000, LSTMOptions{LinearOptions: usual}) },
		"a pool of bias 8":   func() (*ila.Task, error) { return MaxPool(2, 16, 8) },
	} {
		if _, err := task(); err == nil {
			t.Errorf("%s: it succeeds", name)
		}
	}
}

// caught says that a task with a mistake must be refuted.
func caught(t *testing.T, unit, name string, k *ila.Task) {
	t.Helper()
	if r := verify(t, k, nil); r.Verdict != prove.Refuted {
		t.Errorf("%s: %s: %s, %s: %s", unit, name, r.Verdict, r.Reason, r.Detail)
	}
}

// Programs with a mistake are refuted.
func TestUnitDrivers(t *testing.T) {
	tier.Sweep(t)
	const small = "configure the memory managers of the small buffer"
	norm, att, ctl := "configure layer norm", "configure attention", "configure the control unit"
	with := func(text string, lane int, v uint64) func(p *program) {
		return func(p *program) { p.set(p.find(text, 0), lane, v) }
	}
	drop := func(text string) func(p *program) { return func(p *program) { p.drop(p.find(text, 0)) } }
	swap := func(x, y string) func(p *program) { return func(p *program) { p.swap(p.find(x, 0), p.find(y, 0)) } }
	for unit, list := range map[string][]mistake{
		"layer norm": {
			{"beta for gamma", swap("gamma, vector 0", "beta, vector 0")},
			{"the bias of gamma for beta's", with(norm, 14, 4)},
			{"the bias of the inputs for gamma's", with(norm, 15, 3)},
			{"another bias of the inputs", with(norm, 12, 2)},
			{"a vector less", with(norm, 6, 2)},
			{"a timestep less", with(norm, 8, 17)},
			{"a timestep more", with(norm, 8, 19)},
			{"no beta", drop("beta, vector 2")},
			{"beta by no manager", with(small, 2*managerBeta, 0)},
			{"rows of 2 vectors", with("configure the memory managers", 0, 2)},
			{"twice", func(p *program) { p.insert(len(p.Steps)-1, len(p.Steps)-1) }},
			{"timesteps swapped", swap("timestep 0, vector 1", "timestep 1, vector 1")},
			{"not started", drop("start layer norm")},
			{"not configured", drop(norm)},
		},
		"attention": {
			{"no zero padding", drop("start zero padding")},
			{"zero padding from the last timestep on", with("configure zero padding", 8, 19)},
			{"16 timesteps", with(att, 8, 16)},
			{"a vector less", with(att, 6, 1)},
			{"another bias of the matrix", with(att, 12, 4)},
			{"another bias of the query", with(att, 13, 3)},
			{"another bias of the weights", with(att, 14, 1)},
			{"another bias of the result", with(att, 15, 2)},
			{"weights over the query", with(small, 2*managerScratch, 0)},
			{"query vectors swapped", swap("query, vector 0", "query, vector 1")},
			{"timesteps stored in the other order of vectors", swap("timestep 0, vector 0", "timestep 0, vector 1")},
			{"a query of another manager", with(att, 4, managerScratch)},
			{"twice", func(p *program) { p.insert(len(p.Steps)-1, len(p.Steps)-1) }},
			{"17 timesteps", with(att, 8, 17)},
		},
		"lstm": {
			{"a timestep less", with(ctl, 8, 2)},
			{"two timesteps more", with(ctl, 8, 5)},
			{"states do not go back", with(ctl, 2, 0)},
			{"no vector of states goes back", with(ctl, 7, 0)},
			{"as forward half", with(ctl, 1, 1)},
			{"as backward half", with(ctl, 1, 2)},
			{"as decoder", with(ctl, 1, 3)},
			{"inputs of two timesteps swapped", swap("timestep 0, vector 0", "timestep 1, vector 0")},
			{"cells begin with zeros", with("configure the activation unit of PE 0", 1, 1)},
			{"outputs by the manager of inputs", with(ctl, 5, 0)},
			{"outputs over the inputs", with("configure the memory managers", 6, 0)},
			{"gates in another order", func(p *program) {
				at := p.find("store the program of PE 0", 0)
				p.set(at, 7, 0xA4)
				p.set(at, 12, 0xB4)
			}},
		},
		"forward":  {{"backward", with(ctl, 1, 2)}, {"one way", with(ctl, 1, 0)}, {"a timestep less", with(ctl, 8, 8)}},
		"backward": {{"forward", with(ctl, 1, 1)}, {"one way", with(ctl, 1, 0)}, {"a timestep more", with(ctl, 8, 10)}},
		"decoder": {{"one way", with(ctl, 1, 0)}, {"inputs of another manager", with(ctl, 4, 1)}, {"no small buffer", drop(small)},
			{"outputs over the inputs", with(small, 2, 0)}},
	} {
		for _, m := range list {
			k, err := unitTasks[unit](NewModel())
			if err != nil {
				t.Fatal(err)
			}
			m.mutate(programOf(k))
			caught(t, unit, m.name, k)
		}
	}
}

// A unitMutant is a machine with one thing wrong.
type unitMutant struct {
	name  string
	wreck wreck
}

// Machines with a mistake are refuted.
func TestUnitMutants(t *testing.T) {
	tier.Sweep(t)
	v := func(m *Machine, name string) *term.Term { return m.Lookup(name).Term }
	swapped := func(from, to string) func(m *Machine, j, t *term.Term) *term.Term {
		return func(m *Machine, j, t *term.Term) *term.Term { return replace(m.B, t, v(m, from), v(m, to)) }
	}
	op := func(op term.Op, f func(b *term.Builder, t *term.Term) *term.Term) func(m *Machine, t *term.Term) *term.Term {
		return func(m *Machine, t *term.Term) *term.Term {
			return with(m.B, t, op, func(t *term.Term) *term.Term { return f(m.B, t) })
		}
	}
	stored := func(f func(m *Machine, t *term.Term) *term.Term) func(m *Machine, j, t *term.Term) *term.Term {
		return func(m *Machine, j, t *term.Term) *term.Term { return f(m, t) }
	}
	normalise := func(f func(m *Machine, j, t *term.Term) *term.Term) wreck { return value("normalise", f) }
	for unit, list := range map[string][]unitMutant{
		"layer norm": {
			{"the bias of gamma for beta's", normalise(swapped("norm_bias_beta", "norm_bias_gamma"))},
			{"gamma by the manager of beta", normalise(swapped("small_base_5", "small_base_6"))},
			{"the mean is not taken off", normalise(func(m *Machine, j, t *term.Term) *term.Term {
				return replace(m.B, t, v(m, "norm_mean"), m.num(20, 0))
			})},
			{"codes with the bias of gamma", normalise(swapped("norm_bias", "norm_bias_gamma"))},
			{"products that round", normalise(stored(op(term.Mul, func(b *term.Builder, t *term.Term) *term.Term {
				if t.Sort.Width != 40 {
					return t
				}
				return b.AddBits(t, b.Bits(40, 1<<13))
			})))},
			{"a variance plus 1", set("finish", "norm_root", func(m *Machine, t *term.Term) *term.Term {
				return m.Apply(m.fn.inverseRoot, m.next(t.Args[0]))
			})},
			{"a variance without the mean", set("finish", "norm_root", op(term.Neg, func(b *term.Builder, t *term.Term) *term.Term {
				if t.Sort.Width != format.Q614 {
					return t
				}
				return b.Bits(format.Q614, 0)
			}))},
			{"a mean rounded down", set("finish", "norm_mean", func(m *Machine, t *term.Term) *term.Term {
				return with(m.B, t, term.Choose, func(t *term.Term) *term.Term {
					count := t.Args[2].Args[1]
					return m.B.SubBits(t, m.B.Choose(m.B.And(t.Args[0], m.B.Not(m.zero(m.B.RemU(m.B.NegBits(v(m, "norm_sum")), count)))),
						m.num(24, 1), m.num(24, 0)))
				})
			})},
			{"sums that go on", set("finish", "norm_sum", func(m *Machine, t *term.Term) *term.Term { return v(m, "norm_sum") })},
			{"sums of 16 of 24 bits", set("sum", "norm_squares", func(m *Machine, t *term.Term) *term.Term {
				return with(m.B, t, term.ExtendS, func(t *term.Term) *term.Term {
					if t.Args[0].Op != term.Reduce {
						return t
					}
					r := t.Args[0]
					return m.B.Reduce(term.Sum, r.Vars, m.B.ExtendS(r.Args[0], 24))
				})
			})},
			{"the first vector alone", set("sum", "norm_phase", func(m *Machine, t *term.Term) *term.Term {
				return m.num(2, normFinish)
			})},
			{"sums of absolute values", set("sum", "norm_sum", func(m *Machine, t *term.Term) *term.Term {
				return with(m.B, t, term.Reduce, func(r *term.Term) *term.Term {
					x := r.Args[0]
					return m.B.Reduce(term.Sum, r.Vars, m.B.Choose(m.B.LessS(x, m.num(20, 0)), m.B.NegBits(x), x))
				})
			})},
			{"another table of 1/sqrt", func(t *testing.T, m *Machine) {
				stand := m.fn.inverseRoot.Stand
				other := *m.fn.inverseRoot
				other.Name = "other"
				other.Stand = func(args []uint64) uint64 { return stand([]uint64{args[0] ^ 1}) }
				m.Function(&other)
				set("finish", "norm_root", func(m *Machine, t *term.Term) *term.Term { return m.Apply(&other, t.Args[0]) })(t, m)
			}},
		},
		"attention": {
			{"a score of 0 stays", func(t *testing.T, m *Machine) {
				masked := int64(scoreMasked)
				value("maximum", func(m *Machine, j, t *term.Term) *term.Term {
					return replace(m.B, t, m.num(32, uint64(masked)), m.num(32, 0))
				})(t, m)
				set("maximum", "att_max", func(m *Machine, t *term.Term) *term.Term {
					return replace(m.B, t, m.num(32, uint64(masked)), m.num(32, 0))
				})(t, m)
			}},
			{"the least score", set("maximum", "att_max", op(term.LessS, func(b *term.Builder, t *term.Term) *term.Term {
				return b.LessS(t.Args[1], t.Args[0])
			}))},
			{"scores of the last block alone", set("total", "att_total", func(m *Machine, t *term.Term) *term.Term {
				return replace(m.B, t, v(m, "att_total"), m.num(32, 0))
			})},
			{"scores with the bias of the weights", value("maximum", swapped("att_bias_2", "att_bias_3"))},
			{"weights with the bias of the matrix", value("weights", swapped("att_bias_3", "att_bias_1"))},
			{"a result with the bias of the weights", value("result", func(m *Machine, j, t *term.Term) *term.Term {
				return replace(m.B, t, v(m, "att_bias_4"), v(m, "att_bias_1"))
			})},
			{"a result shifted by the bias of the query", value("result", swapped("att_bias_3", "att_bias_2"))},
			{"a tile that is not transposed", func(t *testing.T, m *Machine) {
				from, _ := firstStore(t, m, "rows")
				to, _ := firstStore(t, m, "tile")
				changed(t, &to.Value, from.Value)
			}},
			{"accumulators that are not cleared", func(t *testing.T, m *Machine) {
				i := instruction(t, m.Model, "result")
				i.Eachs = i.Eachs[:1]
			}},
			{"accumulators of 24 bits", value("scores", func(m *Machine, j, t *term.Term) *term.Term {
				return m.B.ExtendS(m.B.Extract(t, 0, 24), 32)
			})},
			{"a quotient with more bits", value("weights", func(m *Machine, j, t *term.Term) *term.Term {
				return with(m.B, t, term.Extract, func(t *term.Term) *term.Term {
					if t.Low() != 16 || t.Sort.Width != 6 {
						return t
					}
					return m.B.Extract(t.Args[0], 15, 6)
				})
			})},
			{"exponentials of scores", func(t *testing.T, m *Machine) {
				most := v(m, "att_max")
				value("weights", func(m *Machine, j, t *term.Term) *term.Term { return replace(m.B, t, m.B.NegBits(most), m.num(32, 0)) })(t, m)
			}},
			{"a padding of the code 1", value("zero", func(m *Machine, j, t *term.Term) *term.Term { return m.num(8, 1) })},
			{"a padding that begins a timestep late", set("start-pad", "pad_ts", func(m *Machine, t *term.Term) *term.Term {
				return m.next(t)
			})},
		},
		"lstm": {
			{"states that go back are those of the first timestep", value("send-back", func(m *Machine, j, t *term.Term) *term.Term {
				return replace(m.B, t, m.ctl.out.Term, m.num(16, 0))
			})},
			{"inputs of the first timestep", value("send", func(m *Machine, j, t *term.Term) *term.Term {
				return replace(m.B, t, m.ctl.out.Term, m.num(16, 0))
			})},
			{"a timestep over the other", placed("outgb", func(m *Machine, j, t *term.Term) *term.Term {
				return replace(m.B, t, m.ctl.out.Term, m.num(16, 0))
			})},
			{"cells cut off", value("store", encoded(format.Float))},
			{"cells begin with zeros each time", value("load", func(m *Machine, j, t *term.Term) *term.Term { return m.num(20, 0) })},
		},
		"forward": {
			{"inputs of timestep 2t", value("send", func(m *Machine, j, t *term.Term) *term.Term {
				return with(m.B, t, term.ShrU, func(t *term.Term) *term.Term {
					if t.Args[0] == m.ctl.out.Term && t.Args[1] == m.num(16, 1) {
						return t.Args[0]
					}
					return t
				})
			})},
			{"by ones", set("send-back", "ctl_out", func(m *Machine, t *term.Term) *term.Term {
				return replace(m.B, t, m.num(16, 2), m.num(16, 1))
			})},
		},
		"backward": {
			{"from timestep 2n on", set("start-control", "ctl_out", func(m *Machine, t *term.Term) *term.Term { return m.next(t) })},
			{"upwards", set("send-back", "ctl_out", func(m *Machine, t *term.Term) *term.Term {
				return replace(m.B, t, m.num(16, 1<<16-2), m.num(16, 2))
			})},
		},
		"decoder": {
			{"outputs to the large buffer", func(t *testing.T, m *Machine) {
				e := &instruction(t, m.Model, "outgb").Eachs[0]
				e.Stores = e.Stores[:1]
				e.Stores[0].When = nil
			}},
			{"inputs by the manager of outputs", value("send", func(m *Machine, j, t *term.Term) *term.Term {
				return replace(m.B, t, m.gb.memoryIndex[0].Term, m.gb.memoryIndex[1].Term)
			})},
		},
	} {
		for _, mutant := range list {
			m := NewModel()
			mutant.wreck(t, m)
			k, err := unitTasks[unit](m)
			if err != nil {
				t.Fatal(fmt.Errorf("%s: %w", mutant.name, err))
			}
			caught(t, unit, mutant.name, k)
		}
	}
}
