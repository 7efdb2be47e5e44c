//go:build !unix

package serve

import (
	"errors"
	"net"
)

// Listen fails: there are no sockets of files here that their owner alone may open.
func Listen(string) (net.Listener, error) {
	return nil, errors.New("there are no unix sockets on this system")
}
