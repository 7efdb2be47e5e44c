package cli

import (
	"bytes"
	"strings"
	"testing"
)

// Without any tool doctor says what is lost, and that is no error.
func TestDoctorWithout(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stdout, stderr bytes.Buffer
	if exit := Main([]string{"doctor"}, strings.NewReader(""), &stdout, &stderr); exit != exitProved || stderr.Len() > 0 {
		t.Fatalf("exit %d, %s", exit, &stderr)
	}
	for _, tool := range tools {
		for _, name := range tool.names {
			if !strings.Contains(stdout.String(), name) {
				t.Errorf("nothing is said of %s", name)
			}
		}
		if !strings.Contains(stdout.String(), "without: "+tool.without+"\n") {
			t.Errorf("not said: %s", tool.without)
		}
	}
}
