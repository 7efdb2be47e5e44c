package ci

import "time"

// A Campaign is what a report says of a run of tv fuzz as a whole: it proves nothing, so that a campaign without
// findings has no results.
type Campaign struct {
	Target      string  `json:"target"`
	ID          string  `json:"id"` // tells campaigns about different things apart
	Seed        uint64  `json:"seed,string"`
	Shard       int     `json:"shard"`
	Shards      int     `json:"shards"`
	Budget      string  `json:"budget"`
	Cases       int64   `json:"cases"`
	Coverage    int64   `json:"coverage"`
	Findings    int64   `json:"findings"`
	Interrupted bool    `json:"interrupted"`
	SetAside    int64   `json:"set_aside,omitempty"` // files of its corpus that hold no case
	Timing      *timing `json:"timing,omitempty"`

	Opening string `json:"-"` // the first line of the text report
	Closing string `json:"-"` // the last
}

// Took says how long the campaign took.
func (c *Campaign) Took(d time.Duration) { c.Timing = &timing{TotalMS: milliseconds(d)} }

// A Finding is what is particular to a result of a campaign.
type Finding struct {
	Case   int64    `json:"case"` // -1: it was in the corpus
	Kind   string   `json:"kind"` // "wrong proof"
	Key    string   `json:"key"`  // findings with one key are one
	File   string   `json:"file,omitempty"`
	Text   string   `json:"text"`   // of the file, which replays without generator or seed
	Replay []string `json:"replay"` // the command
}
