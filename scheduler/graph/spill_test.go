package graph

import (
	"strings"
	"testing"

	"spvsim/mem/hierarchy"
)

// overflowRig has a queue with a line buffer each way, or so many, and few entries on chip.
func overflowRig(t *testing.T, depth, threshold, lines int, rate float64, nodes ...*Node) *queueRig {
	t.Helper()
	s := defaultQueue("hardware")
	s.Queue.Depth, s.Queue.RefillThreshold, s.Queue.SpillLines, s.Queue.LaunchRate = depth, threshold, lines, rate
	return newQueueRig(t, s, true, nodes...)
}

// reads is how many lines the queue has asked memory for.
func (m *constantMemory) reads() (n int) {
	for _, entry := range m.log {
		if strings.HasPrefix(entry, kindNames[hierarchy.Read]) {
			n++
		}
	}
	return n
}

// Launches open while their entries are read back: 60 payloads of which 59 are in memory wait for one latency of memory together, with one line buffer and
// without reading ahead. Each of the 15 lines costs a latency where a launch opens only when its entries are there.
func TestOverflowLaunchesOpenWhileEntriesAreRead(t *testing.T) {
	last := func(depth int) uint64 {
		n := static("n")
		r := overflowRig(t, depth, 0, 1, 1<<10, n)
		_, started := r.serve(t, n, 60)
		return started[len(started)-1]
	}
	if with, without := last(1), last(64); with < without+replyCycles/2 || with > without+2*replyCycles {
		t.Errorf("the last of 60 payloads starts in cycle %d, without overflow in %d: want it about %d cycles later", with, without, replyCycles)
	}
}

// A queue reads ahead into all line buffers once as many payloads as the threshold says, or fewer, are at hand, and not before.
func TestOverflowReadsAheadIntoAllLineBuffers(t *testing.T) {
	for _, c := range []struct{ depth, threshold, want int }{{8, 8, 16}, {8, 0, 0}, {64, 8, 0}, {64, 64, 16}} {
		n := static("n")
		r := overflowRig(t, c.depth, c.threshold, 16, 0.0001, n) // payloads stay, but for the first
		var accepted uint64
		r.enqueue(t, begin, n, 200, &accepted)
		got := 0
		r.in(begin+4*replyCycles, func(uint64) { got = r.memory.reads() })
		r.finish(t)
		if got != c.want {
			t.Errorf("%+v: %d lines read", c, got)
		}
	}
}

// Nodes that have few payloads at hand share the line buffers.
func TestOverflowSharesLineBuffersAmongNodes(t *testing.T) {
	a, b := static("a"), static("b")
	r := overflowRig(t, 1, 1, 8, 0.0001, a, b)
	var accepted uint64
	r.enqueue(t, begin, a, 100, &accepted)
	r.enqueue(t, begin, b, 100, &accepted)
	var coming [2]int
	r.in(begin+4*replyCycles, func(uint64) {
		for i, n := range []*Node{a, b} {
			coming[i] = r.run.queues.list[0].spill.numOnChip(r.run.queues.nodeQueues.of(n.stages[0], 0))
		}
	})
	r.finish(t)
	if coming[0] < 12 || coming[1] < 12 {
		t.Errorf("%d and %d payloads are at hand: want about 16 each", coming[0], coming[1])
	}
}
