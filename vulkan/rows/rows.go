// Package rows reads the rows that the Vulkan driver recorded for a program's dispatches, graphs and transfers, and
// shows them: added up by name and pipeline, as a page, as a trace with a track for each queue, and as Parquet.
//
// The package knows neither how the work ran nor who recorded it.
package rows

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"spvsim/account"
	"spvsim/internal/files"
)

// A Row is one piece of work.
type Row struct {
	Process, Device, Number uint64 // of work: the process, its device, and the work among that device's
	Machine                 string
	ClockMHz                float64
	Queue                   string
	Kind                    string // dispatch, graph, transfer, or overlap: a group of concurrent launches
	Name                    string // of the pipeline after its labels
	Pipeline                string
	Entry, Module           string
	Groups                  [3]uint64
	Packet, Begin, Cycles   uint64 // cycle in which its packet became the first of its queue; and in which its dependences had completed
	Busy                    uint64 // cycles from its first workgroup on
	Overlap                 uint64 // number of its group of concurrent launches; 0: none
	Microseconds            float64
	TimedShare              float64 // of its instructions
	Estimated               uint64  // of its cycles
	Half                    float64 // half the width of the interval around its cycles
	Workgroups, Waves       uint64
	Instructions            uint64
	TransferBytes           uint64
	Slots                   account.SlotCycles
	LDSPasses, LDSConflicts uint64
	OutOfBounds             uint64
	MemoryLanes             uint64   // active lanes of instructions that read or write memory
	ScratchLanes            uint64   // of them, private memory
	Levels                  []uint64 // bytes, by level of the file
	Captured                string
	HostSeconds             float64
}

// A File is the rows of a file, and the levels of memory that they have.
type File struct {
	Name   string
	Levels []string
	Rows   []Row
	table
}

// ErrRows means that a file does not have rows.
var ErrRows = errors.New("rows of a program")

// HasDevice reports whether the program created a device: then the file has a header.
func (f *File) HasDevice() bool { return f.header != nil }

// Dispatched reports whether any dispatch or graph ran.
func (f *File) Dispatched() bool {
	return slices.ContainsFunc(f.Rows, func(r Row) bool { return r.Kind == "dispatch" || r.Kind == "graph" })
}

// A Source is a device of a process.
type Source struct{ Process, Device uint64 }

// Timed returns the devices with timed work, in the order of the rows.
func (f *File) Timed() (list []Source) {
	for i := range f.Rows {
		r := &f.Rows[i]
		if s := (Source{r.Process, r.Device}); r.Cycles > 0 && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// needed are the required columns.
var needed = []string{"kind", "name", "pipeline", "begin_cycle", "cycles", "microseconds"}

// kinds of work.
var kinds = []string{"dispatch", "graph", "transfer", overlap}

// overlap is the kind of the rows for groups of concurrent launches, which have their total time, memory and slots.
const overlap = "overlap"

// isConcurrent reports whether the row's time is included in a row of the kind overlap.
func (r *Row) isConcurrent() bool { return r.Overlap > 0 && r.Kind != overlap }

// Read reads rows as CSV or, if the file's name ends in .parquet, as Parquet. A file that does not exist, or is empty,
// has no rows: nothing ran. The last row of a killed program may be truncated, and is skipped.
func Read(path string) (*File, error) {
	data, err := files.Read(path, files.MaxRows)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return &File{Name: path}, nil
	}
	if err != nil {
		return nil, err
	}
	f := &File{Name: path}
	if strings.HasSuffix(path, ".parquet") {
		f.table, err = parquetTable(path, data)
	} else {
		f.table = csvTable(data)
	}
	if err != nil {
		return nil, err
	}
	return f, f.read()
}

func (f *File) read() error {
	for _, name := range needed {
		if !slices.Contains(f.header, name) {
			return fmt.Errorf("%s: %w: no column %s: want a file that spvsim app --rows wrote", f.Name, ErrRows, name)
		}
	}
	for _, name := range f.header {
		if level, ok := strings.CutSuffix(name, "_hits"); ok {
			f.Levels = append(f.Levels, level)
		}
	}
	f.Rows = make([]Row, len(f.lines))
	for i, line := range f.lines {
		c := &cells{header: f.header, line: line}
		f.Rows[i].read(c, f.Levels)
		if c.err != nil {
			return fmt.Errorf("%s: row %d: %w: %w", f.Name, i+1, ErrRows, c.err)
		}
	}
	return nil
}

// cells are the cells of one row; err is the error of its first invalid number.
type cells struct {
	header, line []string
	err          error
}

func (c *cells) text(name string) string {
	if i := slices.Index(c.header, name); i >= 0 {
		return c.line[i]
	}
	return ""
}

// real parses a nonnegative number; a missing one is 0.
func (c *cells) real(name string) float64 {
	text := c.text(name)
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		c.err = cmp.Or(c.err, fmt.Errorf("%s: found %q: want a number from 0 on", name, text))
		return 0
	}
	return v
}

// count parses a nonnegative integer; a missing one is 0.
func (c *cells) count(name string) uint64 {
	v := c.real(name)
	if v != math.Trunc(v) || v >= 1<<63 {
		c.err = cmp.Or(c.err, fmt.Errorf("%s: found %q: want a whole number", name, c.text(name)))
		return 0
	}
	return uint64(v)
}

func (r *Row) read(c *cells, levels []string) {
	*r = Row{
		Process: c.count("process"), Device: c.count("device"), Number: c.count("number"), Machine: c.text("machine"), ClockMHz: c.real("clock_mhz"), Queue: c.text("queue"),
		Kind: c.text("kind"), Name: c.text("name"), Pipeline: c.text("pipeline"), Entry: c.text("entry"), Module: c.text("module"),
		Packet: c.count("packet_cycle"), Begin: c.count("begin_cycle"), Cycles: c.count("cycles"), Busy: c.count("busy_cycles"), Overlap: c.count("overlap"), Microseconds: c.real("microseconds"),
		TimedShare: c.real("timed_share"), Estimated: c.count("estimated_cycles"), Half: c.real("interval_cycles"),
		Workgroups: c.count("workgroups"), Waves: c.count("waves"), Instructions: c.count("instructions"), TransferBytes: c.count("transfer_bytes"),
		LDSPasses: c.count("lds_passes"), LDSConflicts: c.count("lds_conflict_passes"), OutOfBounds: c.count("out_of_bounds"),
		MemoryLanes: c.count("memory_lanes"), ScratchLanes: c.count("scratch_lanes"),
		Captured: c.text("captured"), HostSeconds: c.real("host_seconds"),
	}
	for i, axis := range []string{"x", "y", "z"} {
		r.Groups[i] = c.count("groups_" + axis)
	}
	for i, name := range account.ReasonNames() {
		r.Slots[i] = c.count("slot_cycles_" + name)
	}
	for _, name := range levels {
		r.Levels = append(r.Levels, c.count(name+"_bytes"))
	}
	if !slices.Contains(kinds, r.Kind) {
		c.err = cmp.Or(c.err, fmt.Errorf("kind: found %q: want one of %s", r.Kind, strings.Join(kinds, ", ")))
	}
}
