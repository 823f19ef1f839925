package profile

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
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
	list := []*[]uint64{&s.Issued, &s.Queue, &s.LDS, &s.Payloads, &s.Busy, &s.Work}
	for i := range s.Nodes {
		list = append(list, &s.Nodes[i].Queue)
	}
	for i := range s.Slots {
		list = append(list, &s.Slots[i])
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

func (s *Series) all() []*[]uint64 { return append(s.rows(), s.peaks()...) }

func newSeries(levels int) Series {
	s := Series{BinCycles: 1, Slots: make([][]uint64, account.Empty), Levels: make([][]uint64, levels)}
	for _, row := range s.all() {
		*row = make([]uint64, maxBins)
	}
	return s
}

// clone is a series that does not change with this one.
func (s *Series) clone() Series {
	out := *s
	out.Slots, out.Levels, out.Steps, out.Nodes = slices.Clone(s.Slots), slices.Clone(s.Levels), slices.Clone(s.Steps), slices.Clone(s.Nodes)
	for _, row := range out.all() {
		*row = slices.Clone(*row)
	}
	return out
}

// shift is log2 of BinCycles, which is a power of two while a series grows.
func (s *Series) shift() uint { return uint(bits.TrailingZeros64(s.BinCycles)) & 63 }

// bin returns the bin of a cycle. It joins bins until the series reaches the cycle.
func (s *Series) bin(cycle uint64) int {
	for cycle>>s.shift() >= maxBins {
		for _, row := range s.rows() {
			halve(*row, func(a, b uint64) uint64 { return a + b })
		}
		for _, row := range s.peaks() {
			halve(*row, func(a, b uint64) uint64 { return max(a, b) })
		}
		s.BinCycles *= 2
	}
	return int(cycle >> s.shift())
}

func halve(row []uint64, join func(a, b uint64) uint64) {
	for i := range row {
		if 2*i < len(row) {
			row[i] = join(row[2*i], row[2*i+1])
		} else {
			row[i] = 0
		}
	}
}

// addCycles adds the cycles from one to another to their bins.
func (s *Series) addCycles(row []uint64, from, to uint64) {
	if from >= to {
		return
	}
	if last := s.bin(to - 1); int(from>>s.shift()) == last {
		row[last] += to - from
		return
	}
	for from < to {
		i := from >> s.shift()
		end := min((i+1)<<s.shift(), to)
		row[i] += end - from
		from = end
	}
}

// raise sets a row's bins between two cycles, the last one included, to at least a value.
func (s *Series) raise(row []uint64, from, to, value uint64) {
	last := s.bin(to) // which may join bins
	for i := s.bin(from); i <= last; i++ {
		row[i] = max(row[i], value)
	}
}

// addEvenly spreads an amount evenly over the cycles from one to another.
func (s *Series) addEvenly(row []uint64, from, to, amount uint64) {
	if amount == 0 {
		return
	}
	if from >= to {
		from, to = to, to+1
	}
	s.bin(to - 1)
	for begin, given := from, uint64(0); from < to; {
		i := from >> s.shift()
		from = min((i+1)<<s.shift(), to)
		part := uint64(float64(amount)*float64(from-begin)/float64(to-begin)) - given
		if from == to {
			part = amount - given
		}
		row[i] += part
		given += part
	}
}

// trim cuts the bins after the last cycle.
func (s *Series) trim(cycles uint64) {
	n := s.bin(max(cycles, 1)-1) + 1
	for _, row := range s.all() {
		*row = (*row)[:n]
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
