// Package passes runs what fuzz tests from outside: a command that transforms programs, and compilers, which show what
// programs do.
//
//	command.go  commands that read a program and write one
//	compile.go  two programs compiled, and run on the same contents; mlir.go and c.go how
package passes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// A Failure says why a command wrote no program.
type Failure struct {
	Kind   string // Crash, Error or Hang
	Detail string // the first line that says why
}

// Kinds of failures: a command ends by a signal or an assertion, with an exit status, or not in time.
const (
	Crash = "crash"
	Error = "error"
	Hang  = "hang"
)

// Error implements error.
func (f *Failure) Error() string { return f.Kind + ": " + f.Detail }

// Split takes a command line apart at spaces, but for those in single or double quotes; a backslash takes the next
// character as it is, outside of single quotes. No shell is involved.
func Split(line string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	open, escaped := false, false
	for _, c := range line {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteRune(c)
			}
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(c)
			open = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if open {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("there is no command")
	}
	return words, nil
}

// mostOutput bounds what is kept of what a command writes.
const mostOutput = 64 << 20

// bounded keeps so many bytes, and forgets the rest.
type bounded struct {
	bytes.Buffer
	left int
}

func (b *bounded) Write(data []byte) (int, error) {
	kept := data[:min(len(data), b.left)]
	b.left -= len(kept)
	b.Buffer.Write(kept)
	return len(data), nil
}

// Run gives a text to a command and returns what it writes. The command and what it started end with the context, and after
// a time. The error is a *Failure, or the context's.
func Run(ctx context.Context, words []string, text string, limit time.Duration) (string, error) {
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(own, words[0], words[1:]...)
	cmd.Stdin = strings.NewReader(text)
	out, problems := &bounded{left: mostOutput}, &bounded{left: 1 << 20}
	cmd.Stdout, cmd.Stderr = out, problems
	cmd.Env = append(os.Environ(), "LLVM_DISABLE_SYMBOLIZATION=1") // a crash of LLVM's tools takes seconds with names, and says the same
	grouped(cmd)
	cmd.WaitDelay = time.Second // for what it started and left behind with its output
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.String(), nil
	case own.Err() != nil:
		return "", &Failure{Hang, fmt.Sprintf("it does not end within %v", limit)}
	case errors.As(err, &exit):
		kind := Error
		if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() || strings.Contains(problems.String(), "Assertion") {
			kind = Crash
		}
		return "", &Failure{kind, reason(problems.String(), err)}
	}
	return "", &Failure{Error, err.Error()}
}

// place is where a message points: of two programs with one problem it differs.
var place = regexp.MustCompile(`^\S*:\d+:\d+: `)

// reason is the line of a command's messages that says what is wrong.
func reason(text string, err error) string {
	lines := strings.Split(text, "\n")
	for _, sign := range []string{"AddressSanitizer:", "Assertion", "UNREACHABLE", "error:"} {
		for _, l := range lines {
			if strings.Contains(l, sign) {
				return place.ReplaceAllString(strings.TrimSpace(l), "")
			}
		}
	}
	return err.Error()
}
