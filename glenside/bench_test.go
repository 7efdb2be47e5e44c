package glenside

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"tv/internal/source"
)

// doubled returns a program of at least the given length in which each level uses the one below twice.
func doubled(length int) string {
	e := "(compute relu (access-slice (access-pad (access A 1) zero-padding 1 1 1) 1 0 4))"
	for i := 0; len(e) < length; i++ {
		e = fmt.Sprintf("(access\n  (relay-operator-call relay-add\n    %s\n    %s) %d)", e, e, i%3)
	}
	return "(input A (shape 3 4))\n" + e
}

// distinct returns a program of at least the given length without any subterm twice.
func distinct(length int) string {
	var b strings.Builder
	n := 0
	for ; b.Len() < length; n++ {
		fmt.Fprintf(&b, "(access-slice A%d 0 0 %d)\n", n, n+1)
	}
	var head strings.Builder
	for i := range n {
		fmt.Fprintf(&head, "(input A%d (shape %d))\n", i, n+1)
	}
	return head.String() + "(construct-tuple " + b.String() + ")"
}

func benchmarkCheck(b *testing.B, text string) {
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		p, err := Parse(source.NewFile("p.sexp", text))
		if err != nil {
			b.Fatal(err)
		}
		ty, err := Check(p, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(p.Nodes)), "nodes")
		runtime.KeepAlive(ty)
	}
}

func BenchmarkCheckRepeated(b *testing.B) { benchmarkCheck(b, doubled(10<<20)) }
func BenchmarkCheckDistinct(b *testing.B) { benchmarkCheck(b, distinct(10<<20)) }
