package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.rules", "a.rules", "a.txt", ".hidden.rules", "sub/c.rules", "sub/deep/d.rules", ".git/e.rules",
		"empty/a.txt", "odd[1].rules", "dir.rules/f.rules"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"sub/loop.rules": "..", "sub/link.rules": "../b.rules", "sub/gone.rules": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	const all = "a.rules b.rules dir.rules/f.rules odd[1].rules sub/c.rules sub/deep/d.rules sub/gone.rules sub/link.rules"
	for _, test := range []struct{ args, want string }{
		{".", all},
		{"...", all},
		{"./...", all},
		{"sub", "sub/c.rules sub/deep/d.rules sub/gone.rules sub/link.rules"},
		{"sub/...", "sub/c.rules sub/deep/d.rules sub/gone.rules sub/link.rules"},
		{"sub/", "sub/c.rules sub/deep/d.rules sub/gone.rules sub/link.rules"},
		{"*.rules", "a.rules b.rules dir.rules/f.rules odd[1].rules"},
		{".h*", ".hidden.rules"}, // written out
		{"s?b/[c-d].rules", "sub/c.rules"},
		{"*.t*", "a.txt"}, // a pattern says itself which files are meant
		{"odd[1].rules", "odd[1].rules"},
		{"b.rules a.rules b.rules", "b.rules a.rules b.rules"}, // names stand for themselves
		{"b.rules . sub", "b.rules a.rules dir.rules/f.rules odd[1].rules sub/c.rules sub/deep/d.rules sub/gone.rules sub/link.rules"},
		{"none.rules -", "none.rules -"},
		{"a.rules...", "a.rules..."},
		{"*.none", "error: *.none: the pattern matches no file [no-files]"},
		{"*/*.txt *.hidden*", "error: *.hidden*: the pattern matches no file [no-files]"},
		{"empty", "error: empty: there is no file below this directory that the command reads: .rules, .bv [no-files]"},
		{"empty/...", "error: empty/...: there is no file below this directory that the command reads: .rules, .bv [no-files]"},
		{"none/...", "error: none: cannot be read: no such file [file-unreadable]"},
		{"[a", "error: [a: is not a pattern: a [ is not closed, or is empty [bad-pattern]"},
		{"**/*.rules", "error: **/*.rules: ** is no pattern here: DIR/... stands for all below DIR [bad-pattern]"},
	} {
		list, err := Expand(strings.Fields(test.args), []string{".rules", ".bv"})
		got := strings.Join(list, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != test.want {
			t.Errorf("Expand(%s) =\n%s, want\n%s", test.args, got, test.want)
		}
	}
	if _, err := Expand([]string{"*.x", "[a"}, nil); err == nil || strings.Count(err.Error(), "[no-files]")+strings.Count(err.Error(), "[bad-pattern]") != 2 {
		t.Errorf("two arguments are wrong: %v", err)
	}
}
