package glenside

import (
	"tv/semantics/domain"
)

// An extentReader reads the dims of --input: "32x32", "N,K" or "2*N*(K+1)". Dims are separated by commas, and by an x behind a
// number: a name may hold one.
type extentReader struct {
	text string
	at   int
	ok   bool
}

// extents reads the dims of a declaration. Where they are none, at is where they cease to be.
func extents(text string) (dims []domain.Dim, at int, ok bool) {
	r := &extentReader{text: text, ok: true}
	for r.ok {
		d := domain.Dim{Size: r.sum()}
		if len(d.Size.Names()) > 0 {
			d.Min = 1
		}
		if dims = append(dims, d); !r.next(',') && !(r.at > 0 && isDigit(r.text[r.at-1]) && r.next('x')) {
			break
		}
	}
	return dims, r.at, r.ok && r.at == len(text)
}

// next takes a character, if it is the next one.
func (r *extentReader) next(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

func (r *extentReader) sum() domain.Size {
	x := r.product()
	for r.ok {
		switch {
		case r.next('+'):
			x = x.Add(r.product())
		case r.next('-'):
			x = x.Sub(r.product())
		default:
			return x
		}
	}
	return x
}

func (r *extentReader) product() domain.Size {
	x := r.factor()
	for r.ok && r.next('*') {
		x = x.Mul(r.factor())
	}
	return x
}

func (r *extentReader) factor() domain.Size {
	if r.next('(') {
		x := r.sum()
		r.ok = r.ok && r.next(')')
		return x
	}
	start := r.at
	if n := digits(r.text[start:]); n > 0 {
		r.at += n
		x, ok := decimalSize(r.text[start:r.at])
		r.ok = r.ok && ok
		return x
	}
	for r.at < len(r.text) && isNameByte(r.text[r.at]) {
		r.at++
	}
	if r.ok = r.ok && r.at > start; !r.ok {
		return domain.IntSize(0)
	}
	return domain.NamedSize(r.text[start:r.at])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isNameByte tells whether a name of a size may hold a byte here: what no operator is.
func isNameByte(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '.' || c >= 0x80
}
