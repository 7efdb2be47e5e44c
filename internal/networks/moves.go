package networks

import (
	"fmt"
	"strings"
)

// Walk reshapes and transposes a tensor so many times, by turns, and goes all the way back. The shapes of one rank do not
// divide those of the other, so that the index of an element is a floor division inside others, one for each step.
func Walk(steps int) (before, after string) {
	shapes := [][]int{{4, 6, 10}, {8, 30}, {15, 16}, {2, 12, 10}, {5, 48}, {20, 12}, {3, 8, 10}, {16, 15}}
	reshape := func(x string, dims []int) string {
		return "(access-reshape " + x + " (access-shape (shape " + numbers(dims) + ") (shape)))"
	}
	x, at := "(access-tensor A)", shapes[0]
	var back []func(string) string // the last is undone first
	for k := range steps {
		was := at
		if k%2 == 0 {
			at = shapes[(k/2+1)%len(shapes)]
			x = reshape(x, at)
			back = append(back, func(x string) string { return reshape(x, was) })
			continue
		}
		order, inverse := make([]int, len(was)), make([]int, len(was))
		at = make([]int, len(was))
		for i := range was {
			from := (i + 1) % len(was) // the first axis goes to the end, or all turn round
			if k%4 == 1 {
				from = len(was) - 1 - i
			}
			order[i], inverse[from], at[i] = from, i, was[from]
		}
		x = "(access-transpose " + x + " (list " + numbers(order) + "))"
		back = append(back, func(x string) string { return "(access-transpose " + x + " (list " + numbers(inverse) + "))" })
	}
	for k := range back {
		x = back[len(back)-1-k](x)
	}
	decl := "(input A (shape " + numbers(shapes[0]) + "))\n"
	return decl + "(access-tensor A)\n", decl + x + "\n"
}

func numbers(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }

// Slices cuts a tensor into rows and puts them together again.
func Slices(rows int) (before, after string) {
	slice := func(i int) string { return fmt.Sprintf("(access-slice (access-tensor A) 0 %d %d)", i, i+1) }
	decl := fmt.Sprintf("(input A (shape %d 8))\n", rows)
	return decl + "(access-tensor A)\n", decl + concatenated(rows, slice) + "\n"
}

// concatenated puts so many parts together along the first axis, one after the other.
func concatenated(n int, part func(i int) string) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("(access-concatenate ", n-1) + part(0))
	for i := 1; i < n; i++ {
		b.WriteString(" " + part(i) + " 0)")
	}
	return b.String()
}

// Constant is a matrix of numbers that one side transposes, and that the other writes down transposed.
func Constant(rows, columns int) (before, after string) {
	var given, turned []int
	for i := range rows {
		for j := range columns {
			given = append(given, (37*i+11*j+5)%97-48)
		}
	}
	for j := range columns {
		for i := range rows {
			turned = append(turned, given[i*columns+j])
		}
	}
	matrix := func(list []int, rows, columns int) string {
		flat := concatenated(len(list), func(k int) string {
			return fmt.Sprintf("(access (access-tensor (constant-tensor %d (shape 1))) 1)", list[k])
		})
		return fmt.Sprintf("(access-reshape %s (access-shape (shape %d %d) (shape)))", flat, rows, columns)
	}
	return "(access-transpose " + matrix(given, rows, columns) + " (list 1 0))\n", matrix(turned, columns, rows) + "\n"
}
