package profile

import (
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
	shift     uint // log2 of BinCycles, which is a power of two
	cells     *[maxBins]cell
	collector *Collector // whose slots have bins; nil: none
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
		s.join()
	}
	return int(cycle >> (s.shift & 63))
}

// join joins the bins in pairs.
func (s *growingSeries) join() {
	if s.collector != nil {
		s.collector.closeBins()
	}
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

// addReason adds cycles of wave slots for a reason to their bins, which there are.
func (s *growingSeries) addReason(why account.Reason, from, to uint64) {
	shift := s.shift & 63
	i, last := from>>shift, (to-1)>>shift
	for ; i < last; i++ {
		end := (i + 1) << shift
		s.cells[i%maxBins].slots[why%numReasons] += end - from
		from = end
	}
	s.cells[i%maxBins].slots[why%numReasons] += to - from
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
	s := &p.Series
	b := []byte("cycle,cycles,waves,queue,instructions_per_cycle,lds_passes_per_cycle")
	column := func(prefix, name, suffix string) {
		b = append(append(append(append(b, ','), prefix...), name...), suffix...)
	}
	for _, l := range p.Levels {
		column("", l.Name, "_bytes_per_cycle")
	}
	for r := range s.Slots {
		column("slots_", account.Reason(r).String(), "")
	}
	waves := make([]uint64, s.Len())
	for i := range waves {
		waves[i] = s.Resident(i)
	}
	sums := slices.Concat([][]uint64{waves, s.Queue, s.Issued, s.LDS}, s.Levels, s.Slots)
	for _, row := range s.graphRows() {
		column("", row.Name, "")
		sums = append(sums, row.Queue)
	}
	var powers [][]float64
	if watts := p.Watts(); watts != nil {
		column("", "watts", "")
		powers = append(powers, watts)
	}
	for _, part := range p.PartWatts() {
		column("watts_", part.Name, "")
		powers = append(powers, part.Watts)
	}
	b = append(b, '\n')
	number := func(x float64) {
		if b = append(b, ','); x == 0 {
			b = append(b, '0')
			return
		}
		b = strconv.AppendFloat(b, x, 'g', 6, 64)
	}
	for i := range s.Len() {
		n := s.Length(i, p.Cycles)
		b = strconv.AppendUint(b, uint64(i)*s.BinCycles, 10)
		b = strconv.AppendUint(append(b, ','), n, 10)
		for _, row := range sums {
			number(float64(row[i]) / float64(n))
		}
		for _, row := range powers {
			number(row[i])
		}
		b = append(b, '\n')
	}
	_, err := w.Write(b)
	return err
}
