package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.sexp")
	if err := os.WriteFile(bad, []byte("ab\n\xffc"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, want string }{
		{dir, "is a directory, not a file [file-directory]"},
		{filepath.Join(dir, "none"), "cannot be read: no such file [file-unreadable]"},
		{filepath.Join(bad, "below"), "cannot be read: not a directory [file-unreadable]"},
		{bad, ":2:1: byte 0xff is not UTF-8 text [file-not-utf8]"},
	} {
		_, err := Read(test.name, nil)
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("Read(%s): %v, want %s", test.name, err, test.want)
		}
	}
	f, err := Read("-", strings.NewReader("text \ufffd")) // U+FFFD itself is text
	if err != nil || f.Name != "-" || f.Text != "text \ufffd" {
		t.Errorf("Read(-) = %+v, %v", f, err)
	}
}

func TestWriteAtomic(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	for _, text := range []string{"first", "second"} {
		if err := WriteAtomic(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("read %q, %v, want %q", got, err, text)
		}
		if err := os.Chmod(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, %v: an existing file keeps them", info.Mode(), err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteAtomic(link, []byte("through")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(name); string(got) != "through" {
		t.Errorf("the file behind a link holds %q", got)
	}
	if err := WriteAtomic(os.DevNull, []byte("gone")); err != nil {
		t.Errorf("writing to a device: %v", err)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "none", "out")} {
		if err := WriteAtomic(bad, nil); err == nil || !strings.Contains(err.Error(), "[file-unwritable]") {
			t.Errorf("WriteAtomic(%s): %v", bad, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("the directory holds %v, %v: want out and link alone", entries, err)
	}
}

func TestWritable(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	for range 2 { // there is no file, then there is one
		if err := Writable(name); err != nil {
			t.Error(err)
		}
		if err := WriteAtomic(name, []byte("kept")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "kept" {
		t.Errorf("read %q, %v: nothing was to be written", got, err)
	}
	if err := Writable(os.DevNull); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "none", "out"), filepath.Join(name, "below"), "/proc/out"} {
		if err := Writable(bad); err == nil || !strings.Contains(err.Error(), "[file-unwritable]") {
			t.Errorf("Writable(%s): %v", bad, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v: want out alone", entries, err)
	}
}

func TestAppend(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	for _, text := range []string{"one\n", "two\n"} {
		if err := Append(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("read %q, %v", got, err)
	}
	if err := Append(dir, nil); err == nil || !strings.Contains(err.Error(), "[file-unwritable]") {
		t.Errorf("Append to a directory: %v", err)
	}
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "old")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing to remove
		if err := Remove(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file is still there")
	}
	if err := Remove(os.DevNull); err != nil {
		t.Errorf("Remove(%s): %v", os.DevNull, err)
	}
	if err := Remove(dir); err == nil {
		t.Error("a directory was removed")
	}
}

// TestMakeDirectory makes a directory below one that is not there, and refuses what is a file.
func TestMakeDirectory(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "a", "b")
	for range 2 { // it may be there already
		if err := MakeDirectory(below); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(below); err != nil || len(left) > 0 {
		t.Errorf("%v, %v in the directory, which is to be empty", left, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want := file + ": cannot be made a directory: not a directory [file-unwritable]"
	if err := MakeDirectory(file); err == nil || err.Error() != want {
		t.Errorf("MakeDirectory of a file: %v, want %s", err, want)
	}
	if err := MakeDirectory(filepath.Join(file, "below")); err == nil {
		t.Error("MakeDirectory below a file: no error")
	}
}
