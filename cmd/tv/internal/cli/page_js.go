package cli

import (
	"context"
	"strings"
	"syscall/js"
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
