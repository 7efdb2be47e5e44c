package proofs

import (
	"strconv"
	"strings"

	"tv/proofs/algebra"
)

// readCut reads such a line without the word.
func readCut(line string) algebra.Cut {
	list := numbers(line)
	if len(list) < 2 {
		algebra.Fail(algebra.CodeWitness, "%q is no cut", line)
	}
	return algebra.Cut{Before: list[0], After: list[1], Uses: list[2:]}
}

// numbers reads numbers with a blank between two.
func numbers(line string) (list []int) {
	for _, word := range strings.Split(line, " ") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || strconv.Itoa(n) != word {
			algebra.Fail(algebra.CodeWitness, "%q are no numbers", line)
		}
		list = append(list, n)
	}
	return list
}
