// Package rules checks certificates of rewrite rules over bit-vectors. It shares no code with what finds them, and knows of tv
// only the checker of circuits, which certificates of single instances are for.
//
//	certificate.go  the file; [Check] and the [Claim] that it returns
//	text.go         rules: lists, widths as polynomials, terms
//	instance.go     a rule at numbers: which are admitted, and the two specifications that an instance is
//	widths.go       a rule at all numbers: widths, and that the right side is well formed where the left one is
//	fields.go       words as pieces in a row, fields as far in as they go
//	identity.go     that terms are equal at every width, by values of minterms
//
// The laws that identity.go goes by are in doc/semantics.md, section 10.
package rules

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tv/proofs/bits"
)

// A Claim is what a certificate shows: that the rule is right at all numbers that its names may stand for, or at all of
// them up to Bound.
type Claim struct {
	Text  string // of the rule
	Name  string
	All   bool
	Bound int // where All is false
	Names []string
	Least []int // of each name
}

const firstLine = "tv bits rule certificate 1"

// Is tells whether data is a certificate of this package.
func Is(data []byte) bool { return strings.HasPrefix(string(data), firstLine+"\n") }

// refusal is why a certificate shows nothing.
type refusal struct{ text string }

func refuse(format string, args ...any) { panic(refusal{fmt.Sprintf(format, args...)}) }

func need(ok bool, format string, args ...any) {
	if !ok {
		refuse(format, args...)
	}
}

// Check reads a certificate and returns what it shows, or why it shows nothing. Nothing that is not in data is read.
func Check(data []byte) (c *Claim, err error) {
	defer func() {
		if r := recover(); r != nil {
			why, ok := r.(refusal)
			if !ok {
				panic(r)
			}
			c, err = nil, errors.New(why.text)
		}
	}()
	head, rest, _ := strings.Cut(string(data), "\n")
	need(head == firstLine, "its first line is not %q", firstLine)
	line, rest, _ := strings.Cut(rest, "\n")
	f := strings.Split(line, " ")
	need(len(f) == 3 && f[0] == "rule", "no rule")
	n, bad := strconv.Atoi(f[2])
	need(bad == nil && n >= 0 && n < len(rest) && rest[n] == '\n', "no %s bytes of text", f[2])
	text := rest[:n]
	need(fmt.Sprintf("%x", sha256.Sum256([]byte(text))) == f[1], "the digest of the rule is another")
	line, rest, _ = strings.Cut(rest[n+1:], "\n")
	bound, ok := strings.CutPrefix(line, "widths ")
	need(ok, "no line widths")
	body, ok := strings.CutSuffix(rest, "end\n")
	need(ok, "it does not end")
	r := readRule(text)
	c = &Claim{Text: text, Name: r.name, All: bound == "all", Names: r.names, Least: r.least}
	if c.All {
		need(body == "", "something stands where the end should be")
		r.everywhere()
		return c, nil
	}
	c.Bound, bad = strconv.Atoi(bound)
	need(bad == nil && c.Bound >= 0 && c.Bound <= 64 && bound == strconv.Itoa(c.Bound), "no bound %q", bound)
	r.upTo(c.Bound, body)
	return c, nil
}

// upTo checks the certificates of all instances up to a bound.
func (r *rule) upTo(bound int, body string) {
	claims, err := bits.Check([]byte(body))
	if err != nil {
		refuse("an instance: %v", err)
	}
	instances := 0
	for _, values := range r.assignments(bound) {
		left, right, admitted := r.at(values)
		if !admitted {
			continue
		}
		need(instances < len(claims), "an instance has no certificate: %v", values)
		c := claims[instances]
		instances++
		for _, side := range []struct {
			has  bits.Text
			want string
		}{{c.Before, left}, {c.After, right}} {
			need(side.has.Language == "bv" && side.has.Data == side.want, "a certificate is not of the instance %v", values)
		}
		need(c.Latency == 0 && len(c.Assume) == 0, "a certificate is of another question")
	}
	need(instances == len(claims) && instances > 0, "a certificate is of no instance")
}
