package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"tv/cmd/tv/internal/serve"
)

// A tool tells where it ran, and what it read; "wait" waits until it is cancelled or let go.
type tool struct {
	running, together atomic.Int64
	started, let      chan struct{}
}

func (f *tool) run(ctx context.Context, r *serve.Request) (*serve.Reply, error) {
	n := f.running.Add(1)
	defer f.running.Add(-1)
	for old := f.together.Load(); n > old && !f.together.CompareAndSwap(old, n); old = f.together.Load() {
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	switch r.Args[0] {
	case "wait":
		f.started <- struct{}{}
		select {
		case <-ctx.Done():
		case <-f.let:
		}
	case "break":
		panic("broken")
	case "refuse":
		return nil, fmt.Errorf("%q is not served", r.Args[0])
	}
	return &serve.Reply{Exit: len(r.Args), Stdout: filepath.Base(dir) + r.Stdin + r.Files["a"], Stderr: "said"}, nil
}

// socket is a place for a socket: names of test directories are too long.
func socket(t *testing.T) string {
	dir, err := os.MkdirTemp("", "tv")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// start serves until the test ends, with so many command lines at once.
func start(t *testing.T, jobs int) (path string, f *tool) {
	t.Helper()
	path, f = socket(t), &tool{started: make(chan struct{}), let: make(chan struct{})}
	l, err := serve.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		done <- serve.Serve(ctx, l, jobs, serve.Tool{Version: "v", Run: f.run, Warn: t.Logf,
			Edit: func(_ context.Context, s io.ReadWriteCloser) error {
				_, err := io.WriteString(s, "an editor\n")
				return err
			}})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Error("the socket is left")
		}
		if err := os.Chdir(home); err != nil {
			t.Error(err)
		}
	})
	return path, f
}

// A client sends lines and reads answers.
type client struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func dial(t *testing.T, path string) *client {
	t.Helper()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{t, conn, bufio.NewReader(conn)}
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// read is an answer with its fields in order.
func (c *client) read() string {
	c.t.Helper()
	line, err := c.in.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		c.t.Fatalf("%v: %s", err, line)
	}
	data, _ := json.Marshal(v)
	return string(data)
}

func (c *client) ask(line, want string) {
	c.t.Helper()
	c.send(line)
	if got := c.read(); !strings.Contains(got, want) {
		c.t.Errorf("%s: %s, want %s", line, got, want)
	}
}

func TestAnswers(t *testing.T) {
	path, _ := start(t, 2)
	c := dial(t, path)
	other := t.TempDir()
	c.ask(`{"jsonrpc":"2.0","id":1,"method":"run","params":{"args":["x","y"],"stdin":"-i","files":{"a":"-f"}}}`,
		`{"id":1,"jsonrpc":"2.0","result":{"exit":2,"stderr":"said","stdout":"serve-i-f"}}`)
	c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":"two","method":"run","params":{"args":["x"],"dir":%q}}`, other),
		`{"id":"two","jsonrpc":"2.0","result":{"exit":1,"stderr":"said","stdout":"`+filepath.Base(other)+`"}}`)
	c.ask(`{"jsonrpc":"2.0","id":3,"method":"run","params":{"args":["x"]}}`, `"stdout":"serve"`) // where the server started
	c.ask(`{"jsonrpc":"2.0","id":4,"method":"version"}`, `"result":{"protocol":"tv.serve/v1","version":"v"}`)

	for _, bad := range []struct{ line, want string }{
		{`no message`, `"code":-32700`},
		{`{"jsonrpc":"2.0","id":`, `"code":-32700`},
		{`[1]`, `"code":-32600`},
		{`{"jsonrpc":"2.0","id":5}`, `"code":-32600`},
		{`{"jsonrpc":"2.0","id":5,"method":"walk"}`, `there is no method \"walk\"`},
		{`{"jsonrpc":"2.0","id":5,"method":"cancel","params":{"id":1}}`, `cancel has no id of its own`},
		{`{"jsonrpc":"2.0","id":5,"method":"run"}`, `run wants params`},
		{`{"jsonrpc":"2.0","id":5,"method":"run","params":{"args":[]}}`, `run wants args`},
		{`{"jsonrpc":"2.0","id":5,"method":"run","params":{"args":["x"],"directory":"/"}}`, `unknown field`},
		{`{"jsonrpc":"2.0","id":5,"method":"run","params":{"args":["x"],"dir":"here"}}`, `an absolute name is wanted`},
		{`{"jsonrpc":"2.0","id":5,"method":"run","params":{"args":["x"],"dir":"/no/such/folder"}}`, `no such file`},
		{`{"jsonrpc":"2.0","id":5,"method":"run","params":{"args":["refuse"]}}`, `\"refuse\" is not served`},
		{`{"jsonrpc":"2.0","id":5,"method":"run","params":{"args":["break"]}}`, `a fault of tv's own: broken`},
	} {
		c.ask(bad.line, bad.want)
		c.ask(`{"jsonrpc":"2.0","id":6,"method":"run","params":{"args":["x"]}}`, `"stdout":"serve"`) // nothing is lost by it
	}
}

// TestTurns: requests of one directory run together, one of another alone, and no more than are allowed.
func TestTurns(t *testing.T) {
	path, f := start(t, 2)
	c := dial(t, path)
	wait := `{"jsonrpc":"2.0","id":%d,"method":"run","params":{"args":["wait"]}}`
	for i := range 2 {
		c.send(fmt.Sprintf(wait, i))
		<-f.started
	}
	c.send(fmt.Sprintf(wait, 2)) // waits for one of these
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"run","params":{"args":["x"],"dir":%q}}`, os.TempDir()))
	f.let <- struct{}{}
	c.read()
	<-f.started
	f.let <- struct{}{}
	f.let <- struct{}{}
	if last := []string{c.read(), c.read(), c.read()}[2]; !strings.Contains(last, filepath.Base(os.TempDir())) {
		t.Errorf("last came %s", last)
	}
	if n := f.together.Load(); n != 2 {
		t.Errorf("%d ran together", n)
	}
}

func TestCancels(t *testing.T) {
	path, f := start(t, 1)
	c := dial(t, path)
	wait := `{"jsonrpc":"2.0","id":1,"method":"run","params":{"args":["wait"]}}`
	c.send(wait)
	<-f.started
	c.ask(wait, `id 1 is that of a request that is still open`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"run","params":{"args":["x"]}}`) // in the queue
	c.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":2}}`)
	if got := c.read(); !strings.Contains(got, `"code":-32800`) || !strings.Contains(got, `"id":2`) {
		t.Error(got)
	}
	c.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":9}}`)
	c.ask(`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`, `"code":-32800`)
	c.send(wait)
	<-f.started
	c.conn.Close() // ends what its client asked
	dial(t, path).ask(`{"jsonrpc":"2.0","id":1,"method":"run","params":{"args":["x"]}}`, `"exit":1`)
}

func TestEditors(t *testing.T) {
	path, _ := start(t, 1)
	c := dial(t, path)
	if _, err := io.WriteString(c.conn, "Content-Length: 2\r\n\r\n{}"); err != nil {
		t.Fatal(err)
	}
	if line, err := c.in.ReadString('\n'); line != "an editor\n" {
		t.Error(line, err)
	}
}

func TestLongMessage(t *testing.T) {
	path, _ := start(t, 1)
	c := dial(t, path)
	go io.WriteString(c.conn, strings.Repeat("x", serve.MaxMessage+1<<20)) // it may not be read to its end
	if got := c.read(); !strings.Contains(got, "longer than") {
		t.Error(got)
	}
	dial(t, path).ask(`{"jsonrpc":"2.0","id":1,"method":"version"}`, `"version":"v"`)
}

func TestListen(t *testing.T) {
	path, _ := start(t, 1)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if _, err := serve.Listen(path); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Error(err)
	}
	file := socket(t)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := serve.Listen(file); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Error(err)
	}
	if _, err := serve.Listen(file + strings.Repeat("x", 200)); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Error(err)
	}
	gone := socket(t)
	l, err := serve.Listen(gone)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // as if it was killed
	l.Close()
	if l, err = serve.Listen(gone); err != nil {
		t.Fatal(err)
	}
	l.Close()
}
