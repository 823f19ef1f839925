package profile_test

import (
	"context"
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing/probe"
	"spvsim/tracing/profile"
)

// A recorder keeps what waves did, span by span.
type recorder struct {
	probe.NopTracer
	first  uint64
	begun  bool
	spans  []slotSpan
	issues []probe.Issue
}

// A slotSpan is a time of a wave slot of a unit that is charged to one reason.
type slotSpan struct {
	unit     int
	why      account.Reason
	from, to uint64
}

func (r *recorder) Unordered() {}

func (r *recorder) LaunchBegin(l *probe.LaunchInfo) {
	if !r.begun {
		r.first, r.begun = l.At, true
	}
}

func (r *recorder) Issue(i *probe.Issue) {
	r.issues = append(r.issues, *i)
	r.spans = append(r.spans, slotSpan{i.Unit, i.Reason, i.From, i.Ready}, slotSpan{i.Unit, i.StallReason, i.Ready, i.StallCycles},
		slotSpan{i.Unit, account.Unit, max(i.Ready, i.StallCycles), i.At}, slotSpan{i.Unit, account.Issued, i.At, i.End})
}

func (r *recorder) Waited(from, to uint64, p probe.WaveSlotID, why account.Reason) {
	r.spans = append(r.spans, slotSpan{p.Unit, why, from, to})
}

// over counts the cycles of spans by bin, one by one.
func (r *recorder) over(bins int, binCycles uint64, wanted func(*slotSpan) bool) []uint64 {
	row := make([]uint64, bins)
	for i := range r.spans {
		if s := &r.spans[i]; wanted(s) {
			for cycle := s.from; cycle < s.to; cycle++ {
				row[(cycle-r.first)/binCycles]++
			}
		}
	}
	return row
}

// The counts over time, which a collector adds up a bin at a time and joins as the run grows, are those of the single cycles.
func TestCountsOverTimeAreThoseOfCycles(t *testing.T) {
	for _, name := range []string{"mandelbrot", "transpose-plain", "koch-queues", "classify", "peer-bitonic"} {
		fsys, file, _, err := experiments.Lookup(name)
		suite.OK(t, err)
		job := suite.Must(config.LoadJob(fsys, file))(t)
		m := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
		c, r := profile.NewCollector(), &recorder{}
		result := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: probe.Join(c, r)}))(t)
		p := suite.Must(profile.New(job, c, m, result.Stats, result.Listings))(t)

		s := &p.Series
		for why, row := range s.Slots {
			want := r.over(s.Len(), s.BinCycles, func(x *slotSpan) bool { return x.why == account.Reason(why) })
			if diff := cmp.Diff(want, row); diff != "" {
				t.Errorf("%s: %s: -cycles +series: %.300s", name, account.Reason(why), diff)
			}
		}
		issued, lanes := make([]uint64, s.Len()), uint64(0)
		for i := range r.issues {
			x := &r.issues[i]
			issued[(x.At-r.first)/s.BinCycles]++
			lanes += uint64(bits.OnesCount64(x.Exec))
			if want := (x.Unit*m.SIMDs+x.SIMD)*m.WaveSlots + x.Slot; x.Index != want {
				t.Fatalf("%s: slot %+v has number %d, want %d", name, x.WaveSlotID, x.Index, want)
			}
		}
		if diff := cmp.Diff(issued, s.Issued); diff != "" {
			t.Errorf("%s: issues: -cycles +series: %.300s", name, diff)
		}
		for unit := range p.Maps.Units {
			u := &p.Maps.Units[unit]
			want := r.over(len(u.Busy), p.Maps.BinCycles, func(x *slotSpan) bool { return x.unit == unit })
			if diff := cmp.Diff(want, u.Busy); diff != "" {
				t.Errorf("%s: unit %d: -cycles +map: %.300s", name, unit, diff)
			}
			lanes -= u.Lanes
		}
		if lanes != 0 {
			t.Errorf("%s: lanes of issues and of units differ by %d", name, int64(lanes))
		}
	}
}
