package gpu_test

import (
	"context"
	"slices"
	"testing"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// openFor makes a device of a mode for dispatches beside each other.
func openFor(t *testing.T, s gpu.DeviceSetup) (*gpu.Device, *gpu.Dispatch) {
	t.Helper()
	m := suite.Must(config.Preset(config.DefaultMachine))(t)
	s.Machine = m
	d := suite.Must(gpu.OpenDevice(s))(t)
	x := baseOn(t, d)
	x.Name = "base"
	return d, x
}

// chained is n dispatches of a queue, each after the one before where they are to be.
func chained(x *gpu.Dispatch, n int, apart bool) *gpu.ConcurrentWork {
	b := &gpu.ConcurrentWork{Name: "all", Queues: []gpu.DeviceQueue{{Name: "0", Priority: "medium"}}}
	for i := range n {
		item := &gpu.Queued{Dispatch: x}
		if !apart && i > 0 {
			item.WaitsFor = []int{i - 1}
		}
		b.Items = append(b.Items, item)
	}
	return b
}

// A chain of dispatches in a queue takes the cycles of as many that run one after the other, and each counts what one does; without dependences
// it takes the packets' and the launches' time and the last dispatch.
func TestDispatchesOfAQueue(t *testing.T) {
	d, x := openFor(t, gpu.DeviceSetup{})
	var serial, instructions uint64
	for i := range 3 {
		x.FollowsDispatch = i > 0
		c := suite.Must(d.Run(context.Background(), x))(t)
		serial, instructions = serial+c.Cycles, c.Instructions()
	}
	d, x = openFor(t, gpu.DeviceSetup{})
	chain := chained(x, 3, false)
	c, _, err := d.RunConcurrent(context.Background(), chain)
	if err != nil || c.Cycles != serial || c.Launches != 3 {
		t.Errorf("%v, %d launches in %d cycles: want 3 in %d", err, c.Launches, c.Cycles, serial)
	}
	for i, item := range chain.Items {
		if !item.Ran || item.Counts.Instructions() != instructions || item.Counts.Workgroups != 4 || item.Counts.Waves != 4 {
			t.Errorf("launch %d: %d instructions of %d workgroups: want %d of 4", i, item.Counts.Instructions(), item.Counts.Workgroups, instructions)
		}
	}
	if got := d.Listings()[0].Counts; !slices.ContainsFunc(got, func(n account.InstCount) bool { return n.Issues == 3*4 }) {
		t.Errorf("the listing has %v: want 12 issues of an instruction", got)
	}
	d, x = openFor(t, gpu.DeviceSetup{})
	apart := chained(x, 3, true)
	if _, _, err = d.RunConcurrent(context.Background(), apart); err != nil {
		t.Fatal(err)
	}
	m := d.Machine()
	own := uint64(m.FrontEnd.PacketCycles + m.FrontEnd.LaunchCycles)
	for i, item := range apart.Items {
		if want := uint64(m.Dispatcher.KernelLaunchCycles) + uint64(i)*own; item.Times.Dispatched != want {
			t.Errorf("launch %d was opened in cycle %d, want %d", i, item.Times.Dispatched, want)
		}
	}
}

// Marks see the cycle in which the queue comes to them, or in which what they wait for is done; an indirect dispatch of nothing ends at once.
func TestMarksOfAQueue(t *testing.T) {
	d, x := openFor(t, gpu.DeviceSetup{})
	b := chained(x, 2, true)
	none := *x
	none.Indirect = func() [3]uint32 { return [3]uint32{0, 1, 1} }
	b.Items[1].Dispatch = &none
	var cycles []uint64
	mark := func(after ...int) {
		b.Items = append(b.Items, &gpu.Queued{WaitsFor: after, OnReached: func(cycle uint64) { cycles = append(cycles, cycle) }})
	}
	mark()
	mark(0)
	mark(0, 1)
	if _, _, err := d.RunConcurrent(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	first, second := &b.Items[0].Times, &b.Items[1].Times
	if want := []uint64{second.Dispatched, first.Done, first.Done}; !slices.Equal(cycles, want) || second.Done != second.Dispatched || b.Items[1].Counts.Workgroups != 0 {
		t.Errorf("marks in cycles %d, want %d; %+v", cycles, want, second)
	}
}

// In a sampled run dispatches beside each other are one: alike ones are timed a few times, and estimated then.
func TestSampledDispatchesOfAQueue(t *testing.T) {
	d, x := openFor(t, gpu.DeviceSetup{Mode: "sampled"})
	estimated := 0
	for range 12 {
		b := chained(x, 2, true)
		c, _, err := d.RunConcurrent(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		if c.Estimate != nil {
			estimated++
		}
		if c.Cycles == 0 || b.Items[1].Counts.Workgroups != 4 {
			t.Errorf("%d cycles, %+v", c.Cycles, b.Items[1].Counts)
		}
	}
	if estimated == 0 || estimated == 12 {
		t.Errorf("%d of 12 are estimated", estimated)
	}
}
