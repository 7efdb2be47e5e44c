package glenside

import "slices"

// A Call is a list of a text around some place.
type Call struct {
	Start, End int    // byte offsets of the list
	Name       string // of its operator, as the table has it; of a definition, "define"
	Operand    int    // which operand of it the place is in, counted from 0; -1: none, but its words
	Value      bool   // it is a value or a definition, not a shape, a list or a literal
}

// Around lists the lists of the text that an offset is in, innermost first. A text that is no program has some of them.
func (p *Program) Around(offset int) (out []Call) {
	type open struct{ start, words int }
	r := newParser(p.File)
	var lists []open
	for {
		start := r.skip()
		if start >= len(r.text) {
			return nil
		}
		if start > offset {
			break
		}
		closes := r.text[start] == ')'
		if closes && len(lists) == 0 {
			return nil
		}
		r.token()
		if offset < r.pos && r.text[start] != '(' {
			break // it is in this word
		}
		switch {
		case r.text[start] == '(':
			if len(lists) > 0 {
				lists[len(lists)-1].words++
			}
			lists = append(lists, open{start: start})
		case closes:
			lists = lists[:len(lists)-1]
		default:
			if len(lists) > 0 {
				lists[len(lists)-1].words++
			}
		}
		if offset < r.pos {
			break
		}
	}
	for i, l := range slices.Backward(lists) {
		if i < len(lists)-1 {
			l.words-- // the list that the place is in
		}
		if c, ok := p.callAt(l.start, l.words); ok {
			out = append(out, c)
		}
	}
	return out
}

// callAt is the list that begins at an offset, in which a place has so many words and lists before it.
func (p *Program) callAt(start, before int) (c Call, ok bool) {
	r := newParser(p.File)
	r.pos = start
	if !r.element() {
		return c, false
	}
	c = Call{Start: start, End: r.pos, Value: true}
	r.pos = start + 1
	at := r.skip()
	r.token()
	head := r.text[at:r.pos]
	family, words := CallCategory(head), 1
	if family != CatCore {
		at, words = r.skip(), 2
		r.token()
		head = r.text[at:r.pos]
	}
	if c.Name, c.Operand = head, max(-1, before-words); head == wordDefine {
		c.Operand = -1
	} else if op := LookupSpelling(family, head); op != nil {
		c.Name, c.Value = op.Name, !op.sized
	}
	return c, true
}

// Like lists the words one of which may stand where another one does: operators that are called alike and have operands of the
// same sorts, and words that an operator takes in the same place.
func Like(word string) (out []string) {
	add := func(other string) {
		if other != word && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	sorts := func(op *Op) (list []Sort) {
		for _, o := range op.Operands {
			list = append(list, o.Sort)
		}
		return list
	}
	for _, op := range table {
		if op.Name == word || slices.Contains(op.Aliases, word) {
			for _, other := range table {
				if other.Category == op.Category && other != op && other.sized == op.sized && slices.Equal(sorts(op), sorts(other)) {
					add(other.Name)
				}
			}
		}
		for _, o := range op.Operands {
			if slices.Contains(o.Words, word) {
				for _, other := range o.Words {
					add(other)
				}
			}
		}
	}
	return out
}
