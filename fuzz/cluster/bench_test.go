package cluster

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tv/fuzz/cluster/server"
)

// BenchmarkRanges counts how many ranges a second go through: the queue alone, and with a result for each.
func BenchmarkRanges(b *testing.B) {
	const ranges = mostRanges
	for name, results := range map[string]bool{"queue": false, "results": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				l, stop := benchLedger(b, ranges)
				b.StartTimer()
				throughQueue(b, l, results)
				b.StopTimer()
				stop()
				b.StartTimer()
			}
			b.ReportMetric(ranges*float64(b.N)/b.Elapsed().Seconds(), "ranges/s")
		})
	}
}

// benchLedger is one of so many ranges on a server of its own.
func benchLedger(b *testing.B, ranges int64) (*ledger, func()) {
	b.Helper()
	s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Store: b.TempDir(), Log: func(text string) { b.Log(text) }})
	if err != nil {
		b.Fatal(err)
	}
	nc, js, err := (Server{URL: s.URL()}).connect(func(string) {})
	if err != nil {
		b.Fatal(err)
	}
	l, err := open(context.Background(), js, description{envelope: own, Cases: ranges * leastSize, Size: leastSize}, defaultAckWait, func(string) {})
	if err != nil {
		b.Fatal(err)
	}
	return l, func() { nc.Close(); s.Stop() }
}

// throughQueue fills the queue, takes all from it, and writes results if it is to.
func throughQueue(b *testing.B, l *ledger, results bool) {
	b.Helper()
	ctx := context.Background()
	for filled := true; filled; {
		var err error
		if filled, err = l.fill(ctx); err != nil {
			b.Fatal(err)
		}
	}
	for left := l.ranges(); left > 0; {
		messages, err := l.orders.Fetch(256, jetstream.FetchMaxWait(opTimeout))
		if err != nil {
			b.Fatal(err)
		}
		for m := range messages.Messages() {
			n, err := readOrder(m.Data(), l.envelope, l.ranges())
			if err != nil {
				b.Fatal(err)
			}
			if results {
				if stored, err := l.store(ctx, &result{Range: n, Cases: leastSize}); !stored || err != nil {
					b.Fatal(stored, err)
				}
			}
			if err := m.Ack(); err != nil {
				b.Fatal(err)
			}
			left--
		}
	}
}
