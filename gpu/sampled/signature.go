package sampled

import (
	"math"

	"spvsim/account"
	"spvsim/config"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
)

// A mix is the share of each instruction class.
type mix [isa.NumClasses]float64

// mixOf returns the shares of counts.
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

// distance returns Σ|m − m'| / 2, the share of instructions that belong to other classes.
func (m *mix) distance(o *mix) (d float64) {
	for i := range m {
		d += math.Abs(m[i]-o[i]) / 2
	}
	return d
}

// A demand is the cycles that each part of the whole machine works for an instruction. The largest one bounds the rate
// (roofline), so launches with similar demands have similar rates.
type demand [numDemands]float64

const (
	demandIssue   = iota
	demandLatency // wait for loads, over the waves that may wait at a time
	demandLDS
	demandUpdates // atomics on the line with the most of them
	demandMemory
	demandLevels // caches, in the order of hierarchy.LevelNames
	numDemands   = demandLevels + maxCacheLevels
)

const maxCacheLevels = 5

// distance returns max|d − d'| / max(d, d'): the largest difference of a part, over the largest demand of any part.
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

// add adds factor × another demand.
func (d *demand) add(o *demand, factor float64) {
	for i, v := range o {
		d[i] += v * factor
	}
}

// scale multiplies the demand by a factor.
func (d *demand) scale(factor float64) {
	for i := range d {
		d[i] *= factor
	}
}

// bottleneck returns the part with the largest demand.
func (d *demand) bottleneck() (part int) {
	for i, v := range d {
		if v > d[part] {
			part = i
		}
	}
	return part
}

// largestDifference returns the part in which two demands differ most.
func (d *demand) largestDifference(o *demand) (part int) {
	for i := range d {
		if math.Abs(d[i]-o[i]) > math.Abs(d[part]-o[part]) {
			part = i
		}
	}
	return part
}

// cacheInsensitive reports whether the caches' contents hardly affect the time: the demands on memory and for the wait
// for loads are below insensitiveShare of the bottleneck's. coldMemory is the demand on memory with an empty last level:
// stores reach memory only when the last level is full of dirty lines.
func (d *demand) cacheInsensitive(coldMemory float64) bool {
	return max(coldMemory, d[demandMemory], d[demandLatency]) < insensitiveShare*d[d.bottleneck()]
}

// fitsLastLevel reports whether the last level holds the requested data: at most 2 % of coldMemory, the demand with an
// empty last level, reaches memory.
func (d *demand) fitsLastLevel(coldMemory float64) bool {
	return d[demandMemory] <= uncachedShare*coldMemory
}

// demandName returns the name of a part, for reports.
func demandName(part int) string {
	if part >= demandLevels {
		return hierarchy.LevelNames[part-demandLevels]
	}
	return [...]string{"issue", "waiting for loads", "the LDS", "atomics on one line", "memory"}[part]
}

// A signature is the behaviour of workgroups as a functional run shows it.
type signature struct {
	mix           mix
	demand        demand
	size          float64       // instructions of a launch; 0: not compared
	samplingError samplingError // of a signature from a sample of workgroups
	preceding     *stratum      // stratum of the preceding launch, if it differs and its lines matter; nil otherwise
}

// A samplingError is how far two signatures of one behaviour may differ by chance, as a multiple of the limits `mix`
// and `demand`. Up to 1 it has no effect.
type samplingError struct{ mix, demand float64 }

// raisesLimits reports whether the error exceeds a limit of strata.
func (b samplingError) raisesLimits() bool { return max(b.mix, b.demand) > 1 }

// max returns the larger error of each component, at least 1: the factor by which the limits grow.
func (b samplingError) max(o samplingError) samplingError {
	return samplingError{max(1, b.mix, o.mix), max(1, b.demand, o.demand)}
}

// samplingErrorOf returns 3 standard errors of the mean of n signatures, from their distances x to it in multiples of
// the limits:
//
//	3 sqrt( Σ x² / (n − 1) / n )
func samplingErrorOf(list []signature, mean *signature, limits *config.Sampling) (b samplingError) {
	for i := range list {
		x, y := list[i].mix.distance(&mean.mix)/limits.Mix, list[i].demand.distance(&mean.demand)/limits.Demand
		b.mix, b.demand = b.mix+x*x, b.demand+y*y
	}
	n := float64(len(list))
	errors := func(squares float64) float64 { return maxStandardErrors * math.Sqrt(squares/max(n-1, 1)/n) }
	return samplingError{errors(b.mix), errors(b.demand)}
}

// blend updates s, the mean of n − 1 signatures, with the n-th.
func (s *signature) blend(x *signature, n float64) {
	s.mix = x.mix.blend(&s.mix, 1/n)
	s.demand.scale(1 - 1/n)
	s.demand.add(&x.demand, 1/n)
	s.samplingError.mix += (x.samplingError.mix - s.samplingError.mix) / n
	s.samplingError.demand += (x.samplingError.demand - s.samplingError.demand) / n
}

// distance returns the distance of two signatures, where > 1 means different strata (docs/model/sampling.md, Strata). s
// and s' are the launches' instructions:
//
//	max( Σ|m − m'| / 2 / mix,  max|d − d'| / max(d, d') / demand,  |ln(s/s')| / ln 1.5 )
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

// cost returns the predicted cycles of the machine for an instruction: the demand of the bottleneck, or 1 if no demand
// is known.
func (s *signature) cost() float64 {
	if c := s.demand[s.demand.bottleneck()]; c > 0 {
		return c
	}
	return 1
}

// Limits of signatures (docs/model/sampling.md, Strata).
const (
	maxSizeRatio      = 1.5  // of instructions of two launches in a stratum
	maxStandardErrors = 3    // by which signatures of one stratum may differ by chance
	uncachedShare     = 0.02 // of the demand with an empty last level
	insensitiveShare  = 0.4  // of the bottleneck's demand
)

// precedingDistance separates launches after a different preceding one: it exceeds the distance of a stratum, 1.
const precedingDistance = 2

// sameBehaviour reports whether two signatures are within distance 1, whatever launches preceded.
func (s signature) sameBehaviour(o *signature, limits *config.Sampling) bool {
	s.preceding = o.preceding
	return s.distance(o, limits) <= 1
}

// capacities convert the counts of functional runs into demands on a machine.
type capacities struct {
	machine *config.Machine
	levels  []int // indices in hierarchy.LevelNames of the machine's levels
}

// newCapacities lists the caches that a machine has.
func newCapacities(m *config.Machine) *capacities {
	c := &capacities{machine: m}
	for i, name := range hierarchy.LevelNames {
		if m.Level(name).Present() {
			c.levels = append(c.levels, i)
		}
	}
	return c
}

// demand returns the demand of a functional run of n instructions with warming, whose loads wait in `waves` waves at a
// time. In cycles of the machine an instruction:
//
//	issue    1 / SIMDs of the machine
//	LDS      ldsCycles / compute units / n
//	updates  updates of the line with most atomics × AtomicCycles / n
//	level    requested bytes / its rate / n
//	memory   bytes from and to the last level / memory's rate / n
//	wait     requests × mean latency / waves / n, with
//	         mean latency = Σ (lookups × latency, of levels and memory) / lookups of L1 caches
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
		if c.levels[i] < 2 { // vector and scalar L1, the first levels that a request looks up
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

// memoryRate returns memory's sustained bytes a cycle: channels × bytes a cycle × efficiency.
func (c *capacities) memoryRate() float64 {
	spec := c.machine.Memory.InCycles(c.machine.ClockMHz)
	rate := float64(spec.Channels) * spec.BytesPerCycle
	if spec.Efficiency > 0 {
		rate *= spec.Efficiency
	}
	return rate
}

// coldMemoryDemand returns the demand on memory if every lookup of the last level missed: lookups × line bytes /
// memory's rate / instructions.
func (c *capacities) coldMemoryDemand(counts *account.Counts, w *hierarchy.WarmingStats) float64 {
	last := len(w.Lookups) - 1
	if last < 0 {
		return 0
	}
	_, line := c.lastLevel()
	return float64(w.Lookups[last]) * line / c.memoryRate() / float64(max(counts.Instructions(), 1))
}

// fillShare returns the lines filled into the last level, as a share of its lines.
func (c *capacities) fillShare(w *hierarchy.WarmingStats) float64 {
	last := len(w.Fills) - 1
	if last < 0 {
		return 0
	}
	bytes, line := c.lastLevel()
	return float64(w.Fills[last]) * line / bytes
}

// lastLevelSizes returns the bytes that a launch requests from the last level, as a multiple of its size.
func (c *capacities) lastLevelSizes(x *signature) float64 {
	if len(c.levels) == 0 {
		return 0
	}
	level := c.levels[len(c.levels)-1]
	spec := c.machine.Level(hierarchy.LevelNames[level])
	bytes, _ := c.lastLevel()
	return x.demand[demandLevels+level] * x.size * c.rate(spec) / bytes
}

// rate returns the bytes a cycle of all instances of a level.
func (c *capacities) rate(spec *hierarchy.CacheSpec) float64 {
	all, _ := c.machine.Instances(spec.SharedBy)
	return hierarchy.NewLevelTiming(spec, c.machine.ClockMHz).Bandwidth * float64(spec.Slices*all)
}

// lastLevel returns the bytes of all instances of the last level, and of one of its lines; 0 without caches.
func (c *capacities) lastLevel() (bytes, line float64) {
	if len(c.levels) == 0 {
		return 0, 0
	}
	spec := c.machine.Level(hierarchy.LevelNames[c.levels[len(c.levels)-1]])
	all, _ := c.machine.Instances(spec.SharedBy)
	return float64(spec.Bytes) * float64(all), float64(spec.LineBytes)
}

// blend returns share × m + (1 − share) × o.
func (m *mix) blend(o *mix, share float64) (sum mix) {
	for i := range m {
		sum[i] = share*m[i] + (1-share)*o[i]
	}
	return sum
}
