package languages

import (
	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/calyx"
	"tv/semantics/bits/comb"
	"tv/semantics/bits/flow"
	flowrun "tv/semantics/bits/flow/eval"
	flowlower "tv/semantics/bits/flow/lower"
	"tv/semantics/bits/reticle"
	"tv/semantics/bits/word"
)

// flowing is a text of operations, of which a name chooses one of several.
type flowing struct {
	choose func(top string) (*flow.Program, error)
}

func circtSource(f *source.File) (bits.Text, error) {
	t, err := comb.Parse(f)
	if err != nil {
		return nil, err
	}
	return flowing{t.Program}, nil
}

func calyxSource(f *source.File) (bits.Text, error)   { return operations(calyx.Parse(f)) }
func reticleSource(f *source.File) (bits.Text, error) { return operations(reticle.Parse(f)) }

// operations are a text that has one thing.
func operations(p *flow.Program, err error) (bits.Text, error) {
	if err != nil {
		return nil, err
	}
	return flowing{func(string) (*flow.Program, error) { return p, nil }}, nil
}

func (f flowing) Clock() string { return "" }

func (f flowing) Elaborate(o bits.Options) (bits.Program, error) {
	p, err := f.choose(o.Top)
	if err != nil {
		return nil, err
	}
	return graph{p}, nil
}

// graph is a text of operations as a program.
type graph struct{ *flow.Program }

func (g graph) Options() bits.Options                   { return bits.Options{Top: g.Top, Clock: g.Clocked} }
func (g graph) Latency() int                            { return 0 }
func (g graph) Design(b *word.Builder) *bits.Design     { return flowlower.Design(g.Program, b) }
func (g graph) Machine(choose bits.Choose) bits.Machine { return flowrun.New(g.Program, choose) }
