package files

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tv/internal/source"
)

// The codes of arguments that stand for files and stand for none.
const (
	CodeNoFiles = "no-files"    // a directory or a pattern has none that is wanted
	CodePattern = "bad-pattern" // a pattern is not one
)

// Expand returns the files that arguments of a command stand for, in the order of the arguments:
//
//	DIR, DIR/...   the files below a directory whose names end in one of the extensions (".rules"), directory by directory
//	               in the order of names
//	PATTERN        what *, ? and [a-z] match, in the order of names; of directories among it the files below
//	another name   itself, whether or not there is such a file
//
// What a pattern or a directory adds is left out if it stands for a file already: a set of files is wanted then. Names that begin
// with a dot are not looked at unless they are written out; links to files are followed below a directory, links to directories
// are not, as they may lead back. A file that has the very name of a pattern is meant itself.
//
// Errors: a source.Errors of *source.Error with code no-files, bad-pattern, or file-unreadable for a directory that cannot be read.
func Expand(args, extensions []string) ([]string, error) {
	var out []string
	var errs source.Errors
	seen := map[string]bool{}
	for _, arg := range args {
		found, named, err := expand(arg, extensions)
		errs = append(errs, source.AsErrors(err)...)
		for _, name := range found {
			if key := filepath.Clean(name); named || !seen[key] {
				seen[key] = true
				out = append(out, name)
			}
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return out, nil
}

// expand expands an argument; named says that it is a name and stands for itself.
func expand(arg string, extensions []string) (found []string, named bool, err error) {
	dir, recursive := strings.CutSuffix(arg, "...")
	if recursive && (dir == "" || strings.HasSuffix(dir, "/")) {
		if found, err = below(filepath.Clean(dir), extensions); err == nil && len(found) == 0 {
			err = noFiles(arg, extensions)
		}
		return found, false, err
	}
	switch info, err := os.Stat(arg); {
	case err == nil && info.IsDir():
		if found, err = below(arg, extensions); err == nil && len(found) == 0 {
			err = noFiles(arg, extensions)
		}
		return found, false, err
	case err == nil || arg == Stdin || !strings.ContainsAny(arg, "*?["):
		return []string{arg}, true, nil
	}
	found, err = matches(arg, extensions)
	return found, false, err
}

// matches returns the files that a pattern stands for.
func matches(pattern string, extensions []string) ([]string, error) {
	elements := strings.Split(pattern, "/")
	if slices.Contains(elements, "**") { // filepath.Glob takes it for one directory, which nobody means
		return nil, &source.Error{Name: pattern, Code: CodePattern, Msg: "** is no pattern here: DIR/... stands for all below DIR"}
	}
	list, err := filepath.Glob(pattern)
	if err != nil {
		return nil, &source.Error{Name: pattern, Code: CodePattern, Msg: "is not a pattern: a [ is not closed, or is empty", Err: err}
	}
	var out []string
	for _, name := range list {
		if hiddenMatch(name, elements) {
			continue
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			more, err := below(name, extensions)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		return nil, &source.Error{Name: pattern, Code: CodeNoFiles, Msg: "the pattern matches no file"}
	}
	return out, nil
}

// hiddenMatch tells whether a name has a dot in front where the elements of its pattern have none.
func hiddenMatch(name string, pattern []string) bool {
	for i, element := range strings.Split(name, "/") {
		if i < len(pattern) && strings.HasPrefix(element, ".") && !strings.HasPrefix(pattern[i], ".") {
			return true
		}
	}
	return false
}

// below returns the files below a directory.
func below(dir string, extensions []string) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil, unreadable(dir, err)
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name := filepath.Join(dir, e.Name())
		if e.IsDir() {
			more, err := below(name, extensions)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		if !slices.Contains(extensions, filepath.Ext(name)) {
			continue
		}
		// A link that leads nowhere is kept: that its file is missing is to be said.
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			out = append(out, name)
		}
	}
	return out, nil
}

func noFiles(name string, extensions []string) error {
	return &source.Error{Name: name, Code: CodeNoFiles,
		Msg: fmt.Sprintf("there is no file below this directory that the command reads: %s", strings.Join(extensions, ", "))}
}
