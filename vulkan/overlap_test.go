package main_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/vulkan/rows"
)

// overlapped returns the rows of one test of the program "overlap": those of launches, and those of concurrent groups.
func overlapped(t *testing.T, b *bench, name string, variables ...string) (launches, groups []rows.Row) {
	t.Helper()
	f, _ := recorded(t, b, "overlap", false, []string{name}, variables...)
	for _, r := range f.Rows {
		if r.Kind == "overlap" {
			groups = append(groups, r)
		} else {
			launches = append(launches, r)
		}
	}
	slices.SortStableFunc(launches, func(x, y rows.Row) int { return cmp.Compare(x.Begin, y.Begin) })
	return launches, groups
}

// costs returns the machine's costs of launches, in cycles.
func costs(t *testing.T) (own, first, following, signal uint64) {
	t.Helper()
	m := suite.Must(config.LoadMachine(config.Request{}))(t)
	return uint64(m.FrontEnd.PacketCycles + m.FrontEnd.LaunchCycles), uint64(m.Dispatcher.KernelLaunchCycles), uint64(m.Dispatcher.FollowingLaunch), uint64(m.FrontEnd.SignalCycles)
}

func mine(t *testing.T) *bench {
	t.Helper()
	b := needTools(t)
	if *driverManifest != "" {
		t.Skip("rows are this driver's")
	}
	return b
}

// Preprocessing of generated commands takes a launch and the transfer of all sequences; then each that has workgroups is a packet. These are
// the costs that a graph has under scheduler.kind generated.
func TestCostsOfGeneratedCommands(t *testing.T) {
	t.Parallel()
	b := mine(t)
	own, first, following, _ := costs(t)
	f, _ := recorded(t, b, "generated", false, []string{"from_host"})
	var launches []rows.Row
	for _, r := range f.Rows {
		if r.Kind != "overlap" {
			launches = append(launches, r)
		}
	}
	if len(launches) != 1+15 || launches[0].TransferBytes != 20*24 || launches[0].Cycles <= first || launches[0].Cycles > first+5 {
		t.Fatalf("%d launches, of which the first takes %d cycles for %d bytes: want 16, and few cycles more than %d for 20 sequences of 24 bytes", len(launches), launches[0].Cycles, launches[0].TransferBytes, first)
	}
	begin := launches[0].Cycles + following - own
	for i, r := range launches[1:] {
		if r.Begin != begin+uint64(i)*own {
			t.Errorf("sequence %d begins in cycle %d, want %d", i, r.Begin, begin+uint64(i)*own)
		}
	}
}

// Without a barrier a dispatch only costs its packet and launch, and overlaps the one before; after a barrier it costs
// a following launch. Without overlap both are the same.
func TestOverlapOfDispatches(t *testing.T) {
	t.Parallel()
	b := mine(t)
	own, first, following, _ := costs(t)
	chain, none := overlapped(t, b, "chain")
	if len(chain) != 2 || len(none) != 0 || chain[1].Begin != chain[0].Cycles || chain[0].Cycles != first+chain[0].Busy || chain[1].Cycles != following+chain[1].Busy {
		t.Errorf("with a barrier: %+v, %+v", chain, none)
	}
	for _, name := range []string{"pair", "submissions"} {
		pair, groups := overlapped(t, b, name)
		if len(groups) == 1 && groups[0].Name != pair[0].Pipeline+" beside its like" {
			t.Errorf("%s: the group is named %s", name, groups[0].Name)
		}
		if len(pair) != 2 || len(groups) != 1 || pair[1].Begin != first || pair[1].Begin-pair[0].Begin != own || groups[0].Cycles != first+own+pair[1].Busy {
			t.Errorf("%s: %+v of %+v", name, pair, groups)
		}
	}
	serial, none := overlapped(t, b, "pair", "SPVSIM_OVERLAP=none")
	if len(serial) != 2 || len(none) != 0 || serial[0].Cycles+serial[1].Cycles != chain[0].Cycles+chain[1].Cycles {
		t.Errorf("one after the other: %+v, %+v; with a barrier %+v", serial, none, chain)
	}
}

// Independent dispatches of two graphs run concurrently; without overlap, and with persistent workers, they run one
// after the other.
func TestOverlapOfGraphs(t *testing.T) {
	t.Parallel()
	b := mine(t)
	for _, c := range []struct {
		variable string
		beside   bool
	}{{"SPVSIM_OVERLAP=submitted", true}, {"SPVSIM_OVERLAP=none", false}, {"SPVSIM_SET=scheduler.kind=persistent", false}} {
		f, _ := recorded(t, b, "graph", false, []string{"two_graphs"}, c.variable)
		var graphs []rows.Row
		for _, r := range f.Rows {
			if r.Kind == "graph" {
				graphs = append(graphs, r)
			}
		}
		if len(graphs) != 2 || (graphs[1].Begin < graphs[0].Begin+graphs[0].Cycles) != c.beside {
			t.Errorf("%s: %+v", c.variable, graphs)
		}
	}
}

// Launches of one workgroup leave the pipe at the rate of a packet and a launch.
func TestRateOfTinyDispatches(t *testing.T) {
	t.Parallel()
	own, first, _, _ := costs(t)
	list, groups := overlapped(t, mine(t), "many")
	if len(list) != 64 || len(groups) != 1 {
		t.Fatalf("%d launches in %d groups", len(list), len(groups))
	}
	if last := &list[63]; last.Begin != first+62*own || groups[0].Cycles != first+63*own+last.Busy {
		t.Errorf("the last of %d begins in cycle %d, all take %d: want %d and %d", len(list), last.Begin, groups[0].Cycles, first+62*own, first+63*own+last.Busy)
	}
}

// A barrier for copies makes the copy wait for the kernel; later commands of the queue wait for their turn alone. A
// copy without a barrier overlaps the kernel.
func TestOverlapOfCopies(t *testing.T) {
	t.Parallel()
	b := mine(t)
	own, _, following, _ := costs(t)
	list, _ := overlapped(t, b, "stages")
	if len(list) != 3 || list[1].Kind != "transfer" || list[1].Begin != list[0].Begin+list[0].Cycles || list[1].Cycles != following+list[1].Busy {
		t.Errorf("after a barrier: %+v", list)
	} else if list[2].Begin != list[1].Begin+following || list[2].Cycles != own+list[2].Busy {
		t.Errorf("beside the copy: %+v", list)
	}
	list, _ = overlapped(t, b, "copy_beside")
	if len(list) != 2 || list[1].Begin+list[1].Cycles >= list[0].Begin+list[0].Cycles {
		t.Errorf("the copy ends after the kernel: %+v", list)
	}
}

// Commands after a wait for an event wait for it, commands before the wait do not.
func TestOverlapWithEvents(t *testing.T) {
	t.Parallel()
	_, _, following, _ := costs(t)
	list, _ := overlapped(t, mine(t), "events")
	if len(list) != 3 || list[1].Begin+list[1].Cycles <= list[2].Begin+list[2].Cycles {
		t.Fatalf("the dispatch between ends first: %+v", list)
	}
	if done := list[0].Begin + list[0].Cycles; list[2].Begin != done || list[2].Cycles != following+list[2].Busy {
		t.Errorf("the third begins in cycle %d and takes %d, want %d and %d", list[2].Begin, list[2].Cycles, done, following+list[2].Busy)
	}
}

// Queues run concurrently; one that waits for another's semaphore sees its signal the signal's cost after the work has
// ended.
func TestOverlapOfQueues(t *testing.T) {
	t.Parallel()
	b := mine(t)
	own, first, following, signal := costs(t)
	list, _ := overlapped(t, b, "two_queues")
	if len(list) != 2 || list[0].Begin != list[1].Begin || list[0].Queue == list[1].Queue || list[0].Begin != first-own {
		t.Errorf("apart: %+v", list)
	}
	for _, name := range []string{"binary", "timeline"} {
		list, _ := overlapped(t, b, name)
		if len(list) != 3 {
			t.Fatalf("%s: %+v", name, list)
		}
		for i := 1; i < 3; i++ {
			if done := list[i-1].Begin + list[i-1].Cycles; list[i].Begin != done+signal || list[i].Cycles != following+list[i].Busy || list[i].Queue == list[i-1].Queue {
				t.Errorf("%s: launch %d begins in cycle %d of queue %s and takes %d, the one before ended in %d", name, i, list[i].Begin, list[i].Queue, list[i].Cycles, done)
			}
		}
	}
}

// A hazard is reported with the names of both dispatches.
func TestHazardOfDispatches(t *testing.T) {
	t.Parallel()
	b := mine(t)
	program := b.build(t, "overlap")
	for name, want := range map[string]bool{"hazard": true, "pair": false, "stages": false, "events": false, "binary": false, "timeline": false} {
		c := b.command(program, name)
		c.Env = append(b.environment(""), "SPVSIM_RECORD="+filepath.Join(t.TempDir(), "rows.csv"))
		var said bytes.Buffer
		c.Stderr = &said
		if err := c.Run(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Contains(said.String(), "hazard: dispatch main ") && strings.Contains(said.String(), "neither waits for the other"); got != want {
			t.Errorf("%s: a hazard is told of: %t, want %t\n%s", name, got, want, said.String())
		}
	}
}

// launchOrder returns the order in which one pipe served two queues of a device: a letter for each of its launches,
// which take 100 cycles of the pipe.
func launchOrder(list []rows.Row, device uint64) string {
	began := func(r *rows.Row) uint64 { return r.Begin + r.Cycles - r.Busy }
	var own []rows.Row
	for _, r := range list {
		if r.Device == device {
			own = append(own, r)
		}
	}
	slices.SortFunc(own, func(x, y rows.Row) int { return cmp.Compare(began(&x), began(&y)) })
	var order []byte
	for i := range own {
		order = append(order, 'a'+own[i].Queue[2]-'0')
		if at := began(&own[i]) - began(&own[0]); at != uint64(i)*100 {
			return fmt.Sprintf("launch %d begins %d cycles after the first, want %d", i, at, i*100)
		}
	}
	return string(order)
}

// onePipe has all queues on one pipe, whose slices are of 2, 3, 4 and 5 launches.
const onePipe = "SPVSIM_SET=front_end.pipes=1 front_end.queues_per_pipe=8 front_end.packet_cycles=30 front_end.launch_cycles=70 front_end.open_per_pipe=64 front_end.outstanding=64 " +
	"front_end.slice_low_cycles=200 front_end.slice_medium_cycles=300 front_end.slice_high_cycles=400 front_end.slice_realtime_cycles=500 front_end.turns="

// Queues alternate on a pipe in time slices by priority: the requested global priority, or low and medium by the
// priorities within a device.
func TestSlicesByPriority(t *testing.T) {
	t.Parallel()
	b := mine(t)
	list, _ := overlapped(t, b, "priorities", onePipe+"round-robin")
	for i, want := range []string{"aabbaabbaabbaabbaabbaabb", "aaabbbaaabbbaaabbbaaabbb", "aaaabbbbaaaabbbbaaaabbbb", "aaaaabbbbbaaaaabbbbbaabb"} {
		if got := launchOrder(list, uint64(i+2)); got != want { // the first device is the program's own
			t.Errorf("priority %d of 4: %s, want %s", i+1, got, want)
		}
	}
	for turns, want := range map[string]string{"round-robin": "aabbbaabbbaabbbaabbbaaaa", "priority": strings.Repeat("b", 12) + strings.Repeat("a", 12)} {
		list, _ := overlapped(t, b, "own_priorities", onePipe+turns)
		if got := launchOrder(list, 2); got != want {
			t.Errorf("turns %s: %s, want %s", turns, got, want)
		}
	}
}

// Random sets of submissions give the results of serial execution, on every preset, and the driver finds no hazard in
// them; rows are the same with any number of host processors. SPVSIM_RANDOM_SUBMISSIONS sets their number.
func TestRandomSubmissions(t *testing.T) {
	t.Parallel()
	b := mine(t)
	program := b.build(t, "random")
	machines := config.Presets()
	sets := len(machines)
	if n, err := strconv.Atoi(os.Getenv("SPVSIM_RANDOM_SUBMISSIONS")); err == nil {
		sets = n
	}
	for i, machine := range machines {
		variables := []string{"SPVSIM_MACHINE=" + machine, fmt.Sprintf("SPVSIM_RANDOM_FIRST=%d", i*sets),
			fmt.Sprintf("SPVSIM_RANDOM_SUBMISSIONS=%d", (sets+len(machines)-1-i)/len(machines))}
		processors := []string{"1", "3"}
		if i%3 > 0 && !suite.AllCases() {
			processors = processors[:1]
		}
		var of [][]rows.Row
		for _, n := range processors {
			path := filepath.Join(t.TempDir(), "rows.csv")
			c := b.command(program)
			c.Env = append(b.environment(""), append(variables, "SPVSIM_RECORD="+path, "GOMAXPROCS="+n)...)
			out, err := c.CombinedOutput()
			if err != nil || bytes.Contains(out, []byte("hazard")) || !bytes.Contains(out, []byte("ok sets")) {
				t.Fatalf("%s: %v\n%s", variables, err, tail(out))
			}
			f := suite.Must(rows.Read(path))(t)
			for i := range f.Rows {
				f.Rows[i].Process, f.Rows[i].HostSeconds = 0, 0
			}
			of = append(of, f.Rows)
		}
		if last := of[len(of)-1]; len(last) == 0 || !reflect.DeepEqual(of[0], last) {
			t.Errorf("%s: %d rows on one processor, %d others on three", machine, len(of[0]), len(last))
		}
	}
}
