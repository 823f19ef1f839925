package profile

import (
	"slices"

	"spvsim/account"
	"spvsim/program"
	"spvsim/tracing/probe"
)

// Maps are counts of the machine's parts and of the programs' instructions over time, in fewer bins than the series has.
type Maps struct {
	BinCycles uint64       `json:"bin_cycles"`
	Units     []UnitCounts `json:"units"` // by compute unit of the machine
	Levels    []LevelParts `json:"levels"`
	Programs  []ProgramMap `json:"programs"`
}

// UnitCounts are what a compute unit did, over the run and over time.
type UnitCounts struct {
	Waves        uint64       `json:"waves"`
	Instructions uint64       `json:"instructions"`
	Lanes        uint64       `json:"lanes"` // active lanes over all instructions
	Accesses     uint64       `json:"accesses"`
	Lines        uint64       `json:"lines"` // of those accesses
	Bytes        uint64       `json:"bytes"` // that lanes moved
	LDSPasses    uint64       `json:"lds_passes"`
	Conflicts    uint64       `json:"conflict_passes"`
	SIMDs        []SIMDCounts `json:"simds"`
	Busy         []uint64     `json:"busy"`   // by bin: cycles of wave slots that were taken
	Issued       []uint64     `json:"issued"` // by bin: instructions
}

// A mapRow has a count for each bin.
type mapRow [mapBins]uint64

// SIMDCounts are what a SIMD did over the run.
type SIMDCounts struct {
	Waves        uint64 `json:"waves"`
	Instructions uint64 `json:"instructions"`
	Lanes        uint64 `json:"lanes"`
}

// LevelParts are the counts of the parts of a level: slices of a cache's instances, or channels of memory.
type LevelParts struct {
	Name  string               `json:"name"`
	Parts []account.PartCounts `json:"parts"`
	Over  [][]uint64           `json:"bytes"` // by part, then by bin: bytes
}

// A ProgramMap has the issues of a program's instructions over time.
type ProgramMap struct {
	Name   string     `json:"name"`
	Joined int        `json:"joined"` // instructions of a row
	Issues [][]uint64 `json:"issues"` // by row, then by bin
}

const (
	mapBins = 128
	// mapRows bounds the rows of a program, and mapPrograms the programs with a map.
	mapRows     = 128
	mapPrograms = 16
)

// maps accumulates Maps.
type maps struct {
	Maps
	shift     uint      // log2 of BinCycles
	rows      []*mapRow // of all counts over time
	units     []unitRows
	over      [][]*mapRow        // of Levels: bytes, by part
	programs  []*program.Program // of Programs
	issues    [][]*mapRow        // of Programs, by row
	bytes     [][]uint64         // of each part of each level, at the last sample
	collector *Collector         // whose slots have bins; nil: none
}

// unitRows are the counts of a unit over time: Busy and Issued.
type unitRows struct{ busy, issued *mapRow }

func (m *maps) newRows(n int) []*mapRow {
	list := make([]*mapRow, n)
	for i := range list {
		list[i] = new(mapRow)
	}
	m.rows = append(m.rows, list...)
	return list
}

// begin makes the rows of a machine's units.
func (m *maps) begin(g *probe.Geometry) {
	*m = maps{Maps: Maps{BinCycles: 1, Units: make([]UnitCounts, g.Engines*g.Units)}, units: make([]unitRows, g.Engines*g.Units)}
	for i := range m.Units {
		m.Units[i].SIMDs = make([]SIMDCounts, g.SIMDs)
		rows := m.newRows(2)
		m.units[i] = unitRows{busy: rows[0], issued: rows[1]}
	}
}

// bin returns the bin of a cycle. It joins bins until they reach the cycle.
func (m *maps) bin(cycle uint64) int {
	for cycle>>(m.shift&63) >= mapBins {
		if m.collector != nil {
			m.collector.closeBins()
		}
		for _, row := range m.rows {
			joinPairs(row[:])
		}
		m.BinCycles *= 2
		m.shift++
	}
	return int(cycle >> (m.shift & 63))
}

// span adds the cycles from one to another to a row.
func (m *maps) span(row *mapRow, from, to uint64) {
	if from >= to {
		return
	}
	last := m.bin(to - 1)
	if first := int(from >> (m.shift & 63)); first == last {
		row[last] += to - from
		return
	}
	for i := int(from >> (m.shift & 63)); i <= last; i++ {
		end := min(to, uint64(i+1)<<(m.shift&63))
		row[i] += end - from
		from = end
	}
}

// spread adds an amount evenly to the bins from one cycle to another.
func (m *maps) spread(row *mapRow, from, to, n uint64) {
	if n == 0 {
		return
	}
	last := m.bin(max(to, from+1) - 1)
	first := int(from >> (m.shift & 63))
	if first == last {
		row[last] += n
		return
	}
	length, given := to-from, uint64(0)
	for i := first; i <= last; i++ {
		until := min(to, uint64(i+1)<<(m.shift&63)) - from
		share := n/length*until + n%length*until/length
		row[i] += share - given
		given = share
	}
}

// ofProgram returns the counters of a program's instructions.
func (m *maps) ofProgram(p *program.Program) []pcCounter {
	rows, joined := []*mapRow{new(mapRow)}, len(p.Insts) // of too many programs: not shown
	i := slices.Index(m.programs, p)
	if i < 0 && len(m.programs) < mapPrograms {
		i = len(m.programs)
		k := ProgramMap{Name: p.Name, Joined: max((len(p.Insts)+mapRows-1)/mapRows, 1)}
		m.Programs, m.programs, m.issues = append(m.Programs, k), append(m.programs, p), append(m.issues, m.newRows((len(p.Insts)+k.Joined-1)/k.Joined))
	}
	if i >= 0 {
		rows, joined = m.issues[i], m.Programs[i].Joined
	}
	list := make([]pcCounter, len(p.Insts))
	for pc := range list {
		list[pc] = pcCounter{rows[pc/joined], operations(&p.Insts[pc])}
	}
	return list
}

// sample adds what the parts of the levels moved since the last sample.
func (m *maps) sample(from, to uint64, levels []account.LevelCounts, parts [][]account.PartCounts) {
	if m.Levels == nil {
		for i, list := range parts {
			m.Levels, m.over, m.bytes = append(m.Levels, LevelParts{Name: levels[i].Name}), append(m.over, m.newRows(len(list))), append(m.bytes, make([]uint64, len(list)))
		}
	}
	for i, list := range parts {
		before, over := m.bytes[i][:len(list)], m.over[i][:len(list)]
		for k := range list {
			if n := list[k].Bytes; n != before[k] {
				m.spread(over[k], from, to, n-before[k])
				before[k] = n
			}
		}
		m.Levels[i].Parts = append(m.Levels[i].Parts[:0], list...)
	}
}

// add adds accesses to memory.
func (u *UnitCounts) add(n *account.AccessCounts) {
	u.Accesses += n.Accesses
	u.Lines += n.Lines
	u.Bytes += n.Bytes
}

// result returns the maps of a run of so many cycles, which do not change with these.
func (m *maps) result(cycles uint64) *Maps {
	out := m.Maps
	n := int((cycles + m.BinCycles - 1) / m.BinCycles)
	trim := func(row *mapRow) []uint64 { return slices.Clone(row[:min(n, len(row))]) }
	out.Units = slices.Clone(m.Units)
	for i := range out.Units {
		out.Units[i].SIMDs = slices.Clone(out.Units[i].SIMDs)
		out.Units[i].Busy, out.Units[i].Issued = trim(m.units[i].busy), trim(m.units[i].issued)
	}
	out.Levels = nil
	for i, l := range m.Levels {
		if len(l.Parts) > 0 {
			c := LevelParts{Name: l.Name, Parts: slices.Clone(l.Parts)}
			for _, row := range m.over[i] {
				c.Over = append(c.Over, trim(row))
			}
			out.Levels = append(out.Levels, c)
		}
	}
	out.Programs = nil
	for i, k := range m.Programs {
		c := ProgramMap{Name: k.Name, Joined: k.Joined}
		for _, row := range m.issues[i] {
			c.Issues = append(c.Issues, trim(row))
		}
		out.Programs = append(out.Programs, c)
	}
	return &out
}
