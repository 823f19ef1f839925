package graph

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// traffic is what queues ask of memory while a test has them do something, with addresses from the ring's start on.
func (r *queueRig) traffic(do func(w *wait)) []string {
	r.memory.log, r.run.ring.addr = nil, 0
	w := gather(0, nil)
	do(w)
	w.close()
	return r.memory.log
}

// Entries of 16 bytes follow each other after the counters, in requests of lines; counters have a line each.
func TestTrafficOfQueues(t *testing.T) {
	r := newQueueRig(t, defaultQueue("multipass"), false, static("n"))
	const first = counterBytes
	for _, c := range []struct {
		name string
		do   func(w *wait)
		want []string
	}{
		{"five entries", func(w *wait) { r.run.ring.next = first; r.run.ring.write(0, w, 0, 5) },
			[]string{fmt.Sprintf("write unit 0 busy 1: %d+64 %d+16", first, first+64)}},
		{"five after them", func(w *wait) { r.run.ring.write(0, w, 3, 5) },
			[]string{fmt.Sprintf("write unit 3 busy 1: %d+48 %d+32", first+64, first+128)}},
		{"at the ring's end", func(w *wait) { r.run.ring.next = ringBytes - 64; r.run.ring.write(0, w, 0, 4) },
			[]string{fmt.Sprintf("write unit 0 busy 1: %d+64", ringBytes-64)}},
		{"after its end", func(w *wait) { r.run.ring.write(0, w, 0, 1) },
			[]string{fmt.Sprintf("write unit 0 busy 1: %d+16", first)}},
		{"an entry back", func(w *wait) { r.run.ring.read(0, w, 0) },
			[]string{fmt.Sprintf("read unit 0 busy 1: %d+16", first)}},
		{"the first counter", func(w *wait) { r.run.ring.atomic(0, w, 1, 0) }, []string{"atomic unit 1 busy 1: 0+4"}},
		{"the last counter", func(w *wait) { r.run.ring.atomic(0, w, 1, counterBytes/256-1) }, []string{fmt.Sprintf("atomic unit 1 busy 1: %d+4", (counterBytes-256)&^63)}},
		{"one more", func(w *wait) { r.run.ring.atomic(0, w, 1, counterBytes/256) }, []string{"atomic unit 1 busy 1: 0+4"}},
	} {
		if diff := cmp.Diff(c.want, r.traffic(c.do)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	// No more than half of the ring is written at once: what lies there is read before.
	r.run.ring.next = first
	r.traffic(func(w *wait) { r.run.ring.write(0, w, 0, ringBytes/entryBytes) })
	if got, want := r.run.ring.next, uint64(first+ringBytes/2); got != want {
		t.Errorf("a write of a whole ring ends at %d, want %d", got, want)
	}
}

// A pass counts each batch with one atomic and writes where its payloads are; the next one is a kernel of its own, whose compaction reads
// what a node has not started, the units sharing it by whole lines, and writes it again.
func TestTrafficOfPasses(t *testing.T) {
	n := static("n")
	r := newQueueRig(t, defaultQueue("multipass"), false, n)
	r.run.ring.addr, r.run.ring.next = 0, counterBytes
	r.memory.log = nil
	var accepted uint64
	r.enqueue(t, begin, n, 5, &accepted)
	r.finish(t)
	lines := fmt.Sprintf("unit 0 busy 1: %d+64 %d+16", counterBytes, counterBytes+64)
	want := []string{fmt.Sprintf("atomic unit 0 busy 1: %d+4", counterEntry*256), "write " + lines, "kernel boundary", "read " + lines, "write " + lines}
	if diff := cmp.Diff(want, r.memory.log); diff != "" {
		t.Errorf("five payloads (-want +got):\n%s", diff)
	}
	for _, c := range []struct{ waiting, started, bytes int }{{4, 0, 64}, {9, 5, 64}, {5, 5, 0}} {
		b := &nodeQueue{fifo: make([]queuedPayload, c.waiting), head: c.started}
		got := r.traffic(func(w *wait) { r.run.policy.(*multipass).compact(0, w, b) })
		var want []string
		for range min(1, c.bytes) {
			lines := fmt.Sprintf("unit 0 busy %d: %d+%d", c.bytes/64, counterBytes, c.bytes)
			want = append(want, "read "+lines, "write "+lines)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d entries of which %d have started (-want +got):\n%s", c.waiting, c.started, diff)
		}
	}
}
