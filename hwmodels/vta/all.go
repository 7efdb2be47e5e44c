package vta

import (
	"fmt"
	"strings"

	"tv/ila"
	"tv/semantics/index"
)

// DenseAll is Dense for all sizes of which one chunk is the whole: m rows, N tiles of n and K tiles of k, which fit
// the memories together.
func DenseAll(name string, c Config, o DenseOptions) *ila.Family {
	return denseAll(name, func() *Machine { return NewModel(c) }, o, nil)
}

// denseAll is DenseAll on a machine that model makes; wreck, if not nil, changes the nest.
func denseAll(name string, model func() *Machine, o DenseOptions, wreck func(*ila.Nest)) *ila.Family {
	return &ila.Family{
		Name:  name,
		Sizes: []ila.Size{{Name: "m", Least: 1}, {Name: "N", Least: 1}, {Name: "K", Least: 1}},
		Domain: []string{"m >= 1", "n = 16*N", "k = 16*K", "N >= 1", "1 <= K <= 1023", "N*K <= 1024", "m*K <= 2048",
			"m*N <= 2048"},
		New: func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
			machine := model()
			ix := machine.b.Index
			s := sizes(ix)
			m, n, k, one := s[0], s[1], s[2], ix.Const(1)
			most := func(limit int64, x, y *index.Expr) *index.Expr { return ix.Sub(ix.Const(limit), ix.Mul(x, y)) }
			facts := []*index.Expr{most(mostDepth, k, one), most(wgtTiles, n, k), most(inpTiles, m, k), most(accTiles, m, n)}
			nest, err := dense(machine, cut{m: m, n: n, k: k, mc: m, nc: n, kc: k, ml: m, nl: n, kl: k, ms: one, ns: one, ks: one}, o)
			if err == nil && wreck != nil {
				wreck(nest)
			}
			return nest, facts, err
		},
		Print: func(point []int) string { return fmt.Sprintf("%dx%dx%d", point[0], lanes*point[1], lanes*point[2]) },
	}
}

// mostOperand bounds the tiles of the operand a and of the result in DenseRowsAll, so that addresses fit their fields.
const mostOperand = 1 << 20

// DenseRows is Dense in chunks of the given number of rows; n and k are one chunk. An error says what does not fit.
func DenseRows(c Config, m, n, k, rows int, o DenseOptions) (*ila.Task, error) {
	return denseIn(c, m, n, k, [3]int{rows, n / lanes, k / lanes}, o)
}

// DenseRowsAll is DenseRows for all sizes: M >= 2 chunks of c rows, the last of r, N tiles of n and K tiles of k.
func DenseRowsAll(name string, c Config, o DenseOptions) *ila.Family {
	return &ila.Family{
		Name: name,
		Sizes: []ila.Size{{Name: "M", Least: 2}, {Name: "c", Least: 1}, {Name: "r", Least: 1}, {Name: "N", Least: 1},
			{Name: "K", Least: 1}},
		Domain: []string{"m = (M-1)*c + r", "M >= 2", "1 <= r <= c", "n = 16*N", "k = 16*K", "N >= 1", "1 <= K <= 1023",
			"N*K <= 1024", "c*K <= 2048", "c*N <= 2048", "M*c*K <= 1048576", "M*c*N <= 1048576"},
		New: func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
			machine := NewModel(c)
			ix := machine.b.Index
			s := sizes(ix)
			count, rows, last, n, k, one := s[0], s[1], s[2], s[3], s[4], ix.Const(1)
			most := func(limit int64, x, y *index.Expr) *index.Expr { return ix.Sub(ix.Const(limit), ix.Mul(x, y)) }
			whole := ix.Mul(count, rows)
			facts := []*index.Expr{most(mostDepth, k, one), most(wgtTiles, n, k), most(inpTiles, rows, k),
				most(accTiles, rows, n), ix.Sub(rows, last), most(mostOperand, whole, k), most(mostOperand, whole, n)}
			m := ix.Add(ix.Mul(ix.AddInt(count, -1), rows), last)
			nest, err := dense(machine, cut{m: m, n: n, k: k, mc: rows, nc: n, kc: k, ml: last, nl: n, kl: k, ms: count, ns: one, ks: one}, o)
			return nest, facts, err
		},
		Print: func(point []int) string {
			return fmt.Sprintf("%dx%dx%dx%d", (point[0]-1)*point[1]+point[2], lanes*point[3], lanes*point[4], point[1])
		},
	}
}

// DenseColumns is Dense in chunks of the given number of tiles of n; m and k are one chunk. An error says what does not fit.
func DenseColumns(c Config, m, n, k, tiles int, o DenseOptions) (*ila.Task, error) {
	return denseIn(c, m, n, k, [3]int{m, tiles, k / lanes}, o)
}

// DenseDepth is Dense in chunks of the given number of tiles of k; m and n are one chunk. An error says what does not fit.
func DenseDepth(c Config, m, n, k, tiles int, o DenseOptions) (*ila.Task, error) {
	return denseIn(c, m, n, k, [3]int{m, n / lanes, tiles}, o)
}

// denseIn is Dense in chunks of the given rows and tiles of n and k.
func denseIn(c Config, m, n, k int, of [3]int, o DenseOptions) (*ila.Task, error) {
	o.ChunkM, o.ChunkN, o.ChunkK = of[0], of[1], of[2]
	if mc, nc, kc := chunks(m, n/lanes, k/lanes, o); min(of[0], of[1], of[2]) < 1 || [3]int{mc, nc, kc} != of {
		return nil, fmt.Errorf("%dx%dx%d in chunks of %d rows, %d tiles of n and %d of k: a chunk is not of so many, or does not fit the memories",
			m, n, k, of[0], of[1], of[2])
	}
	return Dense(c, m, n, k, o)
}

// DenseChunksAll is Dense for all sizes that it takes, with chunks of any size of those of the dims m, n and k that are named
// ("nk"); of the others one chunk is the whole.
func DenseChunksAll(name string, c Config, o DenseOptions, dims string) *ila.Family {
	return chunksAll(name, func() *Machine { return NewModel(c) }, o, dims, nil)
}

// chunksAll is DenseChunksAll on a machine that model makes, with several chunks of the given dims only; wreck, if not
// nil, changes the nest.
func chunksAll(name string, model func() *Machine, o DenseOptions, dims string, wreck func(*ila.Nest)) *ila.Family {
	type dim struct {
		name, size, chunk, count, last string
		chunks                         bool
	}
	list := []dim{{"m", "m", "c", "C", "r", false}, {"n", "N", "d", "D", "s", false}, {"k", "K", "e", "E", "t", false}}
	var names []ila.Size
	var domain []string
	for i := range list {
		d := &list[i]
		if d.name != d.size {
			domain = append(domain, fmt.Sprintf("%s = 16*%s", d.name, d.size))
		}
		if !strings.Contains(dims, d.name) {
			names = append(names, ila.Size{Name: d.size, Least: 1})
			continue
		}
		d.chunks = true
		at := len(names)
		names = append(names, ila.Size{Name: d.chunk, Least: 1}, ila.Size{Name: d.count, Least: 1}, ila.Size{Name: d.last, Least: 1},
			ila.Size{Name: d.size, Least: 1, Of: func(p []int) int { return (p[at+1]-1)*p[at] + p[at+2] }})
		domain = append(domain, fmt.Sprintf("%s = (%s-1)*%s + %s", d.size, d.count, d.chunk, d.last),
			fmt.Sprintf("1 <= %s <= %s", d.last, d.chunk))
	}
	size := func(d dim) string { // of a chunk
		if d.chunks {
			return d.chunk
		}
		return d.size
	}
	c, n, k := size(list[0]), size(list[1]), size(list[2])
	domain = append(domain, "m >= 1", "N >= 1", "K >= 1", fmt.Sprintf("1 <= %s <= %d", k, mostDepth), fmt.Sprintf("%s*%s <= %d", n, k, wgtTiles),
		fmt.Sprintf("%s*%s <= %d", c, k, inpTiles), fmt.Sprintf("%s*%s <= %d", c, n, accTiles), fmt.Sprintf("m <= %d", mostSize),
		fmt.Sprintf("N <= %d", mostSize/lanes), fmt.Sprintf("K <= %d", mostSize/lanes), fmt.Sprintf("m*K + 16*N*K + m*N <= %d", mostBytes/lanes))
	return &ila.Family{
		Name: name, Sizes: names, Domain: domain,
		New: func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
			machine := model()
			ix := machine.b.Index
			values := sizes(ix)
			one := ix.Const(1)
			var facts []*index.Expr
			next := func(d dim) (count, chunk, last, whole *index.Expr) {
				if !d.chunks {
					whole = values[0]
					values = values[1:]
					return one, whole, whole, whole
				}
				chunk, count, last, whole = values[0], values[1], values[2], values[3]
				values = values[4:]
				gap := ix.Sub(whole, ix.Add(ix.Mul(ix.AddInt(count, -1), chunk), last))
				facts = append(facts, gap, ix.Scale(index.Int(-1), gap), ix.Sub(chunk, last))
				return count, chunk, last, whole
			}
			var s cut
			s.ms, s.mc, s.ml, s.m = next(list[0])
			s.ns, s.nc, s.nl, s.n = next(list[1])
			s.ks, s.kc, s.kl, s.k = next(list[2])
			most := func(limit int64, x, y *index.Expr) *index.Expr { return ix.Sub(ix.Const(limit), ix.Mul(x, y)) }
			operands := ix.Add(ix.Add(ix.Mul(s.m, s.k), ix.Scale(index.Int(lanes), ix.Mul(s.n, s.k))), ix.Mul(s.m, s.n))
			facts = append(facts, most(mostDepth, s.kc, one), most(wgtTiles, s.nc, s.kc), most(inpTiles, s.mc, s.kc),
				most(accTiles, s.mc, s.nc), most(mostSize/lanes, s.n, one), most(mostSize/lanes, s.k, one), most(mostSize, s.m, one),
				ix.Sub(ix.Const(mostBytes/lanes), operands))
			nest, err := dense(machine, s, o)
			if err == nil && wreck != nil {
				wreck(nest)
			}
			return nest, facts, err
		},
		Print: func(point []int) string {
			var whole, chunks []string
			for i, at := 0, 0; i < len(list); i++ {
				d, one := list[i], 1
				if d.name != d.size {
					one = lanes
				}
				if !d.chunks {
					whole = append(whole, fmt.Sprint(one*point[at]))
					at++
					continue
				}
				whole, chunks = append(whole, fmt.Sprint(one*point[at+3])), append(chunks, fmt.Sprint(point[at]))
				at += 4
			}
			return strings.Join(append(whole, chunks...), "x")
		},
	}
}
