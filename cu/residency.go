package cu

// A ResourceTable holds the free resources of a compute unit. The dispatcher keeps it.
type ResourceTable struct {
	slots, vector, scalar []int  // by SIMD
	lds                   []bool // by granule: taken
	granule               int    // bytes
	groups, barriers      int
	nextSIMD              int       // the SIMD that the next wave goes to first
	asked                 Resources // the last question to Fits
	known, fits           bool      // its answer, until something is taken or freed
}

// NewResourceTable returns the table of an empty compute unit.
func NewResourceTable(m *Limits) ResourceTable {
	r := ResourceTable{
		slots: make([]int, m.SIMDs), vector: make([]int, m.SIMDs), scalar: make([]int, m.SIMDs),
		granule: m.LDS.GranuleBytes, groups: m.mostGroups(), barriers: m.Barriers,
	}
	r.lds = make([]bool, m.LDS.Bytes/r.granule)
	for i := range r.slots {
		r.slots[i], r.vector[i], r.scalar[i] = m.WaveSlots, m.Registers.Vector, m.Registers.Scalar
	}
	return r
}

// Fits reports whether a workgroup could be placed now. Dispatchers ask the same question until the answer changes.
func (r *ResourceTable) Fits(n Resources) bool {
	if !r.known || r.asked != n {
		r.asked, r.known, r.fits = n, true, r.findSpace(n)
	}
	return r.fits
}

// findSpace is Fits by a look at all resources.
func (r *ResourceTable) findSpace(n Resources) bool {
	if r.groups == 0 || n.Barriers > r.barriers {
		return false
	}
	waves := 0
	for i := 0; i < len(r.slots) && waves < n.Waves; i++ {
		waves += r.waves(i, n)
	}
	return waves >= n.Waves && (n.LDSBytes == 0 || r.findLDS(n.LDSBytes) >= 0)
}

// waves returns how many waves with these resources fit on SIMD i.
func (r *ResourceTable) waves(i int, n Resources) int {
	return min(r.slots[i], r.vector[i]/n.VectorRegs, r.scalar[i]/n.ScalarRegs)
}

// findLDS returns the first granule of a free run of the given bytes, or -1.
func (r *ResourceTable) findLDS(bytes int) int {
	want, run := bytes/r.granule, 0
	for i, taken := range r.lds {
		if run++; taken {
			run = 0
		}
		if run == want {
			return i - want + 1
		}
	}
	return -1
}

// TakeGroup allocates the resources of a workgroup, without those of its waves, and returns the first
// byte of its LDS. It must fit.
func (r *ResourceTable) TakeGroup(n Resources) (ldsBase uint32) {
	r.known = false
	r.groups--
	r.barriers -= n.Barriers
	return uint32(r.takeLDS(n.LDSBytes))
}

// takeLDS takes LDS for a workgroup and returns its first byte.
func (r *ResourceTable) takeLDS(bytes int) int {
	if bytes == 0 {
		return 0
	}
	first := r.findLDS(bytes)
	r.markLDS(first, bytes, true)
	return first * r.granule
}

func (r *ResourceTable) markLDS(first, bytes int, taken bool) {
	for i := range bytes / r.granule {
		r.lds[first+i] = taken
	}
}

// TakeWave allocates one wave's resources on the next SIMD in turn where they fit, and returns the SIMD.
func (r *ResourceTable) TakeWave(n Resources) int {
	r.known = false
	for range r.slots {
		i := r.nextSIMD
		if r.nextSIMD++; r.nextSIMD == len(r.slots) {
			r.nextSIMD = 0
		}
		if r.waves(i, n) > 0 {
			r.slots[i]--
			r.vector[i] -= n.VectorRegs
			r.scalar[i] -= n.ScalarRegs
			return i
		}
	}
	panic("cu: a workgroup was placed where it does not fit")
}

// FreeWave frees the resources of a wave on its SIMD.
func (r *ResourceTable) FreeWave(i int, n Resources) {
	r.known = false
	r.slots[i]++
	r.vector[i] += n.VectorRegs
	r.scalar[i] += n.ScalarRegs
}

// FreeGroup frees the resources of a workgroup, without those of its waves.
func (r *ResourceTable) FreeGroup(ldsBase uint32, n Resources) {
	r.known = false
	r.groups++
	r.barriers += n.Barriers
	r.markLDS(int(ldsBase)/r.granule, n.LDSBytes, false)
}
