// Package functional executes launches without time: the same lowered programs
// on the same memory as the timed machine, with the same values, as fast as the
// host can. It counts instructions and bytes.
//
//	functional  what runs, how, and what it came to
//	code        a program cut into stretches that run without looking around
//	fills       loads of workgroups' memory that give all lanes the same
//	group       a workgroup and its waves; wave: a wave's loop
//	worker      a goroutine that carries workgroups out
//
// The waves of a workgroup take turns; one goes on until it ends, waits at a
// barrier, polls memory without success, or has had its share of instructions. A worker
// carries one workgroup out after the other. Workgroups that get nowhere are set
// aside while others go on, so that shaders which wait for other workgroups
// come to their end.
//
// The package does not know machines, jobs or execution graphs: who runs a graph
// hands workgroups and the meaning of payload operations in.
package functional

import (
	"context"
	"errors"
	"math"
	"runtime"

	"spvsim/account"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/mem/hierarchy"
	"spvsim/program"
	"spvsim/simd"
)

// ErrNoGraph reports a payload operation outside of an execution graph.
var ErrNoGraph = errors.New("functional: a shader uses payloads, but no execution graph runs")

// A Kernel is what workgroups run, and on what.
type Kernel struct {
	Program  *program.Program
	Bindings *mem.Bindings
	// Scratch gives the private memory of waves addresses, for caches that are
	// warmed; nil: it has none.
	Scratch []mem.Scratch
}

// A Grid is a launch of a kernel: the workgroups from First to End, in the order
// of x, y and z; End 0 is all of them.
type Grid struct {
	*Kernel
	Groups     [3]uint32
	First, End uint64
	Base       [3]uint32       // added to the ids of workgroups
	Fragments  []isa.Fragments // the quads of a draw, by workgroup: each is one wave
}

// A Workgroup is one that is to run.
type Workgroup struct {
	Index     uint64
	ID, Count [3]uint32
	Node      simd.Node
	Fragments *isa.Fragments // nil outside of draws
}

// WorkSource is where workgroups come from. All methods may be called from several
// goroutines.
type WorkSource interface {
	// Next is the next workgroup. Without one, later says that there may be one
	// when another has ended. nothingElse: those that run get nowhere.
	Next(nothingElse bool) (k *Kernel, wg Workgroup, found, later bool)
	Ended(wg *Workgroup)
}

// Payloads carries out what shaders do with the payloads of an execution graph.
type Payloads interface {
	Do(group uint64, st *isa.State, pc int, in *isa.Inst)
	// Check looks at an access to payload memory, and says whether it may be.
	Check(group uint64, st *isa.State, pc int, in *isa.Inst) bool
	// Err is what a shader did that it must not.
	Err() error
}

// Options say how to run.
type Options struct {
	// Threads is how many workers run at once; 0: one for each processor. With
	// one, the order of everything is the same every time.
	Threads int
	// Resident is how many workgroups may be begun at once, as on a machine that
	// holds so many; 0: defaultResident.
	Resident int
	// Cache keeps what runs have in common; nil: nothing is kept.
	Cache    *Cache
	Payloads Payloads // nil outside of an execution graph
	// Print shows a DebugPrint, one at a time; nil: none.
	Print func(at uint64, p *program.Program, st *isa.State, in *isa.Inst)
	// Poll is called now and then, one call at a time; an error ends the run.
	Poll func(Progress) error
	// Warm is a hierarchy whose lines are brought in, for which there must be one
	// thread; Unit says which compute unit a workgroup is of.
	Warm *hierarchy.Analytic
	Unit func(wg *Workgroup) int
	// LDS says how long accesses to workgroups' memory take; nil: that is not counted. There must be one thread.
	LDS *lds.LDS
	// Clock is what shaders read as time: Start plus the instructions of the
	// worker; ClockMHz turns it to nanoseconds, and ClockBits is its width.
	Clock     uint64
	ClockMHz  int
	ClockBits int
}

// defaultResident is how many workgroups a large machine holds.
const defaultResident = 4096

// Progress reports how far a run has come.
type Progress struct {
	Instructions, Ended, Running uint64
}

// Issued is what is counted of an instruction: how often it was executed, and the lanes that were not active in all.
type Issued = isa.Issued

// Counts is what a run did.
type Counts struct {
	Instructions [isa.NumClasses]uint64 // by class
	Lanes        account.LaneCounts
	Workgroups   uint64
	Waves        uint64
	LongestWave  uint64 // instructions of the wave that has most
	// MovedBytes are the bytes of device memory that lanes moved: read, written, and
	// updated by atomics; LDS are those of workgroups' memory.
	MovedBytes [hierarchy.Atomic + 1]uint64
	LDS        uint64
	// LDSUnit are the cycles that accesses take of the bandwidth of workgroups' memory, if Options.LDS counts them.
	LDSUnit uint64
	// LDSAccesses are wave accesses, and LDSFaults those out of bounds; the first few.
	LDSAccesses, LDSFaults uint64
	Faults                 []lds.Fault
	// Issues are what is counted of each instruction of a program.
	Issues map[*program.Program][]Issued
}

// Total is the number of instructions.
func (c *Counts) Total() (n uint64) {
	for _, k := range c.Instructions {
		n += k
	}
	return n
}

// Run executes a launch. With a cache, its counts are those of this run until the next one with that cache.
func Run(ctx context.Context, store *mem.Store, g *Grid, o Options) (*Counts, error) {
	w := newGrid(g)
	return runWork(ctx, store, w, w.end-min(g.First, w.end), o)
}

// RunWork executes workgroups until there are no more; its counts are as Run's.
func RunWork(ctx context.Context, store *mem.Store, w WorkSource, o Options) (*Counts, error) {
	return runWork(ctx, store, w, math.MaxUint64, o)
}

func runWork(ctx context.Context, store *mem.Store, w WorkSource, most uint64, o Options) (*Counts, error) {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Resident <= 0 {
		o.Resident = defaultResident
	}
	if o.Warm != nil || o.LDS != nil {
		o.Threads = 1 // they are of one goroutine
	}
	return newRun(ctx, store, w, most, o).runWorkers()
}
