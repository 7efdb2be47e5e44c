package files_test

import (
	"strings"
	"testing"

	"tv/internal/files"
)

// TestByteOrder: the mark that some editors put in front of a text is no part of it.
func TestByteOrder(t *testing.T) {
	f, err := files.Read("-", strings.NewReader("\ufeffdef f"))
	if err != nil || f.Text != "def f" {
		t.Errorf("%q, %v", f.Text, err)
	}
}
