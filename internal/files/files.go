// Package files reads input files and writes output files for the command line.
//
//	Read           a whole text file or standard input, with coded errors for what is not one
//	ReadBytes      the same without asking for text
//	Expand         the files that directories and patterns stand for (expand.go)
//	Texts          a standard input beside which files have other texts than on disk
//	WriteAtomic    all of a file or nothing: a temporary file beside it, then a rename
//	Writable       whether that will work, before there is anything to write
//	MakeDirectory  a place for such files
//	Append         more of a file that others append to
//	Remove         an older result
//	Sweep, Move    of directories that tv keeps: what killed processes left, and a file out of the way (keep.go)
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"tv/internal/source"
)

// MaxSize is the largest input in bytes; byte offsets of larger ones would not fit a node.
const MaxSize = 1 << 30

// Stdin is the name that stands for standard input.
const Stdin = "-"

// Named takes a name apart that says which function of a file is meant: a.c:mm, at its last colon. A file that has such a
// name is meant itself.
func Named(name string) (file, function string) {
	at := strings.LastIndexByte(name, ':')
	if at <= 0 || at == len(name)-1 || strings.ContainsAny(name[at:], "/.") {
		return name, ""
	}
	if _, err := os.Stat(name); err == nil {
		return name, ""
	}
	return name[:at], name[at+1:]
}

// Read returns the text of the file of the given name, or of stdin where the name is "-"; the name may say which function is
// meant. Errors: a *source.Error with code file-directory, file-unreadable, file-too-large or file-not-utf8.
func Read(name string, stdin io.Reader) (*source.File, error) {
	name, function := Named(name)
	data, err := ReadBytes(name, stdin)
	if err != nil {
		return nil, err
	}
	f := source.NewFile(name, strings.TrimPrefix(string(data), byteOrder))
	f.Function = function
	if at := invalidUTF8(f.Text); at >= 0 {
		return nil, source.Errorf(source.Span{File: f, Start: at, End: at + 1}, "file-not-utf8",
			"byte 0x%02x is not UTF-8 text", f.Text[at])
	}
	return f, nil
}

// byteOrder is what some editors put in front of a text: it belongs to no language.
const byteOrder = "\ufeff"

// Texts is a standard input that comes with texts of files: those that an editor has not saved.
type Texts struct {
	io.Reader
	Of map[string]string // by the names of files
}

// ReadBytes is Read for files that need not be text.
func ReadBytes(name string, stdin io.Reader) ([]byte, error) {
	if t, ok := stdin.(*Texts); ok {
		if text, ok := t.Of[name]; ok {
			return []byte(text), nil
		}
	}
	if name == Stdin {
		return readAll(name, stdin)
	}
	// A named pipe is a file like any other: <(command) in a shell is one.
	info, err := os.Stat(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	if info.IsDir() {
		return nil, &source.Error{Name: name, Code: "file-directory", Msg: "is a directory, not a file"}
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer file.Close()
	return readAll(name, file)
}

func readAll(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, unreadable(name, err)
	}
	if len(data) > MaxSize {
		return nil, &source.Error{Name: name, Code: "file-too-large",
			Msg: fmt.Sprintf("is longer than %d bytes", MaxSize)}
	}
	return data, nil
}

func unreadable(name string, err error) error {
	return &source.Error{Name: name, Code: "file-unreadable", Msg: "cannot be read: " + Cause(err), Err: err}
}

// Cause is the message of err without the operation and the name that the caller prints already.
func Cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	if errors.Is(err, syscall.ENOENT) {
		return "no such file"
	}
	return err.Error()
}

// writeCause is Cause for a file to write: what is missing then is its directory.
func writeCause(err error) string {
	if errors.Is(err, syscall.ENOENT) {
		return "there is no such directory"
	}
	return Cause(err)
}

func invalidUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

// WriteAtomic makes data the content of the named file, which is never seen half written. An existing
// file keeps its permissions; one that is not regular (/dev/stdout, a pipe) is written to in place,
// since nothing can be renamed over it.
// Errors: a *source.Error with code file-unwritable.
func WriteAtomic(name string, data []byte) error {
	if err := writeAtomic(name, data); err != nil {
		return &source.Error{Name: name, Code: "file-unwritable", Msg: "cannot be written: " + writeCause(err), Err: err}
	}
	return nil
}

func writeAtomic(name string, data []byte) error {
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(name); err == nil {
		if info.IsDir() {
			return errors.New("is a directory")
		}
		if !info.Mode().IsRegular() {
			return os.WriteFile(name, data, mode)
		}
		mode = info.Mode().Perm()
		// The file that a link points to is replaced, not the link.
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	temp, err := createTemp(name, mode)
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Sync() // a rename that outlives a crash must not outlive the content
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}

// createTemp is os.CreateTemp with the permissions that the umask leaves of mode.
func createTemp(name string, mode fs.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		temp := fmt.Sprintf("%s.%d-%d.tmp", name, os.Getpid(), try) // Sweep knows it
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}

// Writable finds out whether WriteAtomic can write the named file. Errors: as WriteAtomic's.
func Writable(name string) error {
	err := writable(name)
	if err == nil {
		return nil
	}
	return &source.Error{Name: name, Code: "file-unwritable", Msg: "cannot be written: " + writeCause(err), Err: err}
}

func writable(name string) error {
	if info, err := os.Stat(name); err == nil {
		if info.IsDir() {
			return errors.New("is a directory")
		}
		if !info.Mode().IsRegular() {
			return nil // opening a pipe would wait for its reader
		}
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	temp, err := createTemp(name, 0o600)
	if err != nil {
		return err
	}
	temp.Close()
	return os.Remove(temp.Name())
}

// Append writes data behind what the named file holds, in one piece. Errors: as WriteAtomic's.
func Append(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err == nil {
		_, err = f.Write(data)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}
	if err == nil {
		return nil
	}
	return &source.Error{Name: name, Code: "file-unwritable", Msg: "cannot be written: " + writeCause(err), Err: err}
}

// MakeDirectory makes the named directory, and those above it, where it is not there, and finds out whether files can be
// written in it. Errors: a *source.Error with code file-unwritable.
func MakeDirectory(name string) error {
	if err := os.MkdirAll(name, 0o777); err != nil {
		return &source.Error{Name: name, Code: "file-unwritable",
			Msg: "cannot be made a directory: " + Cause(err), Err: err}
	}
	return Writable(filepath.Join(name, probe))
}

// Remove deletes the named file if it is there.
// Errors: a *source.Error with code file-unwritable.
func Remove(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && info.IsDir():
		err = errors.New("is a directory")
	case err == nil && !info.Mode().IsRegular():
		return nil // a device or a pipe is no older result
	case err == nil:
		err = os.Remove(name)
	}
	if err == nil {
		return nil
	}
	return &source.Error{Name: name, Code: "file-unwritable", Msg: "cannot be removed: " + Cause(err), Err: err}
}
