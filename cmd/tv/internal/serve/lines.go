package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// MaxMessage is the length of the longest message in bytes. It holds two texts of the largest size that answers well, escaped.
const MaxMessage = 64 << 20

// lines is a codec of JSON-RPC messages of a line each. A line that is no message is answered, and the next one read.
type lines struct {
	mu  sync.Mutex
	out io.Writer
}

// WriteObject implements jsonrpc2.ObjectCodec.
func (l *lines) WriteObject(_ io.Writer, v any) error {
	data, err := json.Marshal(v) // no line feed in it
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(data, '\n'))
	return err
}

// ReadObject implements jsonrpc2.ObjectCodec. A message that is too long ends the conversation: where the next begins is not known.
func (l *lines) ReadObject(in *bufio.Reader, v any) error {
	for {
		line, err := readLine(in)
		if err != nil {
			if err != io.EOF {
				l.refuse(jsonrpc2.CodeInvalidRequest, err)
			}
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := json.Unmarshal(line, v); err == nil {
			return nil
		} else if json.Valid(line) {
			l.refuse(jsonrpc2.CodeInvalidRequest, err)
		} else {
			l.refuse(jsonrpc2.CodeParseError, err)
		}
	}
}

// refuse answers what has no id that could be read.
func (l *lines) refuse(code int64, err error) {
	_ = l.WriteObject(nil, map[string]any{"jsonrpc": "2.0", "id": nil, "error": invalid(code, "%v", err)})
}

// readLine reads up to a line feed or the end. Errors: io.EOF where there is nothing, and lines beyond MaxMessage.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > MaxMessage {
			return nil, fmt.Errorf("a message is longer than %d bytes", MaxMessage)
		}
		switch {
		case err == nil, err == io.EOF && len(line) > 0:
			return line, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// strictly decodes an object that holds nothing that to does not.
func strictly(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(to)
}
