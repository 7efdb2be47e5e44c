package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"tv/ci"
	"tv/internal/source"
)

// codeShard is the code of a part of a run that is none, or that two variables say differently.
const codeShard = "bad-shard"

// A shard is the part of a run that this process has: the cases or questions, counted from 0, whose number is index modulo total.
type shard struct {
	index, total int
	given        bool // by --shard, not by the environment
}

// has tells whether a case or question is of the part.
func (s shard) has(number int) bool { return number%s.total == s.index }

// of takes the questions of the part, and has the run say so. What the environment says divides several questions alone: a
// pair that each of several jobs asks about is not one that a single job of them is to ask about.
func (s shard) of(run *ci.Run, questions []*question) []*question {
	if s.total == 1 || !s.given && len(questions) == 1 {
		return questions
	}
	run.Shard = &ci.Shard{Index: s.index, Of: s.total, Questions: len(questions)}
	var own []*question
	for i, q := range questions {
		if s.has(i) {
			own = append(own, q)
		}
	}
	return own
}

// shardVariables are the environment variables of schedulers that start the parts of a run.
var shardVariables = []struct {
	index, total string
	first        int    // index of the first part
	who          string // for the manual
}{
	{"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0, "Bazel"},
	{"JOB_COMPLETION_INDEX", "TV_SHARDS", 0, "indexed jobs of Kubernetes, which have no variable for their number"},
	{"CI_NODE_INDEX", "CI_NODE_TOTAL", 1, "GitLab"},
}

// shardUsage describes the flag.
const shardUsage = "`i/n`: part i of n, counted from 0 (default: what the environment says, see tv help files)"

// shardOf reads the value of --shard; an empty one is what the environment says, or the whole.
// Errors: bad-shard, also where two schedulers say different things.
func shardOf(flag string) (shard, error) {
	if flag != "" {
		first, second, _ := strings.Cut(flag, "/")
		s, ok := newShard(first, second, 0)
		if !ok {
			return s, &source.Error{Code: codeShard, Msg: fmt.Sprintf("a shard is i/n with 0 <= i < n, not %q", flag)}
		}
		s.given = true
		return s, nil
	}
	out, from := shard{total: 1}, ""
	for _, v := range shardVariables {
		index, total := os.Getenv(v.index), os.Getenv(v.total)
		if index == "" && (total == "" || v.first == 1 && total == "1") { // GitLab gives a total of 1 to jobs that have no parts
			continue
		}
		s, ok := newShard(index, total, v.first)
		switch {
		case index == "" || total == "":
			return s, &source.Error{Code: codeShard, Msg: fmt.Sprintf(
				"of the variables %s and %s, which say the part of a run, one is missing: set both, or give --shard (0/1 is the whole)", v.index, v.total)}
		case !ok:
			return s, &source.Error{Code: codeShard, Msg: fmt.Sprintf("%s=%q and %s=%q are no part of a run: parts count from %d",
				v.index, index, v.total, total, v.first)}
		case from != "" && s != out:
			return s, &source.Error{Code: codeShard, Msg: fmt.Sprintf(
				"%s says part %d/%d of the run and %s part %d/%d: give --shard", from, out.index, out.total, v.index, s.index, s.total)}
		}
		out, from = s, v.index
	}
	return out, nil
}

// newShard makes a shard of two numbers, of which parts count from first.
func newShard(index, total string, first int) (shard, bool) {
	i, errI := strconv.ParseUint(index, 10, 31) // no signs
	n, errN := strconv.ParseUint(total, 10, 31)
	s := shard{index: int(i) - first, total: int(n)}
	return s, errI == nil && errN == nil && 0 <= s.index && s.index < s.total
}
