package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// gcLimit is the heap beyond which garbage is collected as often as it takes, in bytes.
const gcLimit = 800 << 20

// gcMuch is the live heap from which on memory counts more than time, in bytes.
const gcMuch = 64 << 20

// tuneGC sets when garbage is collected: a run is short and its terms live to its end, so seldom, but within bounds.
func tuneGC() {
	debug.SetGCPercent(400)
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

// liveHeap returns what the last collection left, in bytes.
func liveHeap() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}
