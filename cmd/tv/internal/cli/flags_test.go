package cli

import (
	"reflect"
	"testing"

	"tv/equiv"
)

// TestZeroOptions: a command line without flags asks what equiv.Options{} asks.
func TestZeroOptions(t *testing.T) {
	opts, err := newQuestionFlags().options(nil)
	if err != nil {
		t.Fatal(err)
	}
	for said, absent := range map[any]any{
		opts.Timeout: equiv.DefaultTimeout, opts.Memory: int64(equiv.DefaultMemory), opts.Solver: "auto",
	} {
		if said != absent {
			t.Errorf("%v without flags, %v of the zero value", said, absent)
		}
	}
	opts.Timeout, opts.Memory, opts.Solver = 0, 0, ""
	if !reflect.DeepEqual(opts, equiv.Options{}) {
		t.Errorf("other options without flags: %+v", opts)
	}
}
