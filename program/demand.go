package program

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Where buffers are descriptors, the vector registers of a program are counted as Mesa's ACO would use them. That is
// not the minimum: ACO targets an occupancy and does not save registers below it, and wide accesses need consecutive
// registers. Rules read from its listings:
//
//   - a program may use as many registers as the targeted number of waves leaves;
//   - a single register comes from the smallest gap; two, four or eight consecutive ones from the first aligned gap;
//   - the words of a wide store, and the coordinates of an image, are consecutive: the first to be computed reserves
//     registers for all, the others take their places there, and values that are read again afterwards are copied in;
//   - the parts of a wide load stay in the registers that it wrote;
//   - a phi takes the register of one of its sources, sources that end at the phi take the phi's register, and a sum
//     whose last use is a fused multiply-add is the accumulator of that instruction.
type acoRegisterModel struct {
	fl    *flow
	lv    *liveness
	uses  []int
	t     *Target
	projs map[*ir.Value][]*ir.Value

	owner        []int     // by register: the id of the value in it plus 1, 0 when it is free
	maxUsed      int       // registers used, from the first on
	reg          []int     // by value id: its first register, -1 before it has one
	vectorOf     []*vector // by value id: the vector whose part it becomes
	affinity     []int     // by value id: the phi whose register it prefers, -1 if none
	preferredReg []int     // by id of a phi: the register of the first value that prefers it, -1
	last         []int     // by value id: the last place in the block at which it is read
	redefined    []int     // by id of a phi: the last block seen, by id plus 1, whose copies write it
	rows         []int     // by value id
	materialized []bool    // by value id: copies of scalars and constants that are made where a row of registers is

	sharing map[vectorKey]int   // how many accesses have a vector of the same values
	made    map[vectorKey][]int // places at which it is made
	inRow   []bool              // by value id: a materialized copy that a vector has
	moved   []int               // by id of an access: registers that are copied into its vectors
}

// A vectorKey is the values of a vector, by their ids plus 1.
type vectorKey [8]int32

// A vector is a group of values in consecutive registers. Values that have a register elsewhere are copied there.
type vector struct {
	components []*ir.Value
	rows       int
}

func (x *vector) key() (k vectorKey) {
	for i, p := range x.components {
		k[i] = int32(p.ID + 1)
	}
	return k
}

func (x *vector) offset(v *ir.Value) (n int) {
	for _, p := range x.components {
		if p == v {
			return n
		}
		n += p.R.Rows()
	}
	return n
}

// inVectorFile reports a value that takes vector registers.
func inVectorFile(v *ir.Value) bool { return !literal(v) && v.R != isa.Void && !inScalar(v) }

// vectorDemand returns how many vector registers a driver's allocation uses, at least tightest, and how many it copies to
// where an access needs them, by the access's id.
func vectorDemand(f *ir.Func, fl *flow, lv *liveness, pre []*ir.Value, uses []int, t *Target, tightest int) (most int, moved []int) {
	n := f.NumValues()
	d := &acoRegisterModel{fl: fl, lv: lv, uses: uses, t: t, projs: findResults(f), reg: make([]int, n), vectorOf: make([]*vector, n), affinity: make([]int, n), preferredReg: make([]int, n), last: make([]int, n), redefined: make([]int, n),
		rows: make([]int, n), materialized: make([]bool, n), sharing: map[vectorKey]int{}, made: map[vectorKey][]int{}, inRow: make([]bool, n), moved: make([]int, n)}
	for i := range n {
		d.reg[i], d.affinity[i], d.preferredReg[i] = -1, -1, -1
	}
	limit := t.Opt.Registers.RegistersAtOccupancy(tightest, t.wavesOfLDS(f))
	d.owner = make([]int, limit)
	for i := len(fl.Blocks) - 1; i >= 0; i-- {
		d.collectAffinities(fl.Blocks[i])
	}
	for i, b := range fl.Blocks {
		d.block(b, i == 0, pre)
	}
	return min(max(d.maxUsed, tightest), limit), d.moved
}

// collectAffinities runs from the last block to the first. It records the vector that each value becomes a part of, and the
// register that it prefers.
func (d *acoRegisterModel) collectAffinities(b *ir.Block) {
	d.findLast(b)
	for _, c := range d.lv.copies[b.ID] {
		if inVectorFile(c.phi) && inVectorFile(c.src) && d.affinity[c.src.ID] < 0 && d.endsAt(c.src, b, len(b.Code)) {
			d.affinity[c.src.ID] = d.affinityOf(c.phi)
		}
	}
	for i := len(b.Code) - 1; i >= 0; i-- {
		v := b.Code[i]
		for _, x := range d.vectors(v) {
			d.sharing[x.key()]++
			for _, p := range x.components {
				switch {
				case p.Op == isa.Mov && uniform(p.Args[0]):
					d.materialized[p.ID] = true
				case d.endsAt(p, b, i):
					d.vectorOf[p.ID] = x
				}
			}
		}
		if a := d.addend(v, b, i); a != nil && d.affinity[v.ID] >= 0 && d.affinity[a.ID] < 0 {
			d.affinity[a.ID] = d.affinity[v.ID]
		}
	}
}

// affinityOf returns the phi that represents all values with the same preferred register.
func (d *acoRegisterModel) affinityOf(phi *ir.Value) int {
	if id := d.affinity[phi.ID]; id >= 0 {
		return id
	}
	return phi.ID
}

// findLast finds where a block reads each value last: its copies come after its code.
func (d *acoRegisterModel) findLast(b *ir.Block) {
	for i, v := range b.Code {
		for _, a := range v.Args {
			d.last[a.ID] = i
		}
	}
	for _, c := range d.lv.copies[b.ID] {
		d.last[c.src.ID], d.redefined[c.phi.ID] = len(b.Code), b.ID+1
	}
}

// endsAt reports that a value, which place i of a block reads, is not read any more.
func (d *acoRegisterModel) endsAt(v *ir.Value, b *ir.Block, i int) bool {
	return inVectorFile(v) && d.last[v.ID] == i && (d.redefined[v.ID] == b.ID+1 || !d.lv.out[b.ID].has(v.ID))
}

// vectors returns the operands of an access that need consecutive registers.
func (d *acoRegisterModel) vectors(v *ir.Value) (list []*vector) {
	if v.Mem == nil || v.Mem.Space == isa.SpacePush {
		return nil
	}
	_, _, _, data := v.MemArgs()
	n := int(v.Mem.Coords)
	if v.Mem.Space == isa.SpaceImage && n > 1 && d.t.LoadsGrid { // from GFX10 on, an image's coordinates need not be in a row
		list = append(list, newVector(data[:n]))
	}
	words := data[n:]
	if v.Op == isa.ImageStore {
		words = words[:v.Mem.Channels()]
	}
	if (v.Op == isa.Store || v.Op == isa.ImageStore) && len(words) > 1 && !loadedSo(words) {
		list = append(list, newVector(words))
	}
	return list
}

func newVector(parts []*ir.Value) *vector {
	x := &vector{components: parts}
	for _, p := range parts {
		x.rows += p.R.Rows()
	}
	return x
}

// loadedSo reports whether the values are all words of one load, in order.
func loadedSo(words []*ir.Value) bool {
	for i, w := range words {
		if w.Op != isa.Proj || w.Imm != uint64(i) || w.Args[0] != words[0].Args[0] {
			return false
		}
	}
	m := words[0].Args[0].Mem
	return m != nil && int(m.Count) == len(words)
}

// addend returns the operand that a fused multiply-add may accumulate into; nil if none.
func (d *acoRegisterModel) addend(v *ir.Value, b *ir.Block, i int) *ir.Value {
	if v.Op != isa.Fma || v.T != isa.F32 || v.Mod.Any() || !inVectorFile(v) || !d.endsAt(v.Args[2], b, i) {
		return nil
	}
	return v.Args[2]
}

// block assigns registers to the values of a block. Values that are live at its start have registers already.
func (d *acoRegisterModel) block(b *ir.Block, first bool, pre []*ir.Value) {
	d.findLast(b)
	clear(d.owner)
	if first {
		d.preset(pre)
	}
	own := map[int]bool{}
	for _, phi := range b.Phis {
		own[phi.ID] = true
	}
	d.lv.in[b.ID].visit(func(id int) {
		if d.reg[id] >= 0 && !own[id] {
			d.setID(id, true)
		}
	})
	for _, phi := range b.Phis {
		if inVectorFile(phi) && d.lv.in[b.ID].has(phi.ID) {
			d.phi(phi)
		}
	}
	for i, v := range b.Code {
		if v.Op != isa.Proj && !literal(v) {
			d.value(v, b, i)
		}
	}
}

// preset assigns the registers that a wave has from its start: the invocation's position in the workgroup, in three
// registers or in one.
func (d *acoRegisterModel) preset(pre []*ir.Value) {
	place := func(v *ir.Value) bool { return v.Op.Has(isa.FlagLocalID) && d.uses[v.ID] > 0 }
	for _, v := range pre {
		if place(v) && !d.t.PackedIDs {
			d.assign(v, int(v.Op-isa.LocalIDX))
		}
	}
	for _, v := range pre {
		if inVectorFile(v) && d.uses[v.ID] > 0 && d.reg[v.ID] < 0 {
			d.assign(v, d.find(v.R.Rows()))
		}
	}
}

func (d *acoRegisterModel) assign(v *ir.Value, r int) {
	d.reg[v.ID], d.rows[v.ID] = r, v.R.Rows()
	for _, id := range []int{d.affinity[v.ID], v.ID} {
		if id >= 0 && d.preferredReg[id] < 0 {
			d.preferredReg[id] = r
		}
	}
	d.setID(v.ID, true)
}

// setID takes or frees a value's registers.
func (d *acoRegisterModel) setID(id int, taken bool) {
	switch {
	case d.reg[id] < 0:
	case taken:
		d.set(d.reg[id], d.rows[id], id+1)
	default:
		d.set(d.reg[id], d.rows[id], 0)
	}
}

// inPassing owns registers for a moment.
const inPassing = -1

func (d *acoRegisterModel) set(from, n, owner int) {
	d.grow(max(from+n-len(d.owner), 0))
	for r := from; r < from+n; r++ {
		d.owner[r] = owner
	}
	if owner != 0 {
		d.maxUsed = max(d.maxUsed, from+n)
	}
}

func (d *acoRegisterModel) free(from, n int) bool {
	return from >= 0 && from+n <= len(d.owner) && !slices.ContainsFunc(d.owner[from:from+n], func(o int) bool { return o != 0 })
}

// phi gives a phi the register of a source that has one.
func (d *acoRegisterModel) phi(phi *ir.Value) {
	n := phi.R.Rows()
	for _, a := range phi.Args {
		if inVectorFile(a) && d.reg[a.ID] >= 0 && d.free(d.reg[a.ID], n) {
			d.assign(phi, d.reg[a.ID])
			return
		}
	}
	d.assign(phi, d.preferred(phi))
}

// preferred returns the preferred register of a value if it is free, otherwise any free one.
func (d *acoRegisterModel) preferred(v *ir.Value) int {
	n := v.R.Rows()
	if id := d.affinity[v.ID]; id >= 0 && d.free(d.preferredReg[id], n) {
		return d.preferredReg[id]
	}
	if v.Op == isa.Phi && d.free(d.preferredReg[v.ID], n) {
		return d.preferredReg[v.ID]
	}
	return d.find(n)
}

// value frees the operands that an instruction reads last, and assigns registers to its results.
func (d *acoRegisterModel) value(v *ir.Value, b *ir.Block, i int) {
	d.reserveTemporaries(v)
	sum := d.addend(v, b, i)
	if inVectorFile(v) && carriesOver(v) {
		d.assign(v, d.registerFor(v))
		d.endArgs(v, b, i)
		return
	}
	d.endArgs(v, b, i)
	for _, x := range d.vectors(v) {
		d.moved[v.ID] += d.assemble(x, b, i)
	}
	switch results := d.projs[v]; {
	case len(results) > 0:
		d.wide(v, results)
	case !inVectorFile(v) || d.materialized[v.ID]:
	case sum != nil && d.free(d.reg[sum.ID], 1) && !d.prefersOther(v, d.reg[sum.ID]):
		d.assign(v, d.reg[sum.ID])
	default:
		d.assign(v, d.registerFor(v))
	}
	if inVectorFile(v) && d.uses[v.ID] == 0 {
		d.setID(v.ID, false)
	}
}

// carriesOver reports whether a value is integer arithmetic of 64 bits, which writes the lower half before it reads the
// operands of the upper half.
func carriesOver(v *ir.Value) bool {
	return v.T == isa.I64 && (v.Op == isa.IAdd || v.Op == isa.ISub || v.Op == isa.IMul || v.Op == isa.INeg)
}

func (d *acoRegisterModel) endArgs(v *ir.Value, b *ir.Block, i int) {
	for _, a := range v.Args {
		if d.endsAt(a, b, i) {
			d.setID(a.ID, false)
		}
	}
}

// prefersOther reports whether a value prefers a register other than r, and that register is free.
func (d *acoRegisterModel) prefersOther(v *ir.Value, r int) bool {
	id := d.affinity[v.ID]
	return id >= 0 && d.preferredReg[id] != r && d.free(d.preferredReg[id], 1)
}

// wide assigns consecutive registers to the results of one access, and frees the registers of unused results.
func (d *acoRegisterModel) wide(v *ir.Value, results []*ir.Value) {
	n, each := 0, 0
	for _, p := range results {
		if inVectorFile(p) {
			n, each = max(n, int(p.Imm)+1), p.R.Rows()
		}
	}
	if n == 0 || v.Mem == nil {
		d.separate(results)
		return
	}
	if v.Op == isa.Load {
		n = max(n, int(v.Mem.Count))
	}
	from := d.find(n * each)
	d.set(from, n*each, inPassing)
	d.set(from, n*each, 0)
	for _, p := range results {
		if inVectorFile(p) && d.uses[p.ID] > 0 {
			d.assign(p, from+int(p.Imm)*each)
		}
	}
}

func (d *acoRegisterModel) separate(results []*ir.Value) {
	for _, p := range results {
		if inVectorFile(p) && d.uses[p.ID] > 0 {
			d.assign(p, d.find(p.R.Rows()))
		}
	}
}

// registerFor returns the register of a value: next to the other parts of its vector, if that register is free.
func (d *acoRegisterModel) registerFor(v *ir.Value) int {
	x := d.vectorOf[v.ID]
	if x == nil {
		return d.preferred(v)
	}
	n, offset := v.R.Rows(), x.offset(v)
	for _, p := range x.components {
		if p != v && d.vectorOf[p.ID] == x && d.reg[p.ID] >= 0 {
			if r := d.reg[p.ID] - x.offset(p) + offset; d.free(r, n) {
				return r
			}
		}
	}
	if r := d.fit(x.rows); r >= 0 {
		return r + offset
	}
	return d.preferred(v)
}

// assemble reserves the consecutive registers of a vector for one access. It extends the registers of a part that ends
// at the access if that takes at most as many moves as the vector has registers; otherwise it finds others. It returns the
// registers that are copied: none if the vector is there already.
func (d *acoRegisterModel) assemble(x *vector, b *ir.Block, i int) (copied int) {
	best, least := -1, x.rows+1
	for _, p := range x.components {
		if d.reg[p.ID] < 0 || !d.endsAt(p, b, i) {
			continue
		}
		from := d.reg[p.ID] - x.offset(p)
		if from < 0 || from+x.rows > len(d.owner) {
			continue
		}
		if cost := d.moves(x, from); cost < least || cost == least && from%4 == 0 {
			best, least = from, cost
		}
	}
	k, at := x.key(), d.fl.Position[b.ID]
	if !d.fl.dominatedByAny(d.made[k], at) {
		d.made[k] = append(d.made[k], at)
		copied = d.copied(x, best, b, i)
	}
	if best < 0 {
		best = d.find(x.rows)
	} else {
		d.clear(best, x.rows)
	}
	d.set(best, x.rows, inPassing)
	d.set(best, x.rows, 0)
	return copied
}

// copied counts the registers that are copied to make a vector at register from (-1: elsewhere): parts that are not in
// place, that are read otherwise, or that the vector has again, and what other values have there. A copy of a scalar or a constant
// is an operation already, the first time.
func (d *acoRegisterModel) copied(x *vector, from int, b *ir.Block, i int) (n int) {
	at, shared := from, d.sharing[x.key()]
	for j, p := range x.components {
		again := slices.Contains(x.components[:j], p)
		private := d.endsAt(p, b, i) || d.uses[p.ID] == shared
		switch {
		case d.materialized[p.ID]:
			again = d.inRow[p.ID]
			d.inRow[p.ID] = true
		case from < 0 || d.reg[p.ID] != at || !private:
			again = true
		}
		if again {
			n += p.R.Rows()
		}
		at += p.R.Rows()
	}
	if from >= 0 {
		for _, o := range d.owner[from : from+x.rows] {
			if o > 0 && !slices.ContainsFunc(x.components, func(p *ir.Value) bool { return p.ID == o-1 }) {
				n++
			}
		}
	}
	return n
}

// moves counts the registers that have to be moved so that a vector starts at register from.
func (d *acoRegisterModel) moves(x *vector, from int) (n int) {
	for r := from; r < from+x.rows; r++ {
		if d.owner[r] != 0 {
			n++
		}
	}
	for _, p := range x.components {
		if d.reg[p.ID] >= 0 && d.reg[p.ID] != from+x.offset(p) {
			n += p.R.Rows()
		}
	}
	return n
}

// clear moves other values out of n registers.
func (d *acoRegisterModel) clear(from, n int) {
	for r := from; r < from+n; r++ {
		id := d.owner[r] - 1
		if id < 0 {
			continue
		}
		d.setID(id, false)
		kept := slices.Clone(d.owner[from : from+n])
		d.set(from, n, inPassing)
		to := d.fit(d.rows[id])
		if to < 0 {
			to = len(d.owner)
			d.grow(d.rows[id])
		}
		copy(d.owner[from:], kept)
		d.reg[id] = to
		d.setID(id, true)
	}
}

// find returns n consecutive free registers. If there are none, it compacts the live values, then raises the number of
// registers.
func (d *acoRegisterModel) find(n int) int {
	if r := d.fit(n); r >= 0 {
		return r
	}
	d.compact()
	for {
		if r := d.fit(n); r >= 0 {
			return r
		}
		d.grow(max(d.t.Opt.Registers.Granule, 1))
	}
}

func (d *acoRegisterModel) grow(n int) { d.owner = append(d.owner, make([]int, n)...) }

// compact moves all values to the lowest registers, in the order in which they lie.
func (d *acoRegisterModel) compact() {
	at := 0
	for r := 0; r < len(d.owner); r++ {
		o := d.owner[r]
		switch {
		case o == 0:
		case o < 0:
			d.owner[r], d.owner[at] = 0, o
			at++
		default:
			n := d.rows[o-1]
			d.setID(o-1, false)
			d.reg[o-1] = at
			d.setID(o-1, true)
			r, at = r+n-1, at+n
		}
	}
}

// fit returns n consecutive free registers, chosen as the driver does; -1 if there are none.
func (d *acoRegisterModel) fit(n int) int {
	for stride := 8; stride > 1; stride /= 2 {
		if n%stride != 0 {
			continue
		}
		for r := 0; r+n <= len(d.owner); r += stride {
			if d.free(r, n) {
				return r
			}
		}
	}
	return d.gap(n)
}

// gap returns n registers in the smallest gap that holds them: at its end if that leaves a better aligned start.
func (d *acoRegisterModel) gap(n int) int {
	best, size := -1, len(d.owner)+1
	for r := 0; r < len(d.owner); r++ {
		from := r
		for r < len(d.owner) && d.owner[r] == 0 {
			r++
		}
		if r-from == n {
			return from
		}
		if r-from > n && r-from < size {
			best, size = from, r-from
		}
	}
	if best < 0 {
		return -1
	}
	if rest := size - n; rest > 1 {
		for stride := 8; stride > 1; stride /= 2 {
			if (best+n)%stride != 0 && (best+rest)%stride == 0 {
				return best + rest
			}
		}
	}
	return best
}

// reserveTemporaries reserves temporary registers of an operation, which are live together with its operands, and frees them again.
func (d *acoRegisterModel) reserveTemporaries(v *ir.Value) {
	n := d.temporaries(v)
	for range n {
		d.set(d.find(1), 1, inPassing)
	}
	for r := range d.owner {
		if n > 0 && d.owner[r] == inPassing {
			d.owner[r] = 0
		}
	}
}

// stepRegisters lists, for operations that expand to several instructions, the registers used in addition to operands
// and result, from RADV's listings.
var stepRegisters = map[isa.Op]int{isa.Asin: 5, isa.Acos: 5, isa.Atan: 8, isa.Atan2: 9, isa.Tanh: 3}

// flatAddress is the number of registers in which an address of 64 bits is computed: two halves, and the upper half of
// the base.
const flatAddress = 3

// temporaries returns the temporary registers of one operation. A scalar operation that the vector unit computes takes
// one.
func (d *acoRegisterModel) temporaries(v *ir.Value) int {
	if n := stepRegisters[v.Op]; n > 0 && !v.Uniform {
		return n
	}
	if v.Mem != nil && v.Mem.Space == isa.SpaceFlat && v.Mem.HasBase && v.Mem.HasIndex && d.t.LoadsGrid {
		return flatAddress
	}
	if v.Op.Has(isa.FlagCrossLane) && v.Mem == nil && !v.Uniform && len(d.t.expand(&isa.Inst{Op: v.Op, T: v.T, From: v.From})) > 1 {
		return 1 // the value exchanged between lanes
	}
	if v.Uniform && v.Mem == nil && slices.ContainsFunc(d.t.expand(&isa.Inst{Op: v.Op, T: v.T, From: v.From, Uniform: true}), func(c isa.Class) bool { return c != isa.ClassSALU }) {
		return 1
	}
	return 0
}
