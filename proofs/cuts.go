package proofs

import (
	"fmt"
	"strconv"
	"strings"

	"tv/glenside"
)

// A Cut says that a subterm of AFTER has the dims and the elements of a subterm of BEFORE, wherever
// those of BEFORE have a value. Later cuts may take both for one tensor of which nothing is known,
// not even that its elements have a value.
type Cut struct {
	Before, After int   // numbers of the subterms, as the parser counts them
	Uses          []int // the cuts, counted from 0, that stand as tensors in these two; ascending
}

// readCut reads such a line without the word.
func readCut(line string) Cut {
	list := numbers(line)
	if len(list) < 2 {
		fail(codeWitness, "%q is no cut", line)
	}
	return Cut{list[0], list[1], list[2:]}
}

// numbers reads numbers with a blank between two.
func numbers(line string) (list []int) {
	for _, word := range strings.Split(line, " ") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || strconv.Itoa(n) != word {
			fail(codeWitness, "%q are no numbers", line)
		}
		list = append(list, n)
	}
	return list
}

// plan checks that cuts lead from one to the next and end with both programs, which is the plan
// where there are none.
func plan(cuts []Cut, typed []*glenside.Typing) []Cut {
	roots := Cut{Before: typed[0].Program.Root.ID, After: typed[1].Program.Root.ID}
	if len(cuts) == 0 {
		return []Cut{roots}
	}
	if last := cuts[len(cuts)-1]; last.Before != roots.Before || last.After != roots.After {
		fail(codeWitness, "the last cut is not of the programs")
	}
	for i, c := range cuts {
		for k, j := range c.Uses {
			if j >= i || k > 0 && j <= c.Uses[k-1] {
				fail(codeWitness, "cut %d uses cut %d", i, j)
			}
		}
		if i == len(cuts)-1 {
			break
		}
		x, y := tensorAt(typed[0], c.Before), tensorAt(typed[1], c.After)
		if x.Elem != y.Elem || len(x.Dims) != len(y.Dims) {
			fail(codeWitness, "cut %d is of tensors of other ranks or element types", i)
		}
	}
	return cuts
}

func tensorAt(ty *glenside.Typing, node int) *glenside.Type {
	if node >= len(ty.Types) || ty.Types[node] == nil || ty.Types[node].Kind > glenside.TypeTensor {
		fail(codeWitness, "subterm %d is no tensor", node)
	}
	return ty.Types[node]
}

// standing returns the tensors that stand for subterms of the two sides of cut i, by the number of
// the subterm. The elements of a tensor are those of one subterm of BEFORE; of AFTER several may
// stand for it.
func standing(cuts []Cut, i int) (names [2]map[int]string) {
	names = [2]map[int]string{{}, {}}
	for _, k := range cuts[i].Uses {
		c := cuts[k]
		name, known := names[0][c.Before]
		if _, twice := names[1][c.After]; twice {
			fail(codeWitness, "cut %d uses two cuts of one subterm of AFTER", i)
		}
		if !known {
			name = fmt.Sprintf("%scut %d", derived, k)
		}
		names[0][c.Before], names[1][c.After] = name, name
	}
	delete(names[0], cuts[i].Before) // what is to be shown
	delete(names[1], cuts[i].After)
	return names
}
