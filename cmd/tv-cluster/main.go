// Command tv-cluster is the NATS server of tv fuzz cluster, which starts it: in tv itself the server would cost every
// command a millisecond.
package main

import (
	"os"

	"tv/fuzz/cluster/server"
)

func main() { os.Exit(server.Main(os.Args[1:], os.Stdout, os.Stderr)) }
