package sampled

import (
	"cmp"
	"math"
	"math/rand/v2"

	"spvsim/config"
)

// A sample is a launch, or a row of workgroups, that was timed.
type sample struct{ cycles, instructions float64 }

// rate is the cycles that an instruction took.
func (s sample) rate() float64 { return s.cycles / s.instructions }

func (s sample) and(o sample) sample {
	return sample{s.cycles + o.cycles, s.instructions + o.instructions}
}

func eachOf(list []sample, f func(sample) float64) []float64 {
	out := make([]float64, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

// Strata divide launches of a kind, or pieces of large launches, by their signatures: what is of one is alike, as far as it shows
// without time, and the time of some says what the others take.
type strata struct {
	*config.Sampling
	first  int     // members of each that are timed before one is left out
	far    int     // members from a sample to the next one at most
	from   int     // the member of each at which it may be timed first
	least  int     // members from a sample to the next one at least where samples disagree
	spread float64 // that is expected of samples of one stratum
	near   int     // members from a sample to the next one at least, after the first few
	share  float64 // of all that members are that was timed
	second float64 // share up to which a second sample is taken of what takes long
	worth  float64 // half the interval of a stratum without samples, as a part of what all take, from which on it is timed
	list   []*alike
	alone  sample // a launch whose signature is not known
	spreads
}

// Spreads are dispersions, kept for as long as no sample comes.
type spreads struct {
	samples int
	found   map[*alike]dispersion // nil: of all
	sized   map[*alike][]*alike   // those that differ in size alone
}

// kept is the dispersion of a stratum, or of all for nil, computed anew when there are other samples.
func (s *strata) kept(a *alike, compute func() dispersion) dispersion {
	s.forget()
	d, ok := s.found[a]
	if !ok {
		d = compute()
		s.found[a] = d
	}
	return d
}

// forget forgets what is kept when there are other samples or strata.
func (s *strata) forget() {
	n := 1 + len(s.list)
	for _, b := range s.list {
		n += len(b.samples)
	}
	if n != s.samples {
		s.spreads = spreads{n, map[*alike]dispersion{}, map[*alike][]*alike{}}
	}
}

// Alike are members with one signature.
type alike struct {
	*config.Sampling
	in      *strata
	like    signature
	samples []sample       // of members that were timed
	cold    bool           // the first sample is the kind's first launch, which finds nothing in caches
	timed   uint64         // instructions of the samples
	rest    map[int]uint64 // instructions that were not timed, by step
	count   map[int]uint64 // members that were not timed, by step
	past    members        // of those, the ones that have been added to their steps
	byGenerations
	quantized float64 // how much of what they take goes by whole generations of workgroups, from 0 to 1
	as        *alike  // the one that it turned out to be
	base      *alike  // the one of its signature, whatever came before
	whole     bool    // a window was timed that was of this stratum alone
	missed    int     // windows that were not begun, as others came first
	since     int     // members since the last sample
	gap       int     // from there to the next one; 0: near
	pieces    asked   // by all of a large launch
	windows   asked   // by those pieces at which windows were timed
}

// Asked is what pieces ask of the part of the machine that their stratum asks most of, in all and how many they are.
type asked struct{ sum, n float64 }

// add adds a piece, if its signature is of the stratum: others are counted as of it that turned out to behave the same.
func (q *asked) add(x *signature, a *alike) {
	if a.like.distance(x, a.Sampling) <= 1 {
		q.sum, q.n = q.sum+x.demand[a.like.demand.busiest()], q.n+1
	}
}

// drift is by how much more all pieces ask than those at which windows were timed, as a part of that: behaviour may change little by little
// within a stratum, which is timed near its beginning. Where pieces differ by chance, so do those few.
func (a *alike) drift() float64 {
	if a.windows.sum == 0 || a.pieces.n == 0 || a.like.blur.any() {
		return 0
	}
	return a.pieces.sum/a.pieces.n/(a.windows.sum/a.windows.n) - 1
}

// Members are launches, and instructions of theirs or of rows.
type members struct{ n, instructions uint64 }

// settle adds those that were not timed to the past.
func (a *alike) settle() {
	for step, rest := range a.rest {
		a.past = members{a.past.n + a.count[step], a.past.instructions + rest}
	}
	clear(a.rest)
	clear(a.count)
	a.byGenerations = nil
}

// nearest is the stratum that is most like a signature, and how far off that is; timed: of those with samples. Nil: there is none.
func (s *strata) nearest(x *signature, timed bool) (best *alike, distance float64) {
	distance = math.Inf(1)
	for _, a := range s.list {
		if timed && len(a.samples) == 0 {
			continue
		}
		if d := a.like.distance(x, s.Sampling); d < distance {
			best, distance = a, d
		}
	}
	return best, distance
}

// of is the stratum of a signature, a new one if it is like none.
func (s *strata) of(x *signature) *alike {
	a, d := s.nearest(x, false)
	if a == nil || d > 1 {
		a = &alike{Sampling: s.Sampling, in: s, like: *x, rest: map[int]uint64{}, count: map[int]uint64{}}
		a.base = s.baseOf(a)
		s.list = append(s.list, a)
	}
	return cmp.Or(a.as, a)
}

// baseOf is the first stratum with the signature of a new one, whatever came before.
func (s *strata) baseOf(a *alike) *alike {
	for _, b := range s.list {
		if a.like.alike(&b.like, s.Sampling) {
			return b.base
		}
	}
	return a
}

// another is the stratum of which a window is that begins with a signature: where one of which nothing was timed turns out to be one of which something was, that
// one, if it asks for a sample as well.
func (s *strata) another(a *alike, x *signature) *alike {
	b, d := s.nearest(x, true)
	if len(a.samples) > 0 || d > 1 || x.mix.distance(&a.like.mix) > s.OtherMix {
		return a
	}
	for step, rest := range a.rest {
		b.rest[step] += rest
	}
	clear(a.rest)
	a.as = b
	if s.wants(b, 0) {
		return b
	}
	return nil
}

// wants says whether the member at hand is timed: one of a stratum is, and others after it, ever further apart while they agree, as long as
// the interval of what its members take is a large part of what all take.
// Where more is timed than should be, what is near to something that was timed counts as that.
func (s *strata) wants(a *alike, size float64) bool {
	a.since++
	if s.unlikeSize(a, size) {
		return true
	}
	switch n := len(a.samples); {
	case n == 0 && a.since < s.from:
		return false
	case n == 0:
		_, d := s.nearest(&a.like, true)
		return d > max(1, s.share/s.Share) && s.unsure(a) || s.share < 2*s.MostShare && s.matters(a)
	case a.since >= s.far:
		return s.share < 2*s.MostShare
	case n < s.first: // the first one came after other behaviour, and a second one says by how much they differ
		return a.since >= s.near && s.share < s.second && s.large(a)
	}
	return a.since >= cmp.Or(a.gap, s.near) && s.share < s.MostShare && s.matters(a)
}

// unlikeSize says of a launch of a stratum with samples that none is near to it in size: time is not in proportion to instructions.
func (s *strata) unlikeSize(a *alike, size float64) bool {
	if size == 0 || len(a.samples) == 0 {
		return false
	}
	for _, b := range s.sizes(a) {
		for _, x := range b.samples {
			if max(size/x.instructions, x.instructions/size) <= s.NearSize {
				return false
			}
		}
	}
	return true
}

// matters says of a stratum whether the interval of what its members take is a large part of what all take, and large whether what they take is.
func (s *strata) matters(a *alike) bool {
	_, half := a.all()
	return half > s.Agreed/2*s.all()
}

// unsure says of a stratum without samples whether what its members take is unsure by so much that one is worth its time. Of little that
// comes between two behaviours, such as while caches fill, what is known of others says enough.
func (s *strata) unsure(a *alike) bool {
	took, half := a.all()
	return took == 0 || half >= s.worth*s.all()
}

func (s *strata) large(a *alike) bool {
	took, _ := a.all()
	return took > s.Twice*s.all()
}

// all is what members of all strata are taken to cost.
func (s *strata) all() (sum float64) {
	for _, a := range s.list {
		took, _ := a.all()
		sum += took
	}
	return sum
}

// all is what members are taken to cost, timed or not, and half the width of the interval.
func (a *alike) all() (took, half float64) {
	n, rest := a.past.n, a.past.instructions
	for step := range a.rest {
		n, rest = n+a.count[step], rest+a.rest[step]
	}
	if len(a.samples) > 0 {
		took, half = a.cost(float64(n), float64(rest))
		return a.drained(took, half, float64(rest))
	}
	return a.in.unsampled(&a.like, float64(rest))
}

// drained is what members are taken to cost where they retire much faster than memory moves what they ask of it: it is between that and what
// memory takes. Where they were timed only in windows with others, part of the time may have gone to those. Where a window was of them alone, memory
// may take a third less: a run without time finds fewer lines in the caches, as not all workgroups bring theirs in.
func (a *alike) drained(cycles, half, instructions float64) (float64, float64) {
	least := a.like.demand[demandMemory] * instructions
	sure := (1 - a.OtherDemand) * least
	if a.whole {
		sure = least * 2 / 3
	}
	if a.like.size > 0 || cycles >= sure {
		return cycles, half
	}
	return (cycles + least) / 2, half + (least-cycles)/2
}

// sampled takes a sample. The next one is further off while what all members take is known well, at a distance that is drawn, so
// that it meets no period.
func (s *strata) sampled(a *alike, x sample, draw *rand.Rand) {
	a.samples = append(a.samples, x)
	a.timed += uint64(x.instructions)
	a.since = 0
	s.quantize(a)
	if len(a.samples) < s.first {
		return
	}
	gap := max(a.gap, s.near)
	if len(a.samples) > s.first { // else nothing is known of what comes
		gap = s.further(gap)
	}
	gap = int(float64(gap)*(0.75+0.5*draw.Float64()) + 0.5)
	a.gap = min(max(gap, s.least), s.far)
}

// further is the distance to the next sample after one at the distance gap: more while samples agree, less where they don't.
func (s *strata) further(gap int) int {
	switch open := s.open(); {
	case open <= s.Steady:
		return 4 * gap
	case open <= s.Agreed:
		return 2 * gap
	}
	return gap / 2
}

// open is what the samples so far leave open of what all members took, as a part of it: of a rare stratum, how sure its rate is
// matters little.
func (s *strata) open() float64 {
	cycles, squares := 0.0, 0.0
	for _, a := range s.list {
		took, half := a.all()
		cycles, squares = cycles+took, squares+half*half
		for _, x := range a.samples {
			cycles += x.cycles
		}
	}
	return math.Sqrt(squares) / max(cycles, 1)
}

// cost is what n members of so many instructions in all take, and half the
// width of its interval: in proportion to their instructions, or, where that is
// nearer to what was timed, so much for a member and so much for an instruction.
func (a *alike) cost(n, instructions float64) (cycles, half float64) {
	list := a.warm()
	mean := pooledRate(list)
	width := a.width(list)
	if a.like.size > 0 && n > 0 {
		if took, open, within, ok := a.in.bySize(a, instructions/n, nil); ok {
			if half = (width*took + open) * n; !within {
				half += math.Abs(took*n-mean*instructions) / 4
			}
			return took * n, half
		}
	}
	if l, ok := lineThrough(list, a.OnLine); ok && n > 0 && l.off < offRate(list, mean) {
		return l.cost(n, instructions)
	}
	return mean * instructions, width * mean * instructions
}

// width is half the interval of the mean rate of samples of the stratum, as a part of it. The variance is moderated: that of few samples counts
// beside that of all strata, and this beside what is expected.
func (a *alike) width(list []sample) float64 {
	own, all := dispersion{}, dispersion{}
	if a.in != nil {
		own, all = a.in.kept(a, a.dispersion), a.in.kept(nil, a.in.dispersion)
	} else {
		own = a.dispersion()
	}
	own.add(dispersion{all.variance() * float64(a.Weight), a.Weight})
	return quantile(own.degrees) * math.Sqrt(own.variance()/float64(len(list))*a.begun())
}

// begun is how many windows were begun for each sample, 1 at least: those that gave none, as they came to other behaviour, may have been of what
// the samples do not show.
func (a *alike) begun() float64 { return max(1, a.windows.n/float64(max(len(a.samples), 1))) }

// A dispersion is a sum of squares of relative deviations, and its degrees of freedom.
type dispersion struct {
	squares float64
	degrees int
}

func (d *dispersion) add(o dispersion) {
	d.squares, d.degrees = d.squares+o.squares, d.degrees+o.degrees
}

func (d *dispersion) variance() float64 { return d.squares / float64(max(d.degrees, 1)) }

// dispersion is that of samples of all strata about their means, with what is expected.
func (s *strata) dispersion() dispersion {
	d := dispersion{s.spread * s.spread * float64(s.Weight), s.Weight}
	for _, a := range s.list {
		d.add(s.kept(a, a.dispersion))
	}
	return d
}

// dispersion is that of the samples of a stratum about their mean, or, where they differ in size, about what launches take that are a
// little smaller and a little larger.
func (a *alike) dispersion() (d dispersion) {
	list := a.warm()
	mean := pooledRate(list)
	sized := a.in != nil && a.differ(list)
	for i := range list {
		x := &list[i]
		if !sized {
			d.add(dispersion{(x.rate()/mean - 1) * (x.rate()/mean - 1), 1})
			continue
		}
		if took, _, within, ok := a.in.bySize(a, x.instructions, x); ok && within {
			off := x.cycles/took - 1
			d.add(dispersion{off * off, 1})
		}
	}
	if !sized {
		d.degrees = max(d.degrees-1, 0)
	}
	return d
}

// waits says of launches that they take much longer than the part of the machine works that they ask most of, where that is known: the state
// in which other launches leave the caches may matter more than their signature shows.
func (a *alike) waits() bool {
	longest := a.like.demand[a.like.demand.busiest()]
	if len(a.samples) == 0 || longest == 0 {
		return false
	}
	rate := pooledRate(a.warm())
	return rate > 3*longest
}

// differ says of samples whether they differ in size by so much that their rates do.
func (a *alike) differ(list []sample) bool {
	least, most := math.Inf(1), 0.0
	for _, x := range list {
		least, most = min(least, x.instructions), max(most, x.instructions)
	}
	return a.like.size > 0 && most-least > a.SizesApart*most
}

// apart is by how much further what was not timed may be from the mean of samples than the true mean of all: it is a sample itself.
func (a *alike) apart(rest float64) float64 { return math.Sqrt(1 + float64(a.timed)/rest) }

// farthest is how far the rate of a sample is from the mean.
func farthest(list []sample, mean float64) (most float64) {
	for _, x := range list {
		most = max(most, math.Abs(x.rate()-mean))
	}
	return most
}

// warm are the samples that say what a member that was not timed takes. None of them
// is the kind's first, which counts only where there are not two others, nor those with which the machine came from another behaviour
// to this one.
func (a *alike) warm() []sample {
	list := a.samples
	if a.cold && len(list) > 2 {
		return list[1:]
	}
	if a.in == nil || a.differ(list) {
		return list
	}
	for range len(list) / a.BurnIn {
		if !firstIsFarthest(list) {
			break
		}
		list = list[1:]
	}
	return list
}

// firstIsFarthest says of samples that the first is further from what all come to than any other.
func firstIsFarthest(list []sample) bool {
	mean := pooledRate(list)
	return math.Abs(list[0].rate()-mean) >= farthest(list[1:], mean)
}
