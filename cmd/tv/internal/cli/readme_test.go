package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// consoleBlock is a run in a page: commands after "$ ", then what they print.
var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```\n")

// The runs in the pages are real. They are made in a directory of their own, in which the names of a page are those of
// the tree: what a run writes is not left behind.
func TestPageRuns(t *testing.T) {
	tree, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"README.md", "doc/fpga.md", "doc/fuzzing.md", "doc/loops.md", "doc/machines.md", "doc/map.md"} {
		t.Run(page, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, dir := range []string{"examples", "hwmodels"} {
				if err := os.Symlink(filepath.Join(tree, dir), dir); err != nil {
					t.Fatal(err)
				}
			}
			testRuns(t, filepath.Join(tree, filepath.FromSlash(page)))
		})
	}
}

// testRuns makes the runs of a page again.
func testRuns(t *testing.T, file string) {
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	got := consoleBlock.ReplaceAllFunc(page, func(block []byte) []byte {
		var b bytes.Buffer
		b.WriteString("```console\n")
		for line := range strings.Lines(string(consoleBlock.FindSubmatch(block)[1])) {
			command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ tv ")
			if !ok {
				continue
			}
			runs++
			b.WriteString(line)
			_, stdout, stderr := run(strings.Fields(command)...)
			b.WriteString(stderr + stdout)
		}
		b.WriteString("```\n")
		return b.Bytes()
	})
	if runs == 0 {
		t.Error("the page shows no run")
	}
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(page), string(got)); diff != "" {
		t.Errorf("(-file +run; go test -update writes it):\n%s", diff)
	}
}
