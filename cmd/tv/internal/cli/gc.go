package cli

import (
	"runtime"
	"runtime/debug"
)

// gcLimit is the heap beyond which garbage is collected as often as it takes, in bytes.
const gcLimit = 800 << 20

// gcMuch is the live heap from which on memory counts more than time, in bytes.
const gcMuch = 64 << 20

// gcPercent is how much may be allocated between collections, of what lived at the last one.
const gcPercent = 400

// tuneGC sets when garbage is collected: a run is short and its terms live to its end, so seldom, but within bounds.
func tuneGC() {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(gcLimit)
	afterGC(func() bool { // once much lives, garbage is collected before it is as much again
		much := liveHeap() > gcMuch
		if much {
			debug.SetGCPercent(100)
		}
		return !much
	})
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

// liveHeap returns what the last collection left, in bytes, where gcPercent holds.
func liveHeap() uint64 {
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	return heap.NextGC * 100 / (100 + gcPercent) // the next one is due when gcPercent has come on top of it
}
