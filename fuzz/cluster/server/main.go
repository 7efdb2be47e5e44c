package server

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"tv/internal/source"
)

// Main is the command tv-cluster: it runs a server until it is interrupted. It returns the exit status: 0, or 2 for an error.
func Main(args []string, stdout, stderr io.Writer) int {
	var o Options
	flags := flag.NewFlagSet("tv-cluster", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Listen, "listen", "127.0.0.1:4222", "`HOST:PORT` where workers join; port 0 is any that is free")
	flags.StringVar(&o.Store, "store", "", "`directory` that keeps campaigns")
	flags.BoolVar(&o.Anywhere, "anywhere", false, "other machines may join")
	flags.StringVar(&o.Config, "config", "", "`file` of nats-server's, for accounts and what else it has")
	flags.StringVar(&o.Cert, "tlscert", "", "`file` of a certificate: connections are encrypted")
	flags.StringVar(&o.Key, "tlskey", "", "`file` of its key")
	flags.StringVar(&o.CA, "tlsca", "", "`file` of certificates: workers must have one that these sign")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	fail := func(err error) int {
		fmt.Fprintln(stderr, err)
		return 2
	}
	if flags.NArg() > 0 {
		return fail(&source.Error{Code: CodeStart, Msg: fmt.Sprintf("%q is one argument too many", flags.Arg(0))})
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	var mu sync.Mutex
	o.Log = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(stderr, text)
	}
	s, err := Start(o)
	if err != nil {
		return fail(err)
	}
	defer s.Stop()
	if _, err := fmt.Fprintln(stdout, "workers join with --cluster "+s.URL()); err != nil {
		return fail(err)
	}
	<-stop
	return 0
}
