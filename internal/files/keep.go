package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tv/internal/source"
)

// probe is the name that MakeDirectory tries whether a file can be written under.
const probe = "probe"

// staleAfter is the age at which a temporary file is of a process that was killed: none lives longer than a write.
const staleAfter = time.Minute

// Sweep removes what processes that were killed left half written in a directory that tv keeps: temporary files that WriteAtomic
// and MakeDirectory name, of files for which own is true, older than a minute, as others may be at work in the directory. All
// else is left alone. Errors: a *source.Error with code file-unreadable or file-unwritable.
func Sweep(dir string, own func(name string) bool) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return unreadable(dir, err)
	}
	for _, e := range list {
		name, ok := temporaryOf(e.Name())
		if !ok || name != probe && !own(name) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err != nil || time.Since(info.ModTime()) < staleAfter { // it may be gone already
			continue
		}
		if err := Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// temporaryOf returns the file that one of such a name was to become: NAME.PID-TRY.tmp.
func temporaryOf(temp string) (name string, ok bool) {
	rest, ok := strings.CutSuffix(temp, ".tmp")
	at := strings.LastIndexByte(rest, '.')
	if !ok || at <= 0 {
		return "", false
	}
	pid, try, ok := strings.Cut(rest[at+1:], "-")
	return rest[:at], ok && digits(pid) && digits(try)
}

// digits tells whether a text is a number without a sign.
func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Move puts a file into a directory, which is made if need be, under its name, or under that and a number where there is such a
// file. It returns its new name; moved is false, without an error, where the file is gone: another process has moved it.
// Errors: a *source.Error with code file-unwritable.
func Move(name, dir string) (to string, moved bool, err error) {
	fail := func(err error) (string, bool, error) {
		return "", false, &source.Error{Name: name, Code: "file-unwritable",
			Msg: fmt.Sprintf("cannot be moved to %s: %s", dir, Cause(err)), Err: err}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fail(err)
	}
	to = filepath.Join(dir, filepath.Base(name))
	ext := filepath.Ext(to)
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return fail(err)
		}
		to = filepath.Join(dir, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(filepath.Base(name), ext), n, ext))
	}
	if err := os.Rename(name, to); err != nil {
		if _, gone := os.Lstat(name); errors.Is(gone, fs.ErrNotExist) {
			return "", false, nil
		}
		return fail(err)
	}
	return to, true, nil
}
