package fault

import (
	"errors"
	"strings"
	"testing"
)

func breaks() { panic("broken") }

// TestCatch: a panic that goes through two goroutines still says where it happened.
func TestCatch(t *testing.T) {
	if err := Catch(func() error { return nil }); err != nil {
		t.Errorf("%v without a panic", err)
	}
	usual := errors.New("usual")
	if err := Catch(func() error { return usual }); err != usual {
		t.Errorf("%v, want the error of the function", err)
	}
	first := Catch(func() error { breaks(); return nil })
	again := Catch(func() error { panic(first) })
	var f *Fault
	if !errors.As(again, &f) || f != first || f.Value != "broken" || !strings.Contains(string(f.Stack), "fault.breaks") {
		t.Errorf("%#v passed on as %#v", first, again)
	}
}
