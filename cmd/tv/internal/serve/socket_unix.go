//go:build unix

package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// mostPath is the longest name of a socket on all systems, in bytes.
const mostPath = 103

// Listen makes a unix socket that its owner alone may open. A socket of a server that is gone is replaced.
// Errors: a name that is too long, or that of another file, or of a server that answers.
func Listen(path string) (net.Listener, error) {
	if len(path) > mostPath {
		return nil, fmt.Errorf("the name of a socket has at most %d bytes, this one %d: give one relative to where the server starts", mostPath, len(path))
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, errors.New("there is a file of that name, which is no socket")
	default:
		if conn, err := net.Dial("unix", path); err == nil {
			conn.Close()
			return nil, errors.New("another server answers there")
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	defer syscall.Umask(syscall.Umask(0o177)) // nobody else can open it, not even before a chmod
	return net.Listen("unix", path)
}
