package recur

import (
	"strconv"
	"strings"
)

// A node is a word, or a list of nodes.
type node struct {
	word string
	list []*node
}

// Bounds of the text of a certificate: it is taken apart by recursion.
const (
	maxNesting = 1 << 10
	maxNodes   = 1 << 22
)

// read takes a line apart into nodes.
func read(line string) []*node {
	root := &node{}
	stack := []*node{root}
	line = strings.ReplaceAll(strings.ReplaceAll(line, "(", " ( "), ")", " ) ")
	words := strings.Fields(line)
	if len(words) > maxNodes {
		limit("a line of more than %d words", maxNodes)
	}
	for _, w := range words {
		top := stack[len(stack)-1]
		switch w {
		case "(":
			n := &node{}
			top.list = append(top.list, n)
			if stack = append(stack, n); len(stack) > maxNesting {
				limit("lists nest more than %d deep", maxNesting)
			}
		case ")":
			if len(stack) == 1 {
				malformed("a parenthesis that nothing opens")
			}
			stack = stack[:len(stack)-1]
		default:
			top.list = append(top.list, &node{word: w})
		}
	}
	if len(stack) > 1 {
		malformed("a parenthesis that nothing closes")
	}
	return root.list
}

// head is the word of a node, or that which its list begins with, and what follows there.
func (n *node) head() (string, []*node) {
	if n.word != "" {
		return n.word, nil
	}
	if len(n.list) == 0 {
		malformed("an empty list")
	}
	return n.list[0].word, n.list[1:]
}

// words are those of a list of words.
func words(list []*node) (out []string) {
	for _, n := range list {
		if n.word == "" {
			malformed("a list where a word is expected")
		}
		out = append(out, n.word)
	}
	return out
}

// wants refuses a list of another length.
func wants(list []*node, n int, what string) {
	if len(list) != n {
		malformed("%s has %d parts, not %d", what, len(list), n)
	}
}

// natural reads a small number.
func natural(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || n > maxNodes || strconv.Itoa(n) != word {
		malformed("%q is no number", word)
	}
	return n
}
