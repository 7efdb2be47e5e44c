package recur

import (
	"fmt"
	"strconv"
	"strings"

	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A built value is that of an instance in which the sources of some reads, which are executed
// before it, stand in their place; or what a cell held before the call, which is its read 0.
type built struct {
	instance
	from   *value         // of a cell
	opened map[int]*built // by read
}

// built is what an instance writes, or what a cell held, as it is computed.
func (c *checker) built(v value) *built {
	if v.entry != nil {
		return &built{from: &v}
	}
	return &built{instance: instance{v.of, v.at}}
}

// data is how a value is computed.
func (b *built) data() *loops.Data {
	if b.from != nil {
		return &loops.Data{Op: loops.DataRead, Elem: b.from.entry.Elem}
	}
	return b.assign.Value
}

// whole is a value as one term.
func (b *built) whole() []term { return []term{{Data: b.data()}} }

// count is how many reads a value has, those opened included.
func (b *built) count() int {
	if b.from != nil {
		return 1
	}
	return len(b.reads)
}

// split takes the first number off a path, K or K.PATH.
func (b *built) split(path string) (read int, rest string) {
	word, rest, _ := strings.Cut(path, ".")
	read, err := strconv.Atoi(word)
	if err != nil || read < 0 || read >= b.count() || strconv.Itoa(read) != word {
		malformed("%s has no read %q", b, path)
	}
	return read, rest
}

// inner returns the value at a path that has a read there which is not opened.
func (b *built) inner(path string) (of *built, read int) {
	read, rest := b.split(path)
	opened := b.opened[read]
	switch {
	case opened != nil && rest != "":
		return opened.inner(rest)
	case opened != nil || rest != "":
		malformed("%s has no read %q", b, path)
	}
	return b, read
}

// finds is what a read that is not opened finds.
func (c *checker) finds(b *built, read int) value {
	if b.from != nil {
		return *b.from
	}
	return value{table: c.table(b.statement, read), at: b.at}
}

// elem is the type of what a read that is not opened finds.
func (b *built) elem(read int) domain.Elem {
	if b.from != nil {
		return b.from.entry.Elem
	}
	return b.reads[read].Elem
}

// with is a value with a source in the place of the read at a path.
func (b *built) with(path string, source *built) *built {
	out := *b
	out.opened = map[int]*built{}
	for k, v := range b.opened {
		out.opened[k] = v
	}
	read, rest := b.split(path)
	if rest != "" {
		source = b.opened[read].with(rest, source)
	}
	out.opened[read] = source
	return &out
}

// String names a value.
func (b *built) String() string {
	if b.from != nil {
		return fmt.Sprintf("%s%v before the call", b.from.entry.Name, b.from.at)
	}
	return b.instance.String()
}
