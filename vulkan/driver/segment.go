package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"spvsim/account"
	"spvsim/gpu"
)

// run executes a segment: a single launch directly, several concurrently. follows: it is not the first segment of its
// plan.
func (s *segment) run(d *logicalDevice, follows bool) error {
	switch {
	case s.launches() == 0:
		s.marksAt(d)
		return nil
	case s.isSingle(), !s.fits(d):
		return s.inOrder(d, follows)
	}
	return s.runConcurrently(d, follows)
}

// marksAt has all marks passed now.
func (s *segment) marksAt(d *logicalDevice) {
	for _, w := range s.items {
		if w.OnReached != nil {
			w.OnReached(d.gpu.Cycle())
		}
	}
}

// isSingle reports whether there is a single launch, and no mark in its middle.
func (s *segment) isSingle() bool {
	if s.launches() > 1 {
		return false
	}
	begun := false
	for _, w := range s.items {
		if w.OnReached != nil && begun && len(w.WaitsFor) == 0 {
			return false
		}
		begun = begun || w.OnReached == nil
	}
	return true
}

// fits reports whether the machine can run the launches concurrently: not graphs that hold all compute units, nor those
// that need all on-chip memory.
func (s *segment) fits(d *logicalDevice) bool {
	var graphs []*gpu.GraphDispatch
	for _, w := range s.items {
		if w.Graph != nil {
			graphs = append(graphs, w.Graph)
		}
	}
	return d.gpu.FitConcurrent(graphs)
}

// inOrder runs the launches one after the other.
func (s *segment) inOrder(d *logicalDevice, follows bool) error {
	for _, w := range s.items {
		if w.OnReached != nil {
			w.OnReached(d.gpu.Cycle())
			continue
		}
		x := w.context
		x.notFirst = follows
		if err := w.runAlone(&x); err != nil {
			return err
		}
		follows = true
	}
	return nil
}

// runConcurrently runs the launches concurrently, and records each, and the whole.
func (s *segment) runConcurrently(d *logicalDevice, follows bool) error {
	b := &gpu.ConcurrentWork{Name: s.name(), FollowsDispatch: follows}
	for _, w := range s.items {
		for len(b.Queues) <= w.Queue {
			b.Queues = append(b.Queues, gpu.DeviceQueue{})
		}
		b.Queues[w.Queue] = w.lane.queue.hardware()
		b.Items = append(b.Items, &w.Queued)
	}
	begin, started := d.gpu.Cycle(), time.Now()
	var counts *account.Counts
	var hazards []string
	var err error
	d.observers.waves.run(func() {
		counts, hazards, err = d.gpu.RunConcurrent(context.Background(), b)
	}, s.names()...)
	if counts != nil {
		s.record(d, begin, counts, time.Since(started))
	}
	d.worker.warn(hazards)
	for _, w := range s.items {
		err = errors.Join(err, w.refused)
	}
	return err
}

// names returns the names of the launches.
func (s *segment) names() (list []string) {
	for _, w := range s.items {
		if w.OnReached == nil {
			list = append(list, w.row.name)
		}
	}
	return list
}

// mostNamed is the number of pipelines that a segment's name lists.
const mostNamed = 3

// name joins the names of the pipelines, each once; several launches of one pipeline run beside "its like".
func (s *segment) name() string {
	var list []string
	for _, w := range s.items {
		if w.OnReached == nil && !slices.Contains(list, w.row.pipeline) {
			list = append(list, w.row.pipeline)
		}
	}
	if more := len(list) - mostNamed; more > 0 {
		list = append(list[:mostNamed], fmt.Sprintf("%d more", more))
	}
	if len(list) == 1 && s.launches() > 1 {
		list = append(list, "its like")
	}
	return strings.Join(list, " beside ")
}

// record records the launches that ended, and then all of them together, whose memory and slots are counted as one. One alone is both.
func (s *segment) record(d *logicalDevice, begin uint64, counts *account.Counts, host time.Duration) {
	n := s.launches()
	if n > 1 {
		d.worker.overlaps++
	}
	for _, w := range s.items {
		if w.OnReached != nil || !w.Ran && counts.Estimate == nil {
			continue
		}
		r, t := &w.row, &w.Times
		r.counts, r.beginCycle = w.Counts, begin+t.Ready
		r.counts.Cycles, r.busy, r.packet = t.Done-t.Ready, t.Done-t.FirstPlaced, begin+t.Packet
		if n == 1 {
			r.counts, r.beginCycle, r.packet, r.host = *counts, begin, begin, host
		} else {
			r.overlap, r.concurrent = d.worker.overlaps, true
		}
		if r.counts.Launches > 0 || r.kind == "transfer" {
			d.record(&w.context, r)
		}
	}
	if n == 1 {
		return
	}
	r := &row{kind: "overlap", name: s.name(), pipeline: s.name(), beginCycle: begin, packet: begin, counts: *counts, busy: counts.Cycles, overlap: d.worker.overlaps, host: host}
	d.record(&executor{device: d, queue: s.items[0].lane.queue}, r)
	shared := executor{open: s.open()}
	shared.count(&account.Counts{Slots: counts.Slots, Memory: counts.Memory, UnitCycles: counts.UnitCycles, OutOfBounds: counts.OutOfBounds})
}

// open returns the queries that are open around all launches: only those can count what belongs to all.
func (s *segment) open() (list []*account.Counts) {
	first := true
	for _, w := range s.items {
		switch {
		case w.OnReached != nil:
		case first:
			list, first = slices.Clone(w.context.open), false
		default:
			list = slices.DeleteFunc(list, func(c *account.Counts) bool { return !slices.Contains(w.context.open, c) })
		}
	}
	return list
}

// mostHazards bounds the hazards that are reported.
const mostHazards = 20

// warn reports hazards, each once.
func (w *worker) warn(hazards []string) {
	for _, text := range hazards {
		if text, ok := w.hazards.next(text, mostHazards, "hazards"); ok {
			fmt.Fprintf(os.Stderr, "spvsim: %s\n", text)
		}
	}
}
