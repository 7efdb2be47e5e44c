package cli

import (
	"context"
	"strings"
	"syscall/js"

	"github.com/spf13/cobra"

	"tv/equiv"
	"tv/equiv/machine"
)

// Page answers the page that tv runs in (package web) for as long as it is open. It gives the page a function
//
//	tv(args, done)
//
// that runs a command line, an array of strings, and calls done(status, stdout, stderr). Files are those of the object fs of the page.
// Questions are asked one after the other: there is one thread, and a question that takes too long ends with its worker.
func Page() {
	tuneGC()
	js.Global().Set("tv", js.FuncOf(func(_ js.Value, given []js.Value) any {
		args := make([]string, given[0].Length())
		for i := range args {
			args[i] = given[0].Index(i).String()
		}
		go func() {
			exit, stdout, stderr := answerLine(context.Background(), args, strings.NewReader(""))
			given[1].Invoke(exit, stdout, stderr)
		}()
		return nil
	}))
	select {}
}

// commands returns what makes the commands that a page has. What others need, the linker leaves out; packages that it would keep
// since their variables have values when tv starts are imported by files that are not built for a page.
func (a *app) commands() map[string]func() *cobra.Command {
	return map[string]func() *cobra.Command{"check": a.checkCommand, "certify": a.certifyCommand}
}

// commandCodes returns the codes that are of other commands.
func commandCodes() []Code { return nil }

// noMachines says why there is no proof of a contract in a page.
const noMachines = "a page has no models of machines; the command tv has"

// proveContract says that the contract of a call is not proved.
func proveContract(context.Context, machine.Use, string, equiv.Options) (v equiv.Verdict, trusts []string, why string) {
	return equiv.Unknown, nil, noMachines
}

// provenForAll says that the contract of a driver is not proved.
func (*app) provenForAll(context.Context, *machine.Contract, equiv.Options) *forAll {
	return &forAll{why: noMachines}
}

// completing tells that no shell asks.
func completing([]string) bool { return false }

// complete completes nothing.
func (*app) complete(*cobra.Command) {}
