package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tv/cmd/tv/internal/lsp"
	"tv/cmd/tv/internal/serve"
	"tv/internal/files"
)

// served are the commands that may be asked for over a socket: those that answer, and start no programs of others.
var served = []string{"certify", "check", "eval", "explain", "fmt", "ila", "import", "isa", "map", "replay", "show", "synth", "verify", "version"}

func (a *app) serveCommand() *cobra.Command {
	var jobs int
	cmd := &cobra.Command{
		Use:   "serve SOCKET",
		Short: "answer command lines over a unix socket",
		Long: `Serve answers command lines over a unix socket until it is interrupted, so that build servers do not start tv for each
question. SOCKET is a file that serve makes, which its owner alone may open, and removes in the end. Messages are JSON-RPC
2.0, one a line:

  {"jsonrpc":"2.0","id":1,"method":"run","params":{"args":["check","a.sexp","b.sexp"],"dir":"/src"}}
  {"jsonrpc":"2.0","id":1,"result":{"exit":0,"stdout":"proved ...","stderr":""}}

params has args, and may have dir (what names are relative to), stdin, and files (texts by their names, beside those on
disk). {"method":"cancel","params":{"id":1}} ends a request, and so does closing the connection. An editor may speak the
Language Server Protocol over the same socket. doc/serve.md has more.`,
		Example: `  tv serve /run/user/1000/tv.sock`,
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if jobs < 1 {
				return usageError("--jobs is %d, at least 1 is wanted", jobs)
			}
			l, err := serve.Listen(args[0])
			if err != nil {
				return usageError("%s: %v", args[0], err)
			}
			for _, v := range shardVariables { // the environment is that of the server: what part of a run a request is, it says by --shard
				if err := errors.Join(os.Unsetenv(v.index), os.Unsetenv(v.total)); err != nil {
					return err
				}
			}
			fmt.Fprintf(a.stderr, "tv serves %s\n", args[0])
			warn := &lockedWriter{w: a.stderr}
			return serve.Serve(cmd.Context(), l, jobs, serve.Tool{
				Version: version(), Run: serveLine,
				Edit: func(ctx context.Context, stream io.ReadWriteCloser) error {
					return lsp.Serve(ctx, stream, editorTool())
				},
				Warn: func(format string, args ...any) { fmt.Fprintf(warn, format+"\n", args...) },
			})
		},
	}
	cmd.Flags().IntVarP(&jobs, "jobs", "j", runtime.GOMAXPROCS(0), "command lines that run at once")
	return cmd
}

// serveLine runs a command line that came over a socket. Errors: a command that is not served.
func serveLine(ctx context.Context, r *serve.Request) (*serve.Reply, error) {
	if !slices.Contains(served, r.Args[0]) {
		return nil, fmt.Errorf("%q is not served; %s are", r.Args[0], strings.Join(served, ", "))
	}
	exit, stdout, stderr := answerLine(ctx, r.Args, &files.Texts{Reader: strings.NewReader(r.Stdin), Of: r.Files})
	return &serve.Reply{Exit: exit, Stdout: stdout, Stderr: stderr}, nil
}
