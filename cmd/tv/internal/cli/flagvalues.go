package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A choice is a flag that takes one of a few words.
type choice struct {
	value   string
	allowed []string
	pairs   []string // of which two with a comma between are taken too
}

func newChoice(value string, others ...string) *choice {
	return &choice{value: value, allowed: append([]string{value}, others...)}
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.words(), "|") }

// words are those that it takes; without a default the empty one is none of them.
func (c *choice) words() []string {
	return slices.DeleteFunc(slices.Clone(c.allowed), func(w string) bool { return w == "" })
}
func (c *choice) Set(s string) error {
	x, y, pair := strings.Cut(s, ",")
	if pair = pair && slices.Contains(c.pairs, x) && slices.Contains(c.pairs, y); !pair && !slices.Contains(c.allowed, s) {
		return errors.New(orList(c.words()))
	}
	c.value = s
	return nil
}

// orList joins words: a, b or c.
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// A byteSize is a flag that takes a number of bytes: 512MiB, 4GiB, 1000000.
type byteSize int64

// leastBytes is the smallest size: a number below it was meant to have a unit.
const leastBytes = 1 << 20

var byteUnits = []struct {
	suffix string
	bytes  int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"B", 1}, {"", 1},
}

func (b *byteSize) Type() string { return "bytes" }

func (b *byteSize) String() string {
	for i := 3; i >= 0; i-- {
		if u := byteUnits[i]; *b != 0 && int64(*b)%u.bytes == 0 {
			return fmt.Sprintf("%d%s", int64(*b)/u.bytes, u.suffix)
		}
	}
	return fmt.Sprint(int64(*b))
}

func (b *byteSize) Set(s string) error {
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt64/u.bytes || n*u.bytes < leastBytes {
			break
		}
		*b = byteSize(n * u.bytes)
		return nil
	}
	return errors.New("a size from 1MiB, such as 512MiB or 4GiB")
}
