// Package cli is the command line of tv: it reads files and flags, asks, and writes reports. It decides
// nothing itself.
//
//	check      asks equiv.Check about pairs, chains and litmus files (question.go, check.go)
//	certify    asks equiv.CheckRule about rules
//	verify     has package proofs check certificates
//	fuzz       runs campaigns of package fuzz
//	           on a cluster: fuzzcluster.go, fuzzstatus.go; clusterask.go, of check and certify
//	replay     runs a counterexample or a finding again in the reference evaluator
//	eval       runs a program in the reference evaluator
//	show, fmt  print a program with its types, or in canonical layout
//	import     reads models in Relay and writes them as programs
//	map        maps programs onto accelerators by certified rules, and has the explanation checked
//	synth      finds netlists for specifications over bit-vectors, and has their texts checked
//	ila        models of accelerators: shows and judges them, proves mappings onto them
//	lsp        answers an editor (package lsp)
//	explain    prints what an error code means; doctor, version and help say the rest
//
// Questions of all kinds become a ci.Run, which reports.go delivers in every format; remember.go keeps answers between
// runs. arguments.go and flagvalues.go hold what commands take, completion.go what shells offer for it. line.go answers
// command lines in a process that stays: a server's, an editor's, or a page's (page_js.go).
//
// [Main] is the whole command. Its exit statuses are the constants below; scripts depend on them.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/ci/cache"
	"tv/equiv/fault"
	"tv/internal/files"
	"tv/internal/source"
	"tv/internal/spelling"
	"tv/internal/terminal"
)

// The exit statuses, the same for every command that judges and in every output format.
const (
	exitProved      = 0   // everything asked was proved, and something was asked
	exitRefuted     = 1   // something was refuted
	exitError       = 2   // something could not be asked
	exitUnknown     = 3   // nothing was refuted, something is unknown
	exitInterrupted = 130 // stopped by the user
)

// The codes of problems with the command line itself.
const (
	codeUsage       = "usage"
	codeInternal    = "internal"
	codeInterrupted = "interrupted"
	codeNothing     = "nothing-asked"
)

// An app is one run of the command.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	printed        printer       // standard output for cobra
	exit           int           // of the command that ran, where it returned no error
	delivering     atomic.Bool   // reports are being written
	contracts      sync.Map      // *forAll by accelerator call
	cache          *cache.Cache  // of verdicts, where no flag names one; nil: none
	delivered      func(*ci.Run) // is told of a run before its reports; nil: nobody is
}

// Main runs tv with the given arguments, without the name of the program, and returns the exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	tuneGC()
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	return a.run(ctx, args)
}

// run runs one command line until it is done, or shortly after ctx is.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.root(args)
	root.SetArgs(args)
	done := make(chan error, 1)
	go func() { done <- guard(a.stderr, func() error { return root.ExecuteContext(ctx) }) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		// Commands stop by themselves and report; one that waits for a file or a terminal does not.
		select {
		case err = <-done:
		case <-time.After(2 * interruptGrace):
			if err = context.Canceled; a.delivering.Load() { // what was promised is written to the end
				err = <-done
			}
		}
	}
	if e := a.printed.err; e != nil {
		err = e
	}
	if err == nil {
		return a.exit
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.stderr, "interrupted")
		return exitInterrupted
	}
	a.printErrors(codedErrors(err))
	return exitError
}

// root builds the command that the arguments name, or all of them: their flags take a tenth of what a small question does.
func (a *app) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "tv",
		Short: "prove or refute that two tensor programs mean the same",
		Long: `tv proves or refutes that a tensor program and its translation mean the same, for every input and,
with named sizes, for every size.`,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			cmd.SetOut(a.stderr)
			cmd.Usage()
			return usageError("a command is wanted")
		},
	}
	root.SetIn(a.stdin)
	a.printed.w = a.stdout
	root.SetOut(&a.printed)
	root.SetErr(a.stderr)
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(flagError)
	commands := a.commands()
	if len(args) > 0 && commands[args[0]] != nil {
		root.AddCommand(commands[args[0]]())
		root.CompletionOptions.DisableDefaultCmd = true
	} else if isWhole {
		for _, command := range commands { // cobra sorts them
			root.AddCommand(command())
		}
		root.AddCommand(topicCommands()...)
		root.InitDefaultCompletionCmd()
		if completing(args) {
			a.complete(root)
		}
	}
	strict(root)
	return root
}

// Root returns all commands, for those who write about them.
func Root() *cobra.Command {
	return (&app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}).root(nil)
}

// strict makes a command that only groups others refuse what is none of them: cobra prints help and
// reports success.
func strict(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.HasSubCommands() && sub.RunE == nil && sub.Run == nil {
			sub.Args = cobra.ArbitraryArgs
			sub.RunE = func(cmd *cobra.Command, args []string) error {
				if len(args) == 0 {
					return usageError("%s wants one of %s", cmd.CommandPath(), strings.Join(names(cmd), ", "))
				}
				return unknownCommand(cmd, args[0])
			}
		}
		strict(sub)
	}
}

func names(cmd *cobra.Command) []string {
	var list []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			list = append(list, sub.Name())
		}
	}
	return list
}

func unknownCommand(cmd *cobra.Command, name string) error {
	of, hint := "", "; see tv help"
	if cmd.HasParent() {
		of, hint = " of "+cmd.CommandPath(), "; there are "+strings.Join(names(cmd), ", ")
	}
	if near := spelling.Nearest(name, names(cmd)); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return usageError("unknown command %q%s%s", name, of, hint)
}

func usageError(format string, args ...any) *source.Error {
	return &source.Error{Code: codeUsage, Msg: fmt.Sprintf(format, args...)}
}

// codedErrors makes coded errors of what a command returned. Errors of cobra have no code: they are all
// about usage.
func codedErrors(err error) source.Errors {
	var list source.Errors
	var one *source.Error
	if errors.As(err, &list) || errors.As(err, &one) {
		return source.AsErrors(err)
	}
	msg, _, _ := strings.Cut(err.Error(), "\n")
	return source.Errors{{Code: codeUsage, Msg: msg, Err: err}}
}

func (a *app) printErrors(errs source.Errors) { terminal.PrintErrors(a.stderr, errs) }

// guard turns a panic of f into an error with code internal; the stack is shown if TV_DEBUG is set.
func guard(stderr io.Writer, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if os.Getenv("TV_DEBUG") != "" {
				stack := debug.Stack()
				if f, ok := p.(*fault.Fault); ok {
					stack = f.Stack
				}
				fmt.Fprintf(stderr, "%v\n%s", p, stack)
			}
			err = &source.Error{Code: codeInternal, Msg: fmt.Sprintf("a fault of tv's own: %v; "+
				"TV_DEBUG=1 shows where", p)}
		}
	}()
	return f()
}

// output writes data to the named file, or to standard output where there is no name or it is "-".
func (a *app) output(name string, data []byte) error {
	if name != "" && name != files.Stdin {
		return files.WriteAtomic(name, data)
	}
	out := printer{w: a.stdout}
	if out.Write(data); out.err != nil {
		return out.err
	}
	return nil
}

// A printer writes to standard output and keeps the first failure: cobra, which prints helps and completions, does
// not look at it.
type printer struct {
	w   io.Writer
	err *source.Error
}

// Write writes to standard output. Errors: file-unwritable.
func (p *printer) Write(data []byte) (int, error) {
	n, err := p.w.Write(data)
	if err == nil {
		return n, nil
	}
	if p.err == nil {
		p.err = &source.Error{Name: "standard output", Code: "file-unwritable",
			Msg: "cannot be written: " + files.Cause(err), Err: err}
	}
	return n, p.err
}
