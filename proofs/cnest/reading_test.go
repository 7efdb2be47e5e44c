package cnest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTexts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var list []*program
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := read(name, string(text))
		if err != nil {
			t.Log(err)
			continue
		}
		list = append(list, &program{name, string(text), p, 3})
	}
	errors, all := against(t, list, false)
	for i, g := range list {
		t.Log(g.name, errors[i], "of", all[i])
	}
}
