package cli

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// gcLimit is the heap, in bytes, from whose half on garbage may be but half of what lives. It is no limit of the runtime's: where more lives
// than that allows, it would collect without pause.
var gcLimit atomic.Uint64

// gcUsual is gcLimit of most commands.
const gcUsual = 800 << 20

// What is live on the heap decides how much garbage may be beside it, in bytes: a list of small questions leaves little
// each time, and to collect often costs it a tenth; from gcMuch on memory counts more than time.
const (
	gcLittle = 8 << 20
	gcMuch   = 64 << 20
)

// tuneGC sets when garbage is collected: a run is short and its terms live to its end, so seldom, but within bounds.
func tuneGC() {
	gcLimit.Store(gcUsual)
	percent := gcPercent(0)
	debug.SetGCPercent(percent)
	afterGC(func() bool {
		if p := gcPercent(liveHeap(percent)); p != percent {
			percent = p
			debug.SetGCPercent(p)
		}
		return true
	})
}

// gcPercent returns how much garbage may be beside so much that lives, in percent of it.
func gcPercent(live uint64) int {
	switch {
	case live < gcLittle:
		return 800
	case live < gcMuch:
		return 400
	case live < gcLimit.Load()/2:
		return 100
	}
	return 50
}

// afterGC calls f after each collection until it returns false.
func afterGC(f func() bool) {
	type sentinel struct{ _ *int } // with a pointer, so that it is collected by itself
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		if f() {
			afterGC(f)
		}
	})
}

// liveHeap returns what the last collection left, in bytes: the next is due when so many percent have come on top of it.
func liveHeap(percent int) uint64 {
	var heap runtime.MemStats // runtime/metrics makes tables at the start of a process, asked or not
	runtime.ReadMemStats(&heap)
	return heap.NextGC * 100 / uint64(100+percent)
}
