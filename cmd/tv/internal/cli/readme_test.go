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

// The runs in the README are real.
func TestReadme(t *testing.T) {
	file := filepath.Join(root, "README.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		file, err = filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
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
		t.Error("the README shows no run")
	}
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(page), string(got)); diff != "" {
		t.Errorf("README.md (-file +run; go test -update writes it):\n%s", diff)
	}
}
