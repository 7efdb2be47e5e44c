package fuzz

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tv/internal/files"
	"tv/internal/source"
)

// CodeState is the code of a campaign that cannot go on where one ended: its state is of another campaign or
// not one.
const CodeState = "fuzz-state"

// state is what Resume reads.
type state struct {
	Target string `json:"target"`
	ID     string `json:"id"`
	Seed   uint64 `json:"seed,string"`
	Shard  int    `json:"shard"`
	Shards int    `json:"shards"`
	Next   int64  `json:"next"` // every case of the shard below is done, and what it brought is written
}

func (c *Campaign) stateFile() string {
	return filepath.Join(c.Corpus, fmt.Sprintf("%s-%d-of-%d.json", c.Target.Name(), c.Shard, c.Shards))
}

// readState returns the state of an earlier run, or that of none.
// Errors: *source.Error with code fuzz-state or file-unreadable.
func (c *Campaign) readState() (state, error) {
	var s state
	name := c.stateFile()
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, &source.Error{Name: name, Code: "file-unreadable", Msg: "cannot be read: " + files.Cause(err),
			Err: err}
	}
	fail := func(format string, args ...any) (state, error) {
		return s, &source.Error{Name: name, Code: CodeState, Msg: fmt.Sprintf(format, args...)}
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return fail("is not the state of a campaign: %v", err)
	}
	switch {
	case s.Target != c.Target.Name() || s.ID != c.Target.ID():
		return fail("is of a campaign about something else")
	case s.Seed != c.Seed || s.Shard != c.Shard || s.Shards != c.Shards:
		return fail("is of seed %d and shard %d/%d, not of seed %d and shard %d/%d", s.Seed, s.Shard, s.Shards,
			c.Seed, c.Shard, c.Shards)
	case s.Next < 0:
		return fail("says that case %d is next", s.Next)
	}
	return s, nil
}

func (c *Campaign) writeState(next int64) error {
	if c.Corpus == "" {
		return nil
	}
	text, err := json.Marshal(state{c.Target.Name(), c.Target.ID(), c.Seed, c.Shard, c.Shards, next})
	if err != nil {
		return err
	}
	return c.writeFile(c.stateFile(), append(text, '\n'))
}
