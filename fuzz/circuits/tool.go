package circuits

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tv/fuzz/passes"
)

// Words in a command that stand for the file that is read and the one that is written.
const (
	inMark  = "{in}"
	outMark = "{out}"
)

// Netlist runs a command on a design, a module m, and returns what it writes. {in} and {out} in its words become the names of files; a
// command without them is one of Yosys, yosys -p SCRIPT, whose script gets a beginning that reads and an end that drops what nothing reads, and writes. The error
// is a *passes.Failure, or the context's.
func Netlist(ctx context.Context, words []string, design string, limit time.Duration) (string, error) {
	dir, err := os.MkdirTemp("", "tv-tools-")
	if err != nil {
		return "", &passes.Failure{Kind: passes.Error, Detail: err.Error()}
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.v"), filepath.Join(dir, "out.v")
	if err := os.WriteFile(in, []byte(design), 0o600); err != nil {
		return "", &passes.Failure{Kind: passes.Error, Detail: err.Error()}
	}
	_, err = passes.Run(ctx, withFiles(words, in, out), "", limit)
	var failure *passes.Failure
	if errors.As(err, &failure) { // names of the files differ from run to run
		failure.Detail = strings.NewReplacer(in, "in.v", out, "out.v", dir, "").Replace(failure.Detail)
	}
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return "", &passes.Failure{Kind: passes.Error, Detail: "it writes no file"}
	}
	return string(text), nil
}

func withFiles(words []string, in, out string) (full []string) {
	if script := slices.Index(words, "-p") + 1; script > 0 && script < len(words) && !Marked(words) {
		full = slices.Clone(words)
		full[script] = fmt.Sprintf("read_verilog %s; hierarchy -top m; %s; clean -purge; write_verilog -noattr %s", in, words[script], out)
		return append(full, "-q")
	}
	for _, w := range words {
		full = append(full, strings.NewReplacer(inMark, in, outMark, out).Replace(w))
	}
	return full
}

// Marked tells whether a command says where the names of files go.
func Marked(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, inMark) || strings.Contains(w, outMark) })
}
