package witness

import (
	"maps"
	"slices"

	search "tv/equiv/recur"
	"tv/proofs/recur"
)

// Refute answers a goal of a proof by recurrences: why no integers satisfy its rows. Empty: no reason was found.
func Refute(g *recur.Goal) string {
	names := map[string]bool{}
	all := slices.Clone(g.Rows)
	for _, ways := range g.Ors {
		all = append(all, slices.Concat(ways...)...)
	}
	for _, row := range all {
		if !row.N.IsInt64() {
			return ""
		}
		for name, k := range row.Of {
			if names[name] = true; !k.IsInt64() {
				return ""
			}
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	rows := func(list []recur.Row) (out []search.Row) {
		for _, row := range list {
			r := search.Row{Number: row.N.Int64(), Equal: row.Equal}
			for _, name := range sorted {
				k := int64(0)
				if n := row.Of[name]; n != nil {
					k = n.Int64()
				}
				r.Factors = append(r.Factors, k)
			}
			out = append(out, r)
		}
		return out
	}
	var ors [][][]search.Row
	for _, ways := range g.Ors {
		var list [][]search.Row
		for _, way := range ways {
			list = append(list, rows(way))
		}
		ors = append(ors, list)
	}
	return search.Refute(rows(g.Rows), ors, sorted)
}
