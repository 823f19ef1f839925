package profile

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"spvsim/account"
)

// maxBins bounds a series: when a run is longer, bins are joined in pairs.
const maxBins = 512

// A Series holds counts over time, in bins of equal length.
type Series struct {
	BinCycles uint64     `json:"bin_cycles"`
	Slots     [][]uint64 `json:"slot_cycles"`         // by reason but empty, then by bin
	Issued    []uint64   `json:"instructions"`        // by bin
	Queue     []uint64   `json:"queue_cycles"`        // by bin: payloads that wait, times cycles
	Levels    [][]uint64 `json:"level_bytes"`         // by level, then by bin
	LDS       []uint64   `json:"lds_passes"`          // by bin
	Payloads  []uint64   `json:"payload_byte_cycles"` // by bin: bytes that payloads have, times cycles
	Nodes     []NodeRow  `json:"nodes,omitempty"`
	Depth     []uint64   `json:"queue_depth"`      // by bin: most payloads of a graph that waited at the same time
	Busy      []uint64   `json:"unit_cycles"`      // by bin: compute units with a workgroup, times cycles
	Work      []uint64   `json:"launch_cycles"`    // by bin: cycles in which a launch ran, with its launch costs
	Joules    []float64  `json:"joules,omitempty"` // by bin; missing in older files, and without a table of energies
	Parts     []PartRow  `json:"parts,omitempty"`  // the same by part; missing likewise
	Steps     []Span     `json:"steps"`            // when launches ran, joined where they follow each other
}

// A growingSeries is the series of a run that has not ended. What issues add is in cells.
type growingSeries struct {
	Series
	shift uint // log2 of BinCycles, which is a power of two
	cells *[maxBins]cell
}

// reasonCycles are cycles by reason. Their number is a power of two, so that no index needs a check.
type reasonCycles [numReasons]uint64

const numReasons = 16

// A cell is what issues add to a bin.
type cell struct {
	slots  reasonCycles
	issued uint64
}

func (c *cell) add(o *cell) {
	for r := range c.slots {
		c.slots[r] += o.slots[r]
	}
	c.issued += o.issued
}

// A NodeRow is the queue of a node of an execution graph.
type NodeRow struct {
	Name  string   `json:"name"`
	Queue []uint64 `json:"queue_cycles"` // by bin: payloads that wait for it, times cycles
	Depth []uint64 `json:"queue_depth"`  // by bin: most payloads that waited for it at the same time
}

// node returns the queue of a node, created on first use.
func (s *Series) node(name string) *NodeRow {
	for i := range s.Nodes {
		if s.Nodes[i].Name == name {
			return &s.Nodes[i]
		}
	}
	s.Nodes = append(s.Nodes, NodeRow{name, make([]uint64, maxBins), make([]uint64, maxBins)})
	return &s.Nodes[len(s.Nodes)-1]
}

// A Span is a part of a run, in cycles since its beginning.
type Span struct {
	Name     string `json:"name"`
	From, To uint64
}

// rows are the rows whose values add up when bins are joined.
func (s *Series) rows() []*[]uint64 {
	list := []*[]uint64{&s.Queue, &s.LDS, &s.Payloads, &s.Busy, &s.Work}
	for i := range s.Nodes {
		list = append(list, &s.Nodes[i].Queue)
	}
	for i := range s.Levels {
		list = append(list, &s.Levels[i])
	}
	return list
}

// peaks returns the rows whose bins are joined by their maximum.
func (s *Series) peaks() []*[]uint64 {
	list := []*[]uint64{&s.Depth}
	for i := range s.Nodes {
		list = append(list, &s.Nodes[i].Depth)
	}
	return list
}

// issueRows are the rows that issues add to: a growing series has cells for them.
func (s *Series) issueRows() []*[]uint64 {
	list := []*[]uint64{&s.Issued}
	for i := range s.Slots {
		list = append(list, &s.Slots[i])
	}
	return list
}

func (s *Series) all() []*[]uint64 { return slices.Concat(s.rows(), s.issueRows(), s.peaks()) }

func newSeries(levels int) growingSeries {
	s := growingSeries{Series: Series{BinCycles: 1, Slots: make([][]uint64, account.Empty), Levels: make([][]uint64, levels)}, cells: new([maxBins]cell)}
	for _, row := range s.all() {
		*row = make([]uint64, maxBins)
	}
	return s
}

// result returns the series of a run of so many cycles, which does not change with this one.
func (s *growingSeries) result(cycles uint64) Series {
	n := s.bin(max(cycles, 1)-1) + 1
	out := s.Series
	out.Slots, out.Levels, out.Steps, out.Nodes = slices.Clone(s.Slots), slices.Clone(s.Levels), slices.Clone(s.Steps), slices.Clone(s.Nodes)
	for _, row := range out.all() {
		*row = slices.Clone((*row)[:n])
	}
	for bin := range n {
		out.Issued[bin] = s.cells[bin].issued
		for r := range out.Slots {
			out.Slots[r][bin] = s.cells[bin].slots[r]
		}
	}
	return out
}

// bin returns the bin of a cycle. It joins bins until the series reaches the cycle.
func (s *growingSeries) bin(cycle uint64) int {
	for cycle>>(s.shift&63) >= maxBins {
		for _, row := range s.rows() {
			joinPairs(*row)
		}
		const half = maxBins / 2
		for _, row := range s.peaks() {
			for i := range half {
				(*row)[i] = max((*row)[2*i], (*row)[2*i+1])
			}
			clear((*row)[half:])
		}
		for i := range half {
			s.cells[i] = s.cells[2*i]
			s.cells[i].add(&s.cells[2*i+1])
		}
		clear(s.cells[half:])
		s.BinCycles *= 2
		s.shift++
	}
	return int(cycle >> (s.shift & 63))
}

// joinPairs replaces the bins of a row by the sums of pairs.
func joinPairs(row []uint64) {
	n := len(row) / 2
	for i := range n {
		row[i] = row[2*i] + row[2*i+1]
	}
	clear(row[n:])
}

// addCycles adds the cycles from one to another to their bins.
func (s *growingSeries) addCycles(row []uint64, from, to uint64) {
	if from >= to {
		return
	}
	if last := s.bin(to - 1); int(from>>(s.shift&63)) == last {
		row[last] += to - from
		return
	}
	for from < to {
		i := from >> (s.shift & 63)
		end := min((i+1)<<(s.shift&63), to)
		row[i] += end - from
		from = end
	}
}

// addReason adds cycles of wave slots for a reason to their bins.
func (s *growingSeries) addReason(why account.Reason, from, to uint64) {
	for last := s.bin(to - 1); from < to; {
		i := int(from >> (s.shift & 63))
		end := to
		if i < last {
			end = uint64(i+1) << (s.shift & 63)
		}
		s.cells[i].slots[why%numReasons] += end - from
		from = end
	}
}

// raise sets a row's bins between two cycles, the last one included, to at least a value.
func (s *growingSeries) raise(row []uint64, from, to, value uint64) {
	last := s.bin(to) // which may join bins
	for i := s.bin(from); i <= last; i++ {
		row[i] = max(row[i], value)
	}
}

// addEvenly spreads an amount evenly over the cycles from one to another.
func (s *growingSeries) addEvenly(row []uint64, from, to, amount uint64) {
	if amount == 0 {
		return
	}
	if from >= to {
		from, to = to, to+1
	}
	s.bin(to - 1)
	for begin, given := from, uint64(0); from < to; {
		i := from >> (s.shift & 63)
		from = min((i+1)<<(s.shift&63), to)
		part := uint64(float64(amount)*float64(from-begin)/float64(to-begin)) - given
		if from == to {
			part = amount - given
		}
		row[i] += part
		given += part
	}
}

// Len is the number of bins.
func (s *Series) Len() int { return len(s.Issued) }

// Length is the length of a bin in cycles: the last one may be shorter.
func (s *Series) Length(bin int, cycles uint64) uint64 {
	return min(uint64(bin+1)*s.BinCycles, cycles) - uint64(bin)*s.BinCycles
}

// Resident returns the slot-cycles of a bin in which a slot held a wave.
func (s *Series) Resident(bin int) (sum uint64) {
	for _, row := range s.Slots {
		sum += row[bin]
	}
	return sum
}

// graphRows returns the columns of an execution graph; none if no payload waited.
func (s *Series) graphRows() []NodeRow {
	if len(s.Nodes) == 0 {
		return nil
	}
	list := []NodeRow{{Name: "payload_bytes", Queue: s.Payloads}}
	for _, n := range s.Nodes {
		list = append(list, NodeRow{Name: "queue_" + strings.NewReplacer("[", "_", "]", "", ",", "_").Replace(n.Name), Queue: n.Queue})
	}
	return list
}

// WriteCSV writes the series, a line per bin: its first cycle and its length; resident waves, waiting payloads,
// instructions, LDS passes and each level's bytes, all as means per cycle; wave slots by reason; if payloads waited,
// their bytes and the number that waits for each node; and the power in watts, if the machine has a table of energies, of
// all and of each part.
func (p *Profile) WriteCSV(w io.Writer) error {
	b := bufio.NewWriter(w)
	s := &p.Series
	fmt.Fprint(b, "cycle,cycles,waves,queue,instructions_per_cycle,lds_passes_per_cycle")
	for _, l := range p.Levels {
		fmt.Fprintf(b, ",%s_bytes_per_cycle", l.Name)
	}
	for r := range s.Slots {
		fmt.Fprintf(b, ",slots_%s", account.Reason(r))
	}
	graph := s.graphRows()
	for _, row := range graph {
		fmt.Fprintf(b, ",%s", row.Name)
	}
	watts := p.Watts()
	parts := p.PartWatts()
	if watts != nil {
		fmt.Fprint(b, ",watts")
	}
	for i := range parts {
		fmt.Fprintf(b, ",watts_%s", parts[i].Name)
	}
	fmt.Fprintln(b)
	for i := range s.Len() {
		n := s.Length(i, p.Cycles)
		fmt.Fprintf(b, "%d,%d", uint64(i)*s.BinCycles, n)
		values := []uint64{s.Resident(i), s.Queue[i], s.Issued[i], s.LDS[i]}
		for l := range s.Levels {
			values = append(values, s.Levels[l][i])
		}
		for r := range s.Slots {
			values = append(values, s.Slots[r][i])
		}
		for _, row := range graph {
			values = append(values, row.Queue[i])
		}
		for _, v := range values {
			b.WriteByte(',')
			b.WriteString(strconv.FormatFloat(float64(v)/float64(n), 'g', 6, 64))
		}
		if watts != nil {
			fmt.Fprintf(b, ",%.6g", watts[i])
		}
		for k := range parts {
			fmt.Fprintf(b, ",%.6g", parts[k].Watts[i])
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}
