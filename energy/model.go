// Package energy computes joules from the counts of the machine: by part, by program and by instruction of a
// listing. It multiplies counts with the machine's table of energies, and cycles with the watts of its parts.
//
//	spec   the table: keys, units and ranges
//	parts  where energy goes
//	model  counts to joules; program: those of one program's instructions
//
// The package counts nothing itself, and knows no temperature. The table is of one clock of the core, from which a curve
// of voltages leads to others.
package energy

import (
	"math"
	"reflect"
	"sync"

	"spvsim/account"
	"spvsim/internal/spec"
	"spvsim/isa"
)

const (
	pico       = 1e-12
	tableDepth = 1024 // of the queue that the table's entries refer to
)

// A Plant holds the parameters of a machine's energy besides its table.
type Plant struct {
	ClockMHz       int
	Units, Engines int
	Queue          string // kind of scheduler
	Queues         int
	Depth, Ports   int // of each queue
}

// A Model computes the energies of one machine.
type Model struct {
	Table *Table
	plant Plant
	// Factors from the table's clock to the machine's, of the core's voltage and of its clock.
	volts, pace float64

	class  [isa.NumClasses]float64
	levels map[string]levelEnergy
	longer float64 // share by which times are longer than their cycles at the machine's clock
}

// Stretched returns a model in which all takes a multiple of the time: the same work, measured at another speed.
func (m *Model) Stretched(factor float64) *Model {
	out := *m
	out.longer = (1+m.longer)*factor - 1
	return &out
}

// A levelEnergy is the part and the costs, in joules, of accesses to a memory level.
type levelEnergy struct {
	part               Part
	access, byte, link float64
}

// entryBytes is the size of an enqueued entry: a payload's address, its node and its size. A guess.
const entryBytes = 16

// New returns the model of a machine from a checked table.
func New(s *Table, p Plant) *Model {
	m := &Model{Table: s, plant: p, volts: 1, pace: 1}
	if v := &s.Voltage; v.Table > 0 {
		m.volts, m.pace = v.At(float64(p.ClockMHz))/v.At(v.Table), float64(p.ClockMHz)/v.Table
	}
	ops := reflect.ValueOf(&s.Operations).Elem()
	for _, f := range spec.Fields(ops.Type()) {
		for c, name := range isa.ClassNames {
			if name == f.Name {
				m.class[c] = m.logic(ops.FieldByIndex(f.Index).Float())
			}
		}
	}
	m.levels = map[string]levelEnergy{
		"vector_l1": m.cache(VectorL1, &s.VectorL1), "scalar_l1": m.cache(ScalarL1, &s.ScalarL1), "shader_array": m.cache(ShaderArray, &s.Array),
		"l2":          m.cache(L2, &s.L2),
		"memory_side": {MemorySide, m.fabric(s.MemorySide.Access), m.fabric(s.MemorySide.Byte), m.fabric(s.Links.of(s.MemorySide.Link))},
		"payloads":    {Payloads, m.logic(s.Queue.Access), m.logic(s.Queue.Byte), m.link(s.Queue.Link)},
	}
	return m
}

// HasTable reports whether the machine has a table of energies.
func (m *Model) HasTable() bool { return m != nil && !reflect.DeepEqual(*m.Table, noTable()) }

// noTable returns the table of a machine file without energies.
var noTable = sync.OnceValue(func() (s Table) {
	all := spec.Field{}
	all.SetDefault(reflect.ValueOf(&s).Elem())
	return s
})

// logic is an energy of the core at the table's clock and process, on this product at the machine's clock, in joules.
func (m *Model) logic(pj float64) float64 { return m.fabric(pj) * m.volts * m.volts }

// fabric is an energy between the core and memory, whose voltage does not follow the core's clock, in joules.
func (m *Model) fabric(pj float64) float64 { return pj * m.Table.Scale * pico }

func (m *Model) cache(p Part, c *CacheEnergy) levelEnergy {
	return levelEnergy{p, m.logic(c.Access), m.logic(c.Byte), m.link(c.Link)}
}

// link is a byte's way to a part of the core, in joules.
func (m *Model) link(distance string) float64 { return m.logic(m.Table.Links.of(distance)) }

// of is a byte's way over a distance, in the table's picojoules.
func (l *LinksEnergy) of(distance string) float64 {
	return map[string]float64{"unit": l.Unit, "engine": l.Engine, "chip": l.Chip, "package": l.Package}[distance]
}

// Watts returns the mean power of an energy over some cycles; 0 without cycles.
func (m *Model) Watts(joules float64, cycles uint64) float64 {
	if cycles == 0 {
		return 0
	}
	return joules / m.Seconds(cycles)
}

func (m *Model) Seconds(cycles uint64) float64 {
	return float64(cycles) / (float64(m.plant.ClockMHz) * 1e6) * (1 + m.longer)
}

// Compute is the energy of a launch or a step.
func (m *Model) Compute(c *account.Counts) *Energy {
	e := &Energy{}
	m.instructions(e, c)
	m.local(e, float64(c.Lanes.Local), float64(c.LDS.Passes))
	for i := range c.Memory {
		m.addLevel(e, &c.Memory[i])
	}
	m.transfers(e, c.Transferred)
	m.copies(e, c.ToDevice, c.FromDevice)
	m.addDispatch(e, c)
	if !c.Untimed() {
		m.constant(e, c)
	}
	m.loss(e)
	if c.Estimate != nil {
		e.Half = c.Estimate.JoulesHalf
	}
	return e
}

// loss adds the losses of the voltage regulators, a share of all other energy.
func (m *Model) loss(e *Energy) { e.Joules[Supply] = e.Total() * (1/m.Table.Supply - 1) }

// instructions adds the energy of issue and computation.
func (m *Model) instructions(e *Energy, c *account.Counts) {
	for class, n := range c.ByClass {
		m.issued(e, isa.Class(class), n, c.Lanes.ByClass[class])
	}
	m.registers(e, c.Lanes.Reads, c.Lanes.Writes)
	e.Joules[Vector] += float64(c.Lanes.Updates) * m.logic(m.Table.Operations.Atomic)
}

// issued adds instructions of a class and their lanes, or their multiply-adds.
func (m *Model) issued(e *Energy, class isa.Class, n, lanes uint64) {
	e.Joules[Fetch] += float64(n) * m.logic(m.Table.Issue.Fetch+m.Table.Issue.Issue)
	switch {
	case class.Matrix():
		e.Joules[Matrix] += float64(lanes) * m.class[class]
	case perInstruction(class):
		e.Joules[Scalar] += float64(n) * m.class[class]
	default:
		e.Joules[Vector] += float64(lanes) * m.class[class]
	}
}

// perInstruction reports whether a class's energy is per instruction, not per lane.
func perInstruction(c isa.Class) bool {
	switch c {
	case isa.ClassReadLane, isa.ClassWriteLane, isa.ClassSALU, isa.ClassSMEM, isa.ClassBranch, isa.ClassBranchTaken, isa.ClassBarrier,
		isa.ClassWaitcnt, isa.ClassClock, isa.ClassMessage, isa.ClassEnd, isa.ClassNone:
		return true
	}
	return false
}

func (m *Model) registers(e *Energy, reads, writes uint64) {
	r := &m.Table.Registers
	e.Joules[Registers] += float64(reads)*m.logic(r.Read) + float64(writes)*m.logic(r.Write)
}

func (m *Model) local(e *Energy, words, passes float64) {
	e.Joules[LDS] += words*m.logic(m.Table.LDS.Word) + passes*m.logic(m.Table.LDS.Pass)
}

// addLevel adds the traffic of a level of memory.
func (m *Model) addLevel(e *Energy, l *account.LevelCounts) {
	if l.Name == "memory" {
		m.memory(e, l)
		return
	}
	of := m.levels[l.Name]
	e.Joules[of.part] += (float64(l.Accesses)*of.access + float64(l.Bytes)*of.byte)
	e.Joules[Links] += float64(l.Bytes) * of.link
}

// memory adds the traffic of device memory. Channels without banks count no row misses: they activate a row per so many
// bytes.
func (m *Model) memory(e *Energy, l *account.LevelCounts) {
	t := &m.Table.Memory
	rows := float64(l.Misses)
	if l.Misses == 0 {
		rows = float64(l.Bytes) / t.ActivateBytes
	}
	read := float64(l.Bytes - min(l.Written, l.Bytes))
	e.Joules[Memory] += pico * (rows*t.Activate + read*t.Read + float64(l.Written)*t.Write)
	e.Joules[Links] += float64(l.Bytes) * m.fabric(m.Table.Links.of(t.Link))
}

// transfers adds bytes that transfers read and wrote, half of each, past the caches.
func (m *Model) transfers(e *Energy, bytes uint64) {
	m.memory(e, &account.LevelCounts{Bytes: bytes, Written: bytes / 2})
}

// copies adds the bytes copied from the host and to it, which bypass the caches.
func (m *Model) copies(e *Energy, in, out uint64) {
	m.memory(e, &account.LevelCounts{Bytes: in + out, Written: in})
	e.Joules[Links] += float64(in+out) * m.Table.Links.Host * pico
}

// addDispatch adds the starts of workgroups, and the operations of a graph's queue.
func (m *Model) addDispatch(e *Energy, c *account.Counts) {
	d, q := &m.Table.Dispatch, &m.Table.Queue
	e.Joules[Dispatch] += float64(c.Workgroups)*m.logic(d.Workgroup) + float64(c.Waves)*m.logic(d.Wave)
	if c.Graph == nil {
		return
	}
	launches := 0.0
	for i := range c.Graph.Nodes {
		launches += float64(c.Graph.Nodes[i].Payloads)
	}
	switch m.plant.Queue {
	case "hardware":
		entries := float64(c.Graph.Queue.Enqueued + c.Graph.Queue.Allocated + c.Graph.Queue.Spills + c.Graph.Queue.Refills)
		e.Joules[Queue] += (entries+launches)*m.logic(m.entry()) + launches*m.logic(q.Launch)
		e.Joules[Links] += float64(c.Graph.Queue.Enqueued) * entryBytes * m.link(q.Link)
	case "firmware", "lists", "generated":
		e.Joules[Queue] += launches * m.logic(q.Core)
		e.Joules[Links] += float64(c.Graph.Queue.Enqueued) * entryBytes * m.link(q.Link)
	}
}

// ports returns the factor of a cell with several ports over one with a single port.
func (m *Model) ports() float64 { return 1 + m.Table.Queue.Port*float64(max(m.plant.Ports, 1)-1) }

// entry returns the energy of an access to an entry of this machine's queue, in the table's picojoules.
func (m *Model) entry() float64 {
	q := &m.Table.Queue
	return q.Entry * math.Pow(float64(max(m.plant.Depth, 1))/tableDepth, q.DepthPower) * m.ports()
}

// constant adds the energy that parts consume as long as they are on.
func (m *Model) constant(e *Energy, c *account.Counts) {
	p := &m.Table.Power
	all := m.Seconds(c.Cycles)
	on := func(cycles uint64, of float64) float64 { return min(m.Seconds(cycles), all*of) }
	units, engines := float64(m.plant.Units), float64(m.plant.Engines)
	e.Joules[Units] += p.Unit.joules(on(c.On.Units, units), all*units, m.volts, m.volts*m.volts*m.pace)
	e.Joules[Engines] += p.Engine.joules(on(c.On.Engines, engines), all*engines, m.volts, m.volts*m.volts*m.pace)
	e.Joules[Chip] += p.Chip.joules(on(c.On.Chip, 1), all, 1, 1)
	e.Joules[Idle] += p.Memory.joules(on(c.On.Memory, 1), all, 1, 1) + m.Table.Memory.Refresh*all
	e.Joules[Board] += p.Board * all
	if c.Graph != nil && m.plant.Queue == "hardware" {
		q := &m.Table.Queue
		e.Joules[Queue] += q.Leakage * m.volts * float64(m.plant.Depth*m.plant.Queues) * m.ports() * all
	}
}

// joules returns the energy of a part over some seconds, in a part of which it is not gated, with factors of its leakage
// and of what its clock drives.
func (p *PartPower) joules(on, all, leakage, clock float64) float64 {
	return (p.Leakage*leakage + p.Clock*clock) * (on + (all-on)*p.Gated)
}

// GateCycles returns the time from the end of a part's work until it is gated.
func (p *PartPower) GateCycles(clockMHz int) uint64 { return uint64(p.Delay * float64(clockMHz)) }
