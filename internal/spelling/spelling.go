// Package spelling finds the word that a misspelt one was meant to be, and lists those that there are.
package spelling

import (
	"fmt"
	"strings"
)

// mostListed are the names that a message has.
const mostListed = 20

// List lists names with commas between them; of many the first, and how many more there are.
func List(names []string) string {
	if n := len(names) - mostListed; n > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostListed], ", "), n)
	}
	return strings.Join(names, ", ")
}

// longest is the length in bytes beyond which a name is not compared: no word of ours is near it.
const longest = 60

// Nearest returns the one of words that is the fewest slips away from name, or "" where none is near: one slip
// for each three letters of name, and one in shorter names. Of several equally near the first is returned.
func Nearest(name string, words []string) string {
	if len(name) < 2 || len(name) > longest {
		return ""
	}
	best, bestDistance := "", max(len(name)/3, 1)+1
	for _, w := range words {
		if d := distance(name, w); d < bestDistance {
			best, bestDistance = w, d
		}
	}
	return best
}

// distance counts the bytes to insert, delete, replace or swap with the next to make b of a (optimal string
// alignment: no byte is touched twice).
func distance(a, b string) int {
	// Distances of a prefix of a to each prefix of b: the prefix without its last byte, without its last two.
	row, last, before := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
