// Package functional executes launches without time: the same lowered programs
// on the same memory as the timed machine, with the same values, as fast as the
// host can. It counts instructions and bytes.
//
//	functional  launches, options and counts
//	code        programs cut into segments
//	fills       LDS loads that broadcast one value to all lanes
//	group       a workgroup and its waves; wave: the loop of a wave
//	worker      goroutines that execute workgroups
//
// The waves of a workgroup take turns. A turn ends when the wave ends, waits at a
// barrier, polls memory without success, or has executed instructionsPerTurn
// instructions. A worker executes its workgroups in turn. If none of them makes
// progress, it begins as many more, so that shaders that wait for other
// workgroups end.
//
// The package does not know machines, jobs or execution graphs: the runner of a
// graph passes in workgroups (WorkSource) and the payload operations (Payloads).
package functional

import (
	"context"
	"errors"
	"math"
	"runtime"

	"spvsim/account"
	"spvsim/check"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/mem/hierarchy"
	"spvsim/program"
	"spvsim/simd"
)

// ErrNoGraph reports a payload operation outside of an execution graph.
var ErrNoGraph = errors.New("functional: a shader uses payloads, but no execution graph runs")

// A Kernel is a program with its bindings.
type Kernel struct {
	Program  *program.Program
	Bindings *mem.Bindings
	// Scratch has the addresses of the waves' private memory, for warming of caches.
	// nil: there are none.
	Scratch []mem.Scratch
	// Check checks the accesses of workgroups; nil: nothing does.
	Check *check.LaunchCheck
}

// A Grid is a launch of a kernel: workgroups [First, End), in the order of x, y
// and z. End 0: up to the last one.
type Grid struct {
	*Kernel
	Groups     [3]uint32
	First, End uint64
	Base       [3]uint32       // added to the ids of workgroups
	Fragments  []isa.Fragments // quads of a draw, by workgroup; each is one wave
}

// A Workgroup identifies a workgroup to run.
type Workgroup struct {
	Index     uint64
	ID, Count [3]uint32
	Node      simd.Node
	Fragments *isa.Fragments // nil outside of draws
}

// WorkSource supplies workgroups. All methods may be called from several
// goroutines.
type WorkSource interface {
	// Next returns the next workgroup. If there is none, later reports whether one
	// may follow when another workgroup has ended. nothingElse: the running
	// workgroups make no progress.
	Next(nothingElse bool) (k *Kernel, wg Workgroup, found, later bool)
	WorkgroupEnded(wg *Workgroup)
}

// Payloads executes shaders' operations on the payloads of an execution graph.
type Payloads interface {
	Execute(group uint64, st *isa.State, pc int, in *isa.Inst)
	// Check looks at an access to payload memory: some lanes may be denied it; not ok: no lane makes it, and Err
	// says whether the run fails.
	Check(group uint64, st *isa.State, pc int, in *isa.Inst) (denied uint64, ok bool)
	// Err returns the first violation by a shader, or nil.
	Err() error
}

// Options configure a run.
type Options struct {
	// Threads is the number of concurrent workers; 0: one for each processor. With
	// one worker the order of execution is deterministic.
	Threads int
	// Resident is the maximum of resident workgroups, as of a machine of that size;
	// 0: defaultResident.
	Resident int
	// Beside is the number of workgroups that a worker executes in short turns, as far as Resident allows it; 0: one
	// after the other.
	Beside int
	// Cache keeps compiled programs and workers for the next run; nil: none.
	Cache    *Cache
	Payloads Payloads // nil outside of an execution graph
	// Checked: kernels have their accesses checked.
	Checked bool
	// Print is called for each DebugPrint, one call at a time; nil: not called.
	Print func(at uint64, p *program.Program, st *isa.State, in *isa.Inst)
	// Poll is called every pollInterval or later, one call at a time. An error ends
	// the run.
	Poll func(Progress) error
	// Warm is a hierarchy whose caches the accesses warm; it forces one thread. Unit
	// returns the compute unit of a workgroup.
	Warm *hierarchy.Analytic
	Unit func(wg *Workgroup) int
	// LDS computes the cycles of LDS accesses; it forces one thread. nil: they are
	// not counted.
	LDS *lds.LDS
	// Clock is the start value of the time that shaders read: Clock plus the
	// instructions that the worker has executed. ClockMHz converts it to
	// nanoseconds, and ClockBits is its width.
	Clock     uint64
	ClockMHz  int
	ClockBits int
}

// defaultResident is the number of workgroups that a large machine holds.
const defaultResident = 4096

// Progress has the counts of a run so far.
type Progress struct {
	Instructions, EndedWorkgroups, RunningWorkgroups uint64
}

// Issued counts an instruction: its executions, and their inactive lanes in total.
type Issued = isa.Issued

// Counts are the totals of a run.
type Counts struct {
	Instructions [isa.NumClasses]uint64 // by class
	Lanes        account.LaneCounts
	Workgroups   uint64
	Waves        uint64
	LongestWave  uint64 // most instructions of a wave
	// MovedBytes are the bytes of device memory that lanes accessed: read, written, and
	// updated by atomics. LDS are the bytes of LDS accesses.
	MovedBytes [hierarchy.Atomic + 1]uint64
	LDS        uint64
	// LDSUnit are the cycles for which accesses occupy the LDS, if Options.LDS counts them.
	LDSUnit uint64
	// LDSAccesses counts accesses of waves; LDSFaults, those out of bounds. Faults has the
	// first maxFaults of these.
	LDSAccesses, LDSFaults uint64
	Faults                 []lds.Fault
	// Issues counts the instructions of each program, by index.
	Issues map[*program.Program][]Issued
}

// Total returns the number of instructions.
func (c *Counts) Total() (n uint64) {
	for _, k := range c.Instructions {
		n += k
	}
	return n
}

// Run executes a launch. With Options.Cache, the next run with that cache overwrites the counts.
func Run(ctx context.Context, store *mem.Store, g *Grid, o Options) (*Counts, error) {
	w := newGrid(g)
	return runWork(ctx, store, w, w.end-min(g.First, w.end), o)
}

// RunWork executes workgroups until the source has no more. Its counts are valid as long as Run's.
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
		o.Threads = 1 // both are used by one goroutine
	}
	return newRun(ctx, store, w, most, o).runWorkers()
}
