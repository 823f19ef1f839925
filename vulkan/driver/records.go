package driver

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"spvsim/account"
	"spvsim/isa"
	"spvsim/vulkan/vk"
)

// A recorder writes a row for each dispatch and transfer to the file SPVSIM_RECORD as it ends, so that the rows survive
// a crash of the application.
type recorder struct {
	file   *os.File
	csv    *csv.Writer
	number int
	levels []string // of the machines' memories, each name once
}

// newRecorder opens the file, to which all devices of a program append; it writes the header if the file is empty. nil:
// SPVSIM_RECORD is unset. The header has the levels of all the instance's devices.
func newRecorder(in *instance) *recorder {
	path := os.Getenv("SPVSIM_RECORD")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		fail(vk.ErrorInitializationFailed, "SPVSIM_RECORD: %v", err)
	}
	r := &recorder{file: f, csv: csv.NewWriter(f), levels: in.levels()}
	if at, err := f.Seek(0, 2); err == nil && at == 0 {
		_ = r.csv.Write(r.header()) // an error recurs with the first row
		r.csv.Flush()
	}
	return r
}

// close closes the file: each row was flushed when it was written.
func (r *recorder) close() {
	if r != nil {
		_ = r.file.Close()
	}
}

// A row describes one piece of work.
type row struct {
	kind, name, entry, module string
	pipeline                  string // the name without labels; for a transfer, its kind
	groups                    [3]uint32
	beginCycle                uint64 // cycle of its enqueue
	bytes                     uint64 // of transfers
	counts                    account.Counts
	packet, busy              uint64 // cycle at which its packet became the first of its queue; cycles since its first workgroup
	overlap                   uint64 // number of its group of concurrent launches; 0: none
	concurrent                bool   // it is one of such a group: memory and slots are only counted for the whole group
	captured                  string // file of the job; empty: not captured
	host                      time.Duration
}

func (r *recorder) header() []string {
	list := []string{"number", "process", "device", "machine", "clock_mhz", "queue", "kind", "name", "pipeline", "entry", "module", "groups_x", "groups_y", "groups_z",
		"packet_cycle", "begin_cycle", "cycles", "busy_cycles", "overlap", "microseconds", "timed_share", "estimated_cycles", "interval_cycles", "confidence",
		"workgroups", "waves", "instructions", "occupancy", "transfer_bytes"}
	for _, name := range account.ReasonNames() {
		list = append(list, "slot_cycles_"+name)
	}
	for _, c := range r.counts(&account.Counts{}) {
		list = append(list, c.Name)
	}
	return append(list, "captured", "host_seconds")
}

// A counted is a column of counts.
type counted struct {
	account.Count
	shared bool // counted only for launches that ran together: a concurrent launch has no value of its own
}

// counts lists the counts of the LDS, the memory levels and a graph's queue, each in a column that begins with the
// part's name; a part that the machine lacks has zeros.
func (r *recorder) counts(c *account.Counts) (list []counted) {
	of := func(part string, counts any, shared bool) {
		for _, n := range account.ListCounts(counts) {
			n.Name = part + "_" + n.Name
			list = append(list, counted{n, shared})
		}
	}
	of("lds", c.LDS, false)
	list = append(list, counted{account.Count{Name: "out_of_bounds", Value: c.OutOfBounds}, false},
		counted{account.Count{Name: "memory_lanes", Value: memoryLanes(c)}, false}, counted{account.Count{Name: "scratch_lanes", Value: c.Lanes.ByClass[isa.ClassScratch]}, false})
	for _, name := range r.levels {
		l := account.LevelCounts{}
		if i := slices.IndexFunc(c.Memory, func(l account.LevelCounts) bool { return l.Name == name }); i >= 0 {
			l = c.Memory[i]
		}
		of(name, l, true)
	}
	queue := account.QueueCounts{}
	if c.Graph != nil {
		queue = c.Graph.Queue
	}
	of("queue", queue, false)
	return list
}

func (r *recorder) write(d *logicalDevice, q *queue, w *row) error {
	r.number++
	m, c := d.physical.machine, &w.counts
	list := []string{strconv.Itoa(r.number), strconv.Itoa(os.Getpid()), strconv.Itoa(d.number), m.Name, strconv.Itoa(m.ClockMHz), q.name(),
		w.kind, w.name, w.pipeline, w.entry, w.module}
	number := func(v uint64) { list = append(list, strconv.FormatUint(v, 10)) }
	real := func(v float64) { list = append(list, strconv.FormatFloat(v, 'g', 8, 64)) }
	for _, n := range w.groups {
		number(uint64(n))
	}
	for _, n := range []uint64{w.packet, w.beginCycle, c.Cycles, w.busy, w.overlap} {
		number(n)
	}
	real(float64(c.Cycles) / float64(m.ClockMHz))
	list = append(list, estimateCells(c)...)
	own := *c
	if w.kind == "overlap" {
		own.Workgroups, own.Waves, own.ByClass = 0, 0, account.Counts{}.ByClass // the launches have them
	}
	number(own.Workgroups)
	number(own.Waves)
	number(own.Instructions())
	real(c.Occupancy())
	number(w.bytes)
	shared := func(v uint64) {
		if w.concurrent {
			list = append(list, "")
		} else {
			number(v)
		}
	}
	for _, n := range c.Slots {
		shared(n)
	}
	for _, n := range r.counts(c) {
		if n.shared {
			shared(n.Value)
		} else {
			number(n.Value)
		}
	}
	list = append(list, w.captured)
	real(w.host.Seconds())
	if err := r.csv.Write(list); err != nil {
		return err
	}
	r.csv.Flush()
	return r.csv.Error()
}

// memoryLanes are the active lanes of instructions that read or write memory, private memory among it.
func memoryLanes(c *account.Counts) (sum uint64) {
	for _, class := range []isa.Class{isa.ClassVMEM, isa.ClassVMEMStore, isa.ClassVMEMAtomic, isa.ClassImage, isa.ClassScratch} {
		sum += c.Lanes.ByClass[class]
	}
	return sum
}

// estimateCells writes the timed share of the cycles, the estimate, and its confidence interval, which is empty without
// an estimate.
func estimateCells(c *account.Counts) []string {
	real := func(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }
	if c.Estimate == nil {
		return []string{real(c.TimedShare()), "0", "", ""}
	}
	return []string{real(c.TimedShare()), strconv.FormatUint(c.Estimate.Cycles, 10), real(c.Estimate.Half), real(account.Confidence)}
}

// record counts work for queries and writes a row, if recording is enabled. A file that can't be written is reported
// once.
func (d *logicalDevice) record(x *executor, w *row) {
	d.clock.Store(d.gpu.Cycle())
	if w.overlap == 0 {
		w.packet = w.beginCycle
	}
	if d.byClock {
		state.Lock()
		changed.Broadcast()
		state.Unlock()
	}
	x.count(&w.counts)
	if w.kind != "overlap" {
		d.progress.dispatchEnded()
	}
	if !w.concurrent {
		d.observers.profile.count(w)
	}
	if d.records == nil {
		return
	}
	if err := d.records.write(d, x.queue, w); err != nil {
		fmt.Fprintf(os.Stderr, "spvsim: SPVSIM_RECORD: %v: nothing more is recorded\n", err)
		d.records = nil
	}
}
