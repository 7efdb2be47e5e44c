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

// TestText: what a panic says comes with the place of the first one, also where it was passed on.
func TestText(t *testing.T) {
	said := func(f func()) (text string) {
		defer func() { text = Text(recover()) }()
		f()
		return ""
	}
	for name, f := range map[string]func(){
		"plain":    func() { var none *Fault; breaks2(none) },
		"by Catch": func() { panic(Catch(func() error { breaks2(nil); return nil })) },
		"by a defer": func() {
			defer func() { panic(recover()) }()
			breaks2(nil)
		},
	} {
		if got, want := said(f), "runtime error: invalid memory address or nil pointer dereference in equiv/fault.breaks2, "; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func breaks2(f *Fault) { f.Value = 1 }
