package witness_test

import (
	"context"
	"os"
	"testing"

	"tv/equiv/witness"
	"tv/glenside"
	"tv/internal/source"
)

func TestProf(t *testing.T) {
	n := os.Getenv("N")
	var ps []*glenside.Program
	for _, f := range []string{"/tmp/b/m" + n + ".sexp", "/tmp/b/mb" + n + ".sexp"} {
		text, _ := os.ReadFile(f)
		p, err := glenside.Parse(source.NewFile(f, string(text)))
		if err != nil {
			t.Skip(err)
		}
		ps = append(ps, p)
	}
	env, _ := glenside.MergeEnv(ps)
	_, err := witness.Certify(context.Background(), ps[0], ps[1], env, witness.Options{})
	t.Log(err)
}
