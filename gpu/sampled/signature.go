package sampled

import (
	"math"

	"spvsim/account"
	"spvsim/config"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
)

// A mix is the share of each class of instructions.
type mix [isa.NumClasses]float64

func mixOf(counts *[isa.NumClasses]uint64) (m mix) {
	var sum uint64
	for _, n := range counts {
		sum += n
	}
	for i, n := range counts {
		m[i] = float64(n) / float64(max(sum, 1))
	}
	return m
}

// distance is the share of instructions that would have to be of another class.
func (m *mix) distance(o *mix) (d float64) {
	for i := range m {
		d += math.Abs(m[i]-o[i]) / 2
	}
	return d
}

// A demand is how long parts of the machine work for an instruction, in cycles of the whole machine: what takes longest bounds
// the rate, and where that and all that comes near it are the same, so is the rate.
type demand [numDemands]float64

const (
	demandIssue   = iota
	demandLatency // what loads wait for, over the waves that may wait at a time
	demandLDS
	demandUpdates // of the line that most atomics go to
	demandMemory
	demandLevels // of caches, by their order in hierarchy.LevelNames
	numDemands   = demandLevels + maxCacheLevels
)

const maxCacheLevels = 5

// distance is by how much of the larger one's longest they differ.
func (d *demand) distance(o *demand) float64 {
	largest, difference := 0.0, 0.0
	for i := range d {
		largest, difference = max(largest, d[i], o[i]), max(difference, math.Abs(d[i]-o[i]))
	}
	if largest == 0 {
		return 0
	}
	return difference / largest
}

// add adds another demand so many times; scale multiplies.
func (d *demand) add(o *demand, times float64) {
	for i, v := range o {
		d[i] += v * times
	}
}

func (d *demand) scale(factor float64) {
	for i := range d {
		d[i] *= factor
	}
}

// busiest is the part that works longest for an instruction.
func (d *demand) bottleneck() (part int) {
	for i, v := range d {
		if v > d[part] {
			part = i
		}
	}
	return part
}

// furthest is the part of which demands differ most.
func (d *demand) largestDifference(o *demand) (part int) {
	for i := range d {
		if math.Abs(d[i]-o[i]) > math.Abs(d[part]-o[part]) {
			part = i
		}
	}
	return part
}

// light says whether it matters little what the caches hold, by what is asked of the machine, and for how long memory would work if nothing
// were found in the last level. Stores ask nothing of memory until the last level is full of them.
func (d *demand) cacheInsensitive(coldMemory float64) bool {
	return max(coldMemory, d[demandMemory], d[demandLatency]) < insensitiveShare*d[d.bottleneck()]
}

// cached says whether the last level holds what was asked of it, by for how long memory would work if it held nothing.
func (d *demand) fitsLastLevel(coldMemory float64) bool {
	return d[demandMemory] <= uncachedShare*coldMemory
}

// demandName names a part.
func demandName(part int) string {
	if part >= demandLevels {
		return hierarchy.LevelNames[part-demandLevels]
	}
	return [...]string{"issue", "waiting for loads", "the LDS", "atomics on one line", "memory"}[part]
}

// A signature is what workgroups do, as far as it shows without time.
type signature struct {
	mix           mix
	demand        demand
	size          float64       // instructions of a launch; 0: does not count
	samplingError samplingError // as the workgroups that show it differ
	preceding     *stratum      // the stratum of the launch before, if that is another one and what it left in the caches matters
}

// A blur is by how much two signatures may differ by chance, as a multiple of what is between behaviours (mix, demand); up to 1 it does not count.
type samplingError struct{ mix, demand float64 }

func (b samplingError) raisesLimits() bool { return max(b.mix, b.demand) > 1 }

// with is the greater one of two, 1 at least.
func (b samplingError) max(o samplingError) samplingError {
	return samplingError{max(1, b.mix, o.mix), max(1, b.demand, o.demand)}
}

// blurOf is how far off the mean of signatures may be by chance: so many standard errors of it, by how far they are from it.
func samplingErrorOf(list []signature, mean *signature, limits *config.Sampling) (b samplingError) {
	for i := range list {
		x, y := list[i].mix.distance(&mean.mix)/limits.Mix, list[i].demand.distance(&mean.demand)/limits.Demand
		b.mix, b.demand = b.mix+x*x, b.demand+y*y
	}
	n := float64(len(list))
	errors := func(squares float64) float64 { return maxStandardErrors * math.Sqrt(squares/max(n-1, 1)/n) }
	return samplingError{errors(b.mix), errors(b.demand)}
}

// blend adds the n-th signature to the mean of those before it.
func (s *signature) blend(x *signature, n float64) {
	s.mix = x.mix.blend(&s.mix, 1/n)
	s.demand.scale(1 - 1/n)
	s.demand.add(&x.demand, 1/n)
	s.samplingError.mix += (x.samplingError.mix - s.samplingError.mix) / n
	s.samplingError.demand += (x.samplingError.demand - s.samplingError.demand) / n
}

// distance is above 1 where signatures are of different behaviours.
func (s *signature) distance(o *signature, limits *config.Sampling) float64 {
	b := s.samplingError.max(o.samplingError)
	d := max(s.mix.distance(&o.mix)/(limits.Mix*b.mix), s.demand.distance(&o.demand)/(limits.Demand*b.demand))
	if s.size > 0 && o.size > 0 {
		d = max(d, math.Abs(math.Log(s.size/o.size))/math.Log(maxSizeRatio))
	}
	if s.preceding != o.preceding {
		d += precedingDistance
	}
	return d
}

// cost is the predicted cycles of an instruction: of the part that works longest.
func (s *signature) cost() float64 {
	if c := s.demand[s.demand.bottleneck()]; c > 0 {
		return c
	}
	return 1
}

// Constants of signatures, as docs/model/sampling.md gives them.
const (
	maxSizeRatio      = 1.5  // ratio of sizes of launches of one stratum
	maxStandardErrors = 3    // standard errors by which signatures of one stratum may differ by chance
	uncachedShare     = 0.02 // of what is asked of the last level that it may not hold
	insensitiveShare  = 0.4  // demand on memory below which the contents of the caches hardly matter
)

// otherBefore is added to the distance of launches that came after different ones, which is more than one behaviour has.
const precedingDistance = 2

// alike says whether signatures are of one behaviour, whatever came before.
func (s signature) sameBehaviour(o *signature, limits *config.Sampling) bool {
	s.preceding = o.preceding
	return s.distance(o, limits) <= 1
}

// capacities turn what accesses without time did into demands of a machine.
type capacities struct {
	machine *config.Machine
	levels  []int // of the hierarchy's levels, their number among hierarchy.LevelNames
}

func newCapacities(m *config.Machine) *capacities {
	c := &capacities{machine: m}
	for i, name := range hierarchy.LevelNames {
		if m.Level(name).Present() {
			c.levels = append(c.levels, i)
		}
	}
	return c
}

// demand is that of instructions which brought their lines into the caches, of so many waves at a time.
func (c *capacities) demand(counts *account.Counts, w *hierarchy.WarmingStats, ldsCycles, waves uint64) (d demand) {
	m := c.machine
	n := float64(max(counts.Instructions(), 1))
	units := float64(m.Units())
	d[demandIssue] = 1 / (units * float64(m.SIMDs))
	d[demandLDS] = float64(ldsCycles) / units / n
	d[demandUpdates] = float64(w.MaxLineUpdates) * float64(m.VectorMemory.AtomicCycles) / n
	latency, first := 0.0, 0.0
	for i, lookups := range w.Lookups {
		spec := m.Level(hierarchy.LevelNames[c.levels[i]])
		d[demandLevels+c.levels[i]] = float64(w.RequestedBytes[i]) / c.rate(spec) / n
		latency += float64(lookups) * float64(hierarchy.NewLevelTiming(spec, m.ClockMHz).Latency)
		if c.levels[i] < 2 { // a request begins at the vector or at the scalar cache
			first += float64(lookups)
		}
	}
	memory := m.Memory.InCycles(m.ClockMHz)
	if last := len(w.NextLevelBytes) - 1; last >= 0 {
		d[demandMemory] = float64(w.NextLevelBytes[last]) / c.memoryRate() / n
		latency += float64(w.NextLevelBytes[last]) / float64(m.Level(hierarchy.LevelNames[c.levels[last]]).LineBytes) * float64(memory.LatencyCycles)
	}
	d[demandLatency] = float64(w.Requests) * latency / max(first, 1) / float64(max(waves, 1)) / n
	return d
}

// memoryRate is the bytes that memory sustains in a cycle.
func (c *capacities) memoryRate() float64 {
	spec := c.machine.Memory.InCycles(c.machine.ClockMHz)
	rate := float64(spec.Channels) * spec.BytesPerCycle
	if spec.Efficiency > 0 {
		rate *= spec.Efficiency
	}
	return rate
}

// missed is how long memory would work for an instruction if nothing that is asked of the last level were there.
func (c *capacities) coldMemoryDemand(counts *account.Counts, w *hierarchy.WarmingStats) float64 {
	last := len(w.Lookups) - 1
	if last < 0 {
		return 0
	}
	_, line := c.lastLevel()
	return float64(w.Lookups[last]) * line / c.memoryRate() / float64(max(counts.Instructions(), 1))
}

// fresh is the lines that were brought into the last level, as a share of those that it has.
func (c *capacities) fillShare(w *hierarchy.WarmingStats) float64 {
	last := len(w.Fills) - 1
	if last < 0 {
		return 0
	}
	bytes, line := c.lastLevel()
	return float64(w.Fills[last]) * line / bytes
}

// fills is the bytes that a launch asks the last level of the caches for, as a multiple of its size.
func (c *capacities) lastLevelSizes(x *signature) float64 {
	if len(c.levels) == 0 {
		return 0
	}
	level := c.levels[len(c.levels)-1]
	spec := c.machine.Level(hierarchy.LevelNames[level])
	bytes, _ := c.lastLevel()
	return x.demand[demandLevels+level] * x.size * c.rate(spec) / bytes
}

// rate is the bytes that all instances of a level move in a cycle.
func (c *capacities) rate(spec *hierarchy.CacheSpec) float64 {
	all, _ := c.machine.Instances(spec.SharedBy)
	return hierarchy.NewLevelTiming(spec, c.machine.ClockMHz).Bandwidth * float64(spec.Slices*all)
}

// last is the bytes of the last level of the caches, and of a line of it.
func (c *capacities) lastLevel() (bytes, line float64) {
	if len(c.levels) == 0 {
		return 0, 0
	}
	spec := c.machine.Level(hierarchy.LevelNames[c.levels[len(c.levels)-1]])
	all, _ := c.machine.Instances(spec.SharedBy)
	return float64(spec.Bytes) * float64(all), float64(spec.LineBytes)
}

// blend is so much of a mix with the rest of another.
func (m *mix) blend(o *mix, share float64) (sum mix) {
	for i := range m {
		sum[i] = share*m[i] + (1-share)*o[i]
	}
	return sum
}
