package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tv/ci/page/pagetest"
	"tv/internal/tier"
)

// mostPage bounds the page of an ordinary refutation, in bytes.
const mostPage = 300_000

// TestPages: the page of a refutation can be read by everyone and is small; where values differ it shows both programs, what is to
// blame, and the result before, after and their difference.
func TestPages(t *testing.T) {
	var all []string
	for dir, least := range map[string]int{"check": 300, "languages": 300, "machines": 10} {
		list, err := filepath.Glob(filepath.Join(root, "testdata", dir, "*-bad*.txtar"))
		if err != nil || len(list) < least {
			t.Fatalf("%d files: %v", len(list), err)
		}
		all = append(all, list...)
	}
	var few []string
	for i := 0; i < len(all); i += len(all) / 30 {
		few = append(few, all[i])
	}
	for _, file := range tier.Pick(few, all) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			exit, text, _ := run("check", "--no-timing", "--format", "html", file)
			for _, problem := range pagetest.Problems(text) {
				t.Error(problem)
			}
			if len(text) > mostPage {
				t.Errorf("the page has %d bytes", len(text))
			}
			_, said, _ := run("check", "--no-timing", file)
			values := exit == exitRefuted && strings.Contains(said, " before, ") && !strings.Contains(said, "undefined")
			least := 3
			if strings.Contains(file, "machines") {
				least = 1
			}
			if pictures := count(t, text, "svg"); values && pictures < least {
				t.Errorf("the page has %d pictures", pictures)
			}
			if strings.Contains(said, "\n  blame: ") && count(t, text, "mark") == 0 {
				t.Error("nothing is underlined")
			}
		})
	}
}

// TestPagesOfMachines: the page of a listing shows what wrote the element, with memories, or how the units ran; that of a netlist the cells
// that the bit comes from; that of procedures which statement wrote each element last; that of a mapping the mapped program as a graph.
func TestPagesOfMachines(t *testing.T) {
	example := func(name string) string { return filepath.Join(root, "examples", name) }
	machines := func(name string) string { return filepath.Join(root, "testdata", "machines", name) }
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"check", example("dense-int8.sexp"), example("dense-int8-bad.vta")},
			[]string{"What wrote the element last", "store out dram=512", "on the unit store", "<strong>dram</strong>", ">-66<", "wrote the element last, and the one that wrote what it took"}},
		{[]string{"check", example("dense-int8.sexp"), example("dense-int8-racing.vta")},
			[]string{"How the units ran", "4 is gemm end=2", `class="span marked"`, ">compute<", "Underlined are the instructions that nothing orders."}},
		{[]string{"check", machines("vta-units-buffers-queue-bad.txtar")}, []string{"How the units ran", "Underlined is the instruction that waits for ever."}},
		{[]string{"check", example("add8.bv"), example("add8-bad.v")},
			[]string{"Where the bit comes from", "The cells that y[3] comes from", `class="node marked"`, "LUT2 reads I0=1 I1=1 and gives O=1", "bits 4:3 differ"}},
		{[]string{"check", example("matmul.c"), example("matmul-tiled-short.c")}, []string{"Who wrote what last", "written at line 11, at ti = 0, tk = 0, i = 0, k = 0, j = 0", "written at line 5, at i = 7, j = 0"}},
		{[]string{"map", example("residual.relay"), "--target", "vta", "-o", filepath.Join(t.TempDir(), "mapped.sexp")},
			[]string{"The mapped program as a graph", `class="node marked"`, ">vta-dense<", "Calls: 1 of vta", "conv2d-im2col-nchw"}},
	} {
		exit, text, stderr := run(append(test.args, "--format", "html")...)
		if exit == exitError {
			t.Fatal(stderr)
		}
		for _, problem := range pagetest.Problems(text) {
			t.Errorf("%v: %s", test.args, problem)
		}
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("the page of %v does not say %s", test.args, want)
			}
		}
	}
}

// count returns how many elements of a name a page has.
func count(t *testing.T, text, name string) (n int) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for e := range doc.Descendants() {
		if e.Type == html.ElementNode && e.Data == name {
			n++
		}
	}
	return n
}

// TestExplainCuts: the steps of a proof in stages name the subterms that were proved equal one after the other, by their numbers in
// those that were proved with them.
func TestExplainCuts(t *testing.T) {
	exit, text, errs := run("check", "--explain", "--no-timing", filepath.Join(root, "testdata", "check", "encoder-layer-heads-one-by-one.txtar"))
	if exit != exitProved {
		t.Fatalf("%d %s", exit, errs)
	}
	for _, want := range []string{
		"\n  1. cut 1 of 12: BEFORE's (relay-reshape ",
		"\n  2. cut 2 of 12: BEFORE's (relay-dense <cut 1> ", " is AFTER's (relay-dense <cut 1> ",
		"\n  13. of each cut: each element of both results is written as sums of products",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
