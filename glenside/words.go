package glenside

import (
	"strings"

	"tv/semantics/domain"
)

// A word is an atom of a program with what it may stand for, looked up once.
type word struct {
	text   string
	hash   uint32
	known  classes
	sizeOp domain.SizeOp // of + - * div mod max min, else 0; minus counts as SizeAdd
	family Category
	op     *Op                     // as the first word of a list
	ops    [CatAccelerator + 1]*Op // after compute, relay-operator-call, accelerator-call

	def *Definition // of this name

	// Nodes made of it so far.
	symbol, access, int *Node
}

// classes are the classes of words that Glenside tells apart before it takes a word for a tensor name.
type classes uint8

const (
	classInt   classes = 1 << iota
	classFloat         // integers too
	classReserved
)

func (w *word) isInt() bool    { return w.known&classInt != 0 }
func (w *word) isFloat() bool  { return w.known&classFloat != 0 }
func (w *word) reserved() bool { return w.known&classReserved != 0 }

// String returns the word for messages, where a long one is cut.
func (w *word) String() string {
	const longest = 60
	if len(w.text) > longest {
		return strings.ToValidUTF8(w.text[:longest], "") + "..."
	}
	return domain.Quote(w.text)
}

var sizeOpOf = map[string]domain.SizeOp{
	"+": domain.SizeAdd, "-": domain.SizeAdd, "*": domain.SizeMul, "div": domain.SizeDiv, "mod": domain.SizeMod, "max": domain.SizeMax, "min": domain.SizeMin,
}

// The words that open the forms of a file that are no expressions.
const (
	wordInput  = "input"
	wordAssume = "assume"
	wordDefine = "define"
)

// reservedWords cannot be names of tensors or sizes: the names of operators (but not the paper's spellings,
// which are good names of tensors) and the words that operators take.
var reservedWords = reservedWordsOf()

func reservedWordsOf() map[string]bool {
	set := make(map[string]bool, 2*len(table))
	for _, op := range table {
		set[op.Name] = true
		if op.Category == CatRelay {
			for _, alias := range op.Aliases {
				set[alias] = true
			}
		}
		for _, o := range op.Operands {
			for _, w := range o.Words {
				set[w] = true
			}
		}
	}
	for _, w := range callWords {
		if w != "" {
			set[w] = true
		}
	}
	return set
}

func newWord(text string, hash uint32) *word {
	w := &word{text: text, hash: hash, sizeOp: sizeOpOf[text]}
	switch {
	case isInteger(text):
		w.known = classInt | classFloat | classReserved
	case isDecimal(text):
		w.known = classFloat | classReserved
	default:
		if _, ok := domain.ParseElem(text); ok || reservedWords[text] {
			w.known = classReserved
		}
	}
	w.op = spellings[CatCore][text]
	for c, name := range callWords {
		if name != "" {
			w.ops[c] = spellings[c][text]
			if name == text {
				w.family = Category(c)
			}
		}
	}
	return w
}

// isInteger tells whether s is an optional sign and digits.
func isInteger(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}

// isDecimal tells whether s is a number as Glenside reads it: digits with an optional point and exponent,
// or inf, infinity.
func isDecimal(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if l := strings.ToLower(s); l == "inf" || l == "infinity" {
		return true
	}
	whole := digits(s)
	s = s[whole:]
	fraction := 0
	if s != "" && s[0] == '.' {
		fraction = digits(s[1:])
		s = s[1+fraction:]
	}
	if whole+fraction == 0 {
		return false
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '-' || s[0] == '+') {
			s = s[1:]
		}
		n := digits(s)
		return n > 0 && n == len(s)
	}
	return s == ""
}

// digits counts the decimal digits at the beginning of s.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// A wordTable holds each word of a text once, in an open-addressing table.
type wordTable struct {
	slots []*word // a power of two of them; nil is free
	count int
}

// find returns the word with the given text and hash, and whether it is new.
func (t *wordTable) find(text string, hash uint32) (w *word, fresh bool) {
	if 2*t.count >= len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		w := t.slots[i]
		if w == nil {
			w = newWord(text, hash)
			t.slots[i] = w
			t.count++
			return w, true
		}
		if w.hash == hash && w.text == text {
			return w, false
		}
	}
}

func (t *wordTable) grow() {
	old := t.slots
	t.slots = make([]*word, max(64, 2*len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, w := range old {
		if w == nil {
			continue
		}
		i := w.hash & mask
		for t.slots[i] != nil {
			i = (i + 1) & mask
		}
		t.slots[i] = w
	}
}

// A nodeTable makes nodes, each distinct one once, from slabs.
type nodeTable struct {
	list   []*Node
	hashes []uint32 // by Node.ID
	slots  []int32  // 1 + Node.ID; 0 is free; a power of two of them
	slab   []Node
	args   []*Node // free places for operands
}

// slabSize is how many nodes are made at a time: as many as there are. Most programs are small.
func (t *nodeTable) slabSize() int { return min(1024, max(16, len(t.list))) }

// call returns the node of op applied to args, which are copied.
func (p *parser) call(op *Op, args []*Node, start, end int) *Node {
	h := newHash(uint64(op.index))
	for _, a := range args {
		h = h.add(uint64(a.ID) + 1)
	}
	t := &p.nodes
	slot := t.slot(uint32(h), func(n *Node) bool {
		if n.Op != op || len(n.Args) != len(args) {
			return false
		}
		for i, a := range args {
			if n.Args[i] != a {
				return false
			}
		}
		return true
	})
	if id := t.slots[slot]; id != 0 {
		return t.list[id-1]
	}
	n := t.insert(slot, uint32(h))
	n.Kind, n.Op, n.Start, n.End = KindCall, op, int32(start), int32(end)
	if len(args) > 0 {
		if len(t.args) < len(args) {
			t.args = make([]*Node, max(t.slabSize(), len(args)))
		}
		n.Args = t.args[:len(args):len(args)]
		t.args = t.args[len(args):]
		copy(n.Args, args)
	}
	return n
}

// leaf returns the node of an expression without operands.
func (p *parser) leaf(kind Kind, text string, size domain.Size, start, end int) *Node {
	h := newHash(uint64(kind) + 1<<32).add(size.Hash())
	for i := range len(text) {
		h = h.add(uint64(text[i]))
	}
	t := &p.nodes
	slot := t.slot(uint32(h), func(n *Node) bool {
		return n.Kind == kind && n.Text == text && n.Int.Equal(size)
	})
	if id := t.slots[slot]; id != 0 {
		return t.list[id-1]
	}
	n := t.insert(slot, uint32(h))
	n.Kind, n.Text, n.Int, n.Start, n.End = kind, text, size, int32(start), int32(end)
	return n
}

// slot returns the place of the node that has the hash and is the same, or the free place for it.
func (t *nodeTable) slot(hash uint32, same func(*Node) bool) uint32 {
	if 2*len(t.list) >= len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	i := hash & mask
	for t.slots[i] != 0 {
		if id := t.slots[i] - 1; t.hashes[id] == hash && same(t.list[id]) {
			break
		}
		i = (i + 1) & mask
	}
	return i
}

func (t *nodeTable) insert(slot, hash uint32) *Node {
	if len(t.slab) == 0 {
		t.slab = make([]Node, t.slabSize())
	}
	n := &t.slab[0]
	t.slab = t.slab[1:]
	n.ID = len(t.list)
	t.list = append(t.list, n)
	t.hashes = append(t.hashes, hash)
	t.slots[slot] = int32(len(t.list))
	return n
}

func (t *nodeTable) grow() {
	t.slots = make([]int32, max(64, 2*len(t.slots)))
	mask := uint32(len(t.slots) - 1)
	for id, h := range t.hashes {
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = int32(id + 1)
	}
}

// A hash is an FNV-1a hash of 64-bit words. Hashes only tell unequal things apart quickly.
type hash uint64

func newHash(tag uint64) hash { return hash(14695981039346656037).add(tag) }

func (h hash) add(word uint64) hash {
	x := (uint64(h) ^ word) * 1099511628211
	return hash(x ^ x>>32)
}

// Reserved tells whether a word of the language cannot be a name: 3, int8, access, zero-padding.
func Reserved(word string) bool { return newWord(word, 0).reserved() || sizeOpOf[word] != 0 }
