package profile

import (
	"fmt"
	"io"

	"spvsim/internal/parquet"
)

// WriteCounters writes the counts of the machine's parts as Parquet, a row for each count of each part: of the whole run, and of each bin of
// time where it is counted over time. Counts of zero are left out.
func (p *Profile) WriteCounters(w io.Writer) error {
	out := parquet.NewWriter(w)
	t := counterRows{out: out, cycles: p.Cycles,
		kind: out.Column("kind", parquet.Text), part: out.Column("part", parquet.Text), number: out.Column("number", parquet.Integer),
		counter: out.Column("counter", parquet.Text), from: out.Column("cycle", parquet.Integer), length: out.Column("cycles", parquet.Integer),
		value: out.Column("value", parquet.Integer)}
	if m := p.Maps; m != nil {
		t.binCycles = m.BinCycles
		for i := range m.Units {
			t.unit(p, i, &m.Units[i])
		}
		for i := range m.Levels {
			l := &m.Levels[i]
			for k := range l.Parts {
				name := fmt.Sprintf("%s[%d]", l.Name, k)
				t.add(l.Name, name, k, "accesses", l.Parts[k].Accesses, nil)
				t.add(l.Name, name, k, "bytes", l.Parts[k].Bytes, l.Over[k])
				t.add(l.Name, name, k, "wait_cycles", l.Parts[k].WaitCycles, nil)
			}
		}
	}
	if err := out.EndGroup(t.rows); err != nil {
		return err
	}
	return out.Close()
}

// counterRows are the rows of the file.
type counterRows struct {
	out                                              *parquet.Writer
	kind, part, number, counter, from, length, value *parquet.Column
	cycles, binCycles                                uint64
	rows                                             int
}

// unit adds the counts of a compute unit.
func (t *counterRows) unit(p *Profile, i int, u *UnitCounts) {
	name := fmt.Sprintf("SE[%d].CU[%d]", i/p.Units, i%p.Units)
	for _, c := range u.Counters() {
		t.add("unit", name, i, c.Name, c.Value, nil)
	}
	t.add("unit", name, i, "instructions", u.Instructions, u.Issued)
	t.add("unit", name, i, "slot_cycles", sum(u.Busy), u.Busy)
	for k := range u.SIMDs {
		s, simd := &u.SIMDs[k], fmt.Sprintf("%s.SIMD[%d]", name, k)
		t.add("simd", simd, i*len(u.SIMDs)+k, "waves", s.Waves, nil)
		t.add("simd", simd, i*len(u.SIMDs)+k, "instructions", s.Instructions, nil)
		t.add("simd", simd, i*len(u.SIMDs)+k, "lanes", s.Lanes, nil)
	}
	for _, s := range p.Steps {
		for r, n := range s.Units[i] {
			if n > 0 {
				t.add("unit", name, i, "slot_cycles."+s.Name+"."+p.Reasons[r], n, nil)
			}
		}
	}
}

// A Counter is a named count.
type Counter struct {
	Name  string
	Value uint64
}

// Counters lists the counts of a unit over the run, but for the instructions.
func (u *UnitCounts) Counters() []Counter {
	return []Counter{{"waves", u.Waves}, {"lanes", u.Lanes}, {"accesses", u.Accesses}, {"lines", u.Lines}, {"bytes", u.Bytes},
		{"lds_passes", u.LDSPasses}, {"conflict_passes", u.Conflicts}}
}

func sum(row []uint64) (n uint64) {
	for _, x := range row {
		n += x
	}
	return n
}

// add adds the rows of a count: of the run, and over time if that is known.
func (t *counterRows) add(kind, part string, number int, counter string, value uint64, over []uint64) {
	if value == 0 {
		return
	}
	t.row(kind, part, number, counter, -1, t.cycles, value)
	for i, n := range over {
		if n > 0 {
			from := uint64(i) * t.binCycles
			t.row(kind, part, number, counter, int64(from), min(t.binCycles, t.cycles-from), n)
		}
	}
}

// row adds a row; from is -1 for the whole run.
func (t *counterRows) row(kind, part string, number int, counter string, from int64, length, value uint64) {
	t.kind.Text(kind)
	t.part.Text(part)
	t.number.Int(int64(number))
	t.counter.Text(counter)
	if from < 0 {
		t.from.Null()
	} else {
		t.from.Int(from)
	}
	t.length.Int(int64(length))
	t.value.Int(int64(value))
	t.rows++
}
