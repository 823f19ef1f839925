package report

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/tracing/profile"
)

// launched is a launch that is placed five cycles after its packet.
func launched(queue, name string, placed, end uint64) profile.LaunchProfile {
	return profile.LaunchProfile{Queue: queue, Name: name, Workgroups: 2000, Packet: placed - 5, Ready: placed - 3, FirstPlaced: placed, End: end, Busy: end - placed}
}

// A launch is in the first lane of its queue whose launches have all ended before. Its row has its cycles, and the wait
// for its first workgroup.
func TestLanesOfQueues(t *testing.T) {
	p := &profile.Profile{Cycles: 1000, Launches: []profile.LaunchProfile{
		launched("q0", "a", 100, 300), launched("q1", "b", 100, 500), launched("q0", "b", 200, 400), launched("q0", "a", 300, 500),
	}}
	lanes, left := lanesOf(p)
	var got []string
	for _, x := range lanes {
		text := x.queue
		for _, l := range x.list {
			text += fmt.Sprintf(" %s %d-%d", l.Name, l.FirstPlaced, l.End)
		}
		got = append(got, text)
	}
	if diff := cmp.Diff([]string{"q0 a 100-300 a 300-500", "q0 b 200-400", "q1 b 100-500"}, got); diff != "" || left != 0 {
		t.Errorf("%d left, %s", left, diff)
	}
	table := launches(p)
	if diff := cmp.Diff(launchRow{"q0", "b", "2\u202f000", "195", "197", "200", "400", "5", "200", nil, ""}, table.Rows[2]); diff != "" {
		t.Error(diff)
	}
	if table.More != "" || len(table.Rows) != 4 {
		t.Errorf("%+v", table)
	}
	// 1000 cycles on 1000 pixels from 90 on, lanes 18 pixels apart; a name has its colour.
	want := []string{
		"190 18 200 14 l0 cell a: 200 cycles from its first workgroup, 5 after its packet", "390 18 200 14 l0 cell a: 200 cycles from its first workgroup, 5 after its packet",
		"290 36 200 14 l1 cell b: 200 cycles from its first workgroup, 5 after its packet", "190 54 400 14 l1 cell b: 400 cycles from its first workgroup, 5 after its packet",
	}
	svg := timeline(1102, p, lanes)
	if diff := cmp.Diff(want, found(svg, rects)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"M185 25L190 25 axis", "M385 25L390 25 axis", "M285 43L290 43 axis", "M185 61L190 61 axis"}, found(svg, paths)[len(found(svg, paths))-4:]); diff != "" {
		t.Error(diff)
	}
	names := found(svg, words)
	if diff := cmp.Diff([]string{"84 29 end tick q0", "84 65 end tick q1"}, names[len(names)-2:]); diff != "" {
		t.Error(diff)
	}
}

// Concurrent launches beyond the lanes of a picture are counted; queues share the lanes.
func TestLanesAreBounded(t *testing.T) {
	for _, c := range []struct{ queues, each, lanes, left int }{{1, 32, 32, 0}, {1, 40, 32, 8}, {2, 16, 32, 0}, {2, 20, 32, 8}, {40, 2, 40, 40}} {
		p := &profile.Profile{Cycles: 100}
		for i := range c.queues * c.each {
			p.Launches = append(p.Launches, launched(fmt.Sprint("q", i%c.queues), "a", 10, 50))
		}
		if lanes, left := lanesOf(p); len(lanes) != c.lanes || left != c.left {
			t.Errorf("%d queues of %d at once: %d lanes and %d left, want %d and %d", c.queues, c.each, len(lanes), left, c.lanes, c.left)
		}
	}
}

// A launch shows what its requests moved and found at a level, and the three reasons with most slot cycles.
func TestTrafficAndWaitsOfLaunches(t *testing.T) {
	l := launched("q0", "a", 100, 300)
	l.Memory = []account.LaunchTraffic{{Level: "l2", Read: 128, Written: 64, Accesses: 8, Hits: 6}, {Level: "memory", Read: 64, Accesses: 2}}
	l.Waits = []account.LaunchWait{{Reason: "issued", SlotCycles: 10}, {Reason: "memory", SlotCycles: 60}, {Reason: "unit", SlotCycles: 5}, {Reason: "fetch", SlotCycles: 25}}
	row := launches(&profile.Profile{Cycles: 1000, Launches: []profile.LaunchProfile{l}}).Rows[0]
	if diff := cmp.Diff([]string{"128 / 64, 75.0%", "64 / 0"}, row.Traffic); diff != "" {
		t.Error(diff)
	}
	if want := "memory 60.0%, fetch 25.0%, issued 10.0%"; row.Waits != want {
		t.Errorf("found %q, want %q", row.Waits, want)
	}
}
