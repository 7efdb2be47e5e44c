package bits

import (
	"fmt"
	"hash/fnv"
	"math/big"
)

// SomeChoices runs for so many values of what a run asks for that look random and are the same each time, until run returns false; it tells
// whether it never did.
func SomeChoices(runs int, run func(Choose) bool) bool {
	for n := range runs {
		ok := run(func(name string, width, cycle int) *big.Int {
			v := new(big.Int)
			for i := 0; i < width; i += 64 {
				h := fnv.New64a()
				fmt.Fprintf(h, "%d %s %d %d", n, name, cycle, i)
				v.Or(v, new(big.Int).Lsh(new(big.Int).SetUint64(h.Sum64()), uint(i)))
			}
			return v
		})
		if !ok {
			return false
		}
	}
	return true
}

// AllChoices runs for all values of what a run asks for, in the order of these, until run returns false or most runs were made; it tells
// whether none is left. A run asks for the same as long as it was answered the same.
func AllChoices(most int, run func(Choose) bool) (all bool) {
	type key struct {
		name  string
		cycle int
	}
	type asked struct {
		key
		width int
		value *big.Int
	}
	var answers []asked
	for range most {
		values := map[key]*big.Int{}
		for _, a := range answers {
			values[a.key] = a.value
		}
		choose := func(name string, width, cycle int) *big.Int {
			k := key{name, cycle}
			if values[k] == nil {
				values[k] = new(big.Int)
				answers = append(answers, asked{k, width, values[k]})
			}
			return new(big.Int).Set(values[k])
		}
		if !run(choose) {
			return false
		}
		for len(answers) > 0 {
			last := &answers[len(answers)-1]
			last.value = new(big.Int).Add(last.value, big.NewInt(1))
			if last.value.BitLen() <= last.width {
				break
			}
			answers = answers[:len(answers)-1]
		}
		if len(answers) == 0 {
			return true
		}
	}
	return false
}
