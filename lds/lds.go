// Package lds models the local data share of a compute unit: its bytes, and the
// number of passes of an access under the machine's bank mapping.
//
// Values are computed when an instruction issues. The caller names the range of
// bytes of the workgroup, and the port that gets the answer.
package lds

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/lane"
	"spvsim/mem/rmw"
)

// A Fault is an access outside of the workgroup's LDS: it read zero, or its
// write was dropped.
type Fault struct {
	Offset, Size uint32 // byte offset, and the bytes that the workgroup has
	Lane         int
	Workgroup    [3]uint32
	Wave         uint32
	isa.Origin
}

func (f Fault) String() string {
	return fmt.Sprintf("workgroup memory access out of bounds: byte %d of %d: %v, workgroup %v, wave %d, lane %d",
		f.Offset, f.Size, f.Origin, f.Workgroup, f.Wave, f.Lane)
}

// maxFaults bounds the faults that are kept; all are counted.
const maxFaults = 8

// Values carries out accesses on the bytes of workgroups, without time. It must
// be used from one goroutine.
type Values struct {
	Faults      uint64
	First       []Fault // the first few faults
	ChangeCount uint64  // stores, and atomic operations of lanes that changed a byte

	stride     uint32 // bytes of a lane in the current access, of a piece where it has two
	contiguous bool   // current access: full mask, lane l's offset is lane 0's plus l times the element
	inBounds   bool   // current access: no active lane is out of bounds
	broadcast  bool   // current access: broadcast. Only Offsets[0] is valid
	discarded  [64]uint32
	lane.Addresses
	step lane.AddressParams
}

// An LDS is the local data share of one compute unit. It must be used from one
// goroutine.
type LDS struct {
	Values

	spec      *Spec
	rows      [NumKinds]*AccessSpec
	bytes     []byte // made when first used
	count     *counter
	phases    [NumKinds][]uint64
	spans     [NumKinds]bool
	*patterns                 // made by the first access that is counted
	response  timing.Response // to the last access
}

// New makes an LDS of a spec that has been checked.
func New(s *Spec) *LDS {
	d := &LDS{spec: s, rows: s.Accesses.rows(), count: newCounter(s)}
	for k, row := range d.rows {
		d.phases[k], _ = row.phases() // Check has read them
		d.spans[k] = s.spans(Kind(k))
	}
	return d
}

func (d *LDS) memory() []byte {
	if d.bytes == nil {
		d.bytes = make([]byte, d.spec.Bytes)
	}
	return d.bytes
}

// Clear zeroes the range of a workgroup that becomes resident.
func (d *LDS) Clear(base, size uint32) { clear(d.memory()[base : base+size]) }

// Bytes returns the bytes of a workgroup's range.
func (d *LDS) Bytes(base, size uint32) []byte { return d.memory()[base : base+size] }

// Issue executes an access to the workgroup's range of size bytes from base on. The response is valid until the next access.
func (d *LDS) Issue(now uint64, st *isa.State, base, size uint32, in *isa.Inst) *timing.Response {
	mask, bytes := d.Access(st, in, d.memory()[base:base+size])
	return d.respond(now, st, base, in, mask, bytes)
}

// Measured executes an access to the bytes of a workgroup, and returns for how many cycles it occupies the compute unit's LDS pipe.
func (d *LDS) Measured(st *isa.State, in *isa.Inst, region []byte) (unit uint64) {
	mask, bytes := d.Access(st, in, region)
	d.spreadBroadcast(st)
	return d.respond(0, st, 0, in, mask, bytes).UnitFreeAt
}

// Bytes returns how many bytes each lane moves.
func Bytes(in *isa.Inst) uint32 {
	parts, n := in.Mem.Runs()
	return uint32(lane.Element(in).Bits()/8) * uint32(parts*n)
}

// Access executes an access to the bytes of a workgroup, and returns which lanes
// took part and how many bytes each moves.
func (d *Values) Access(st *isa.State, in *isa.Inst, region []byte) (mask uint64, bytes uint32) {
	mask = lane.Active(st, in.Mem)
	elem := lane.Element(in)
	_, n := in.Mem.Runs()
	d.stride, bytes = uint32(elem.Bits()/8)*uint32(n), Bytes(in)
	d.offsets(st, in.Mem, mask)
	apart := uint64(in.Mem.PairStride)
	d.contiguous = mask == st.Full && d.Packed && uint64(d.Offsets[0])+apart+uint64(d.stride)*uint64(st.Lanes) <= uint64(len(region))
	d.inBounds = uint64(d.Last)+apart+uint64(d.stride) <= uint64(len(region))
	if d.broadcast && d.inBounds && in.Op == isa.Load && elem.Bits() == 32 && !lane.AnyScalar(in) {
		d.loadBroadcast(st, in, region, mask)
		return mask, bytes
	}
	d.spreadBroadcast(st)
	switch {
	case in.Op == isa.Load:
		d.load(st, in, region, mask, elem)
	case in.Op == isa.Store:
		d.ChangeCount++
		d.store(st, in, region, mask, elem)
	default:
		d.atomic(st, in, region, mask, elem)
	}
	return mask, bytes
}

// offsets computes the byte offset of each lane.
func (d *Values) offsets(st *isa.State, m *isa.Mem, mask uint64) {
	base := uint32(lane.Uniform(st, m.Base)) + m.Offset
	if d.broadcast = m.Index.Kind != isa.Vector; !d.broadcast {
		d.step = lane.AddressParams{Base: base, Stride: d.stride, Exec: mask, Bytes: true}
		d.Addresses.Compute(st.V[int(m.Index.Index)*st.Lanes:][:st.Lanes], &d.step)
		return
	}
	base += uint32(lane.Uniform(st, m.Index))
	d.Offsets[0], d.Last, d.Packed = base, base, false
}

// spreadBroadcast copies the offset of a broadcast to all lanes.
func (d *Values) spreadBroadcast(st *isa.State) {
	if !d.broadcast {
		return
	}
	d.broadcast = false
	for l := range d.Offsets[:st.Lanes] {
		d.Offsets[l] = d.Offsets[0]
	}
}

// loadBroadcast loads what is the same for all lanes.
func (d *Values) loadBroadcast(st *isa.State, in *isa.Inst, b []byte, mask uint64) {
	if n := int(in.Mem.Count); mask == st.Full && in.Mem.PairStride == 0 && inOrder(in, n) {
		lane.FillRows(st.V[int(lane.Result(in, 0).Index)*st.Lanes:][:n*st.Lanes], b[d.Offsets[0]:], st.Lanes)
		return
	}
	for k := range int(in.Mem.Count) {
		r := lane.Result(in, k)
		if r.Kind == isa.Vector {
			x := binary.LittleEndian.Uint32(b[d.Offsets[0]+in.Mem.ElementOffset(k, 4):])
			isa.FillRow(st.V[int(r.Index)*st.Lanes:][:st.Lanes], x, mask, st.Full)
		}
	}
}

// inOrder reports whether the results of a load go to n consecutive vector registers.
func inOrder(in *isa.Inst, n int) bool {
	first := lane.Result(in, 0)
	for k := range n {
		if r := lane.Result(in, k); r.Kind != isa.Vector || int(r.Index) != int(first.Index)+k {
			return false
		}
	}
	return true
}

func (d *Values) load(st *isa.State, in *isa.Inst, b []byte, mask uint64, t isa.Type) {
	if t.Bits() != 32 || lane.AnyScalar(in) {
		d.eachElement(st, in, b, mask, t, d.loadElement)
		return
	}
	var rows [4][]uint32
	for k := range int(in.Mem.Count) {
		rows[k] = d.discarded[:st.Lanes]
		if r := lane.Result(in, k); r.Kind == isa.Vector {
			rows[k] = st.V[int(r.Index)*st.Lanes:][:st.Lanes]
		}
	}
	switch {
	case d.contiguous && in.Mem.Count == 1:
		lane.LoadWords(rows[0], b[d.Offsets[0]:])
		return
	case d.inBounds:
		d.gather(rows[:in.Mem.Count], b, mask, &in.Mem.Access)
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		d.loadWords(st, in, b, bits.TrailingZeros64(mask), &rows)
	}
}

// gather loads the pieces of an access within the bytes.
func (d *Values) gather(rows [][]uint32, b []byte, mask uint64, a *isa.Access) {
	_, n := a.Runs()
	d.Gather(rows[:n], b, mask)
	if n < len(rows) {
		d.Gather(rows[n:], b[a.PairStride:], mask)
	}
}

// scatter stores the pieces of an access within the bytes.
func (d *Values) scatter(b []byte, rows [][]uint32, mask uint64, a *isa.Access) {
	_, n := a.Runs()
	d.Scatter(b, rows[:n], mask)
	if n < len(rows) {
		d.Scatter(b[a.PairStride:], rows[n:], mask)
	}
}

// loadWords loads the 32-bit elements of one lane.
func (d *Values) loadWords(st *isa.State, in *isa.Inst, b []byte, l int, rows *[4][]uint32) {
	for k := range int(in.Mem.Count) {
		at, v := uint64(d.Offsets[l])+uint64(in.Mem.ElementOffset(k, 4)), uint32(0)
		if at+4 > uint64(len(b)) {
			d.fault(st, in, l, uint32(at), len(b))
		} else {
			v = binary.LittleEndian.Uint32(b[at:])
		}
		rows[k][l] = v
	}
}

func (d *Values) loadElement(st *isa.State, in *isa.Inst, e []byte, l, k int) {
	v := uint64(0)
	if e != nil {
		v = lane.Get(e)
	}
	lane.Set(st, lane.Result(in, k), l, lane.Element(in).Bits() == 64, v)
}

// store writes in the order of lanes: where lanes meet, the highest wins.
func (d *Values) store(st *isa.State, in *isa.Inst, b []byte, mask uint64, t isa.Type) {
	if t.Bits() != 32 || !allVector(in.Mem) {
		d.eachElement(st, in, b, mask, t, d.storeElement)
		return
	}
	var rows [4][]uint32
	for k := range int(in.Mem.Count) {
		rows[k] = st.V[int(in.Mem.Data[k].Index)*st.Lanes:][:st.Lanes]
	}
	if d.contiguous && in.Mem.Count == 1 {
		lane.StoreWords(b[d.Offsets[0]:], rows[0])
		return
	}
	if d.inBounds {
		d.scatter(b, rows[:in.Mem.Count], mask, &in.Mem.Access)
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		d.storeWords(st, in, b, bits.TrailingZeros64(mask), &rows)
	}
}

func allVector(m *isa.Mem) bool {
	for _, r := range m.Data[:m.Count] {
		if r.Kind != isa.Vector {
			return false
		}
	}
	return true
}

// storeWords writes the 32-bit elements of one lane.
func (d *Values) storeWords(st *isa.State, in *isa.Inst, b []byte, l int, rows *[4][]uint32) {
	for k := range int(in.Mem.Count) {
		at := uint64(d.Offsets[l]) + uint64(in.Mem.ElementOffset(k, 4))
		if at+4 > uint64(len(b)) {
			d.fault(st, in, l, uint32(at), len(b))
		} else {
			binary.LittleEndian.PutUint32(b[at:], rows[k][l])
		}
	}
}

func (d *Values) storeElement(st *isa.State, in *isa.Inst, e []byte, l, k int) {
	if e != nil {
		lane.Put(e, lane.Value(st, in.Mem.Data[k], l, len(e) == 8))
	}
}

// eachElement visits the elements of the active lanes, lane by lane; e is nil out of
// bounds.
func (d *Values) eachElement(st *isa.State, in *isa.Inst, b []byte, mask uint64, t isa.Type, visit func(st *isa.State, in *isa.Inst, e []byte, l, k int)) {
	size := uint64(t.Bits() / 8)
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		for k := range int(in.Mem.Count) {
			from := uint64(d.Offsets[l]) + uint64(in.Mem.ElementOffset(k, uint32(size)))
			if from+size > uint64(len(b)) {
				d.fault(st, in, l, uint32(from), len(b))
				visit(st, in, nil, l, k)
				continue
			}
			visit(st, in, b[from:from+size], l, k)
		}
	}
}

// atomic updates elements lane by lane, from the lowest lane on. Src[0] has the value, Src[1] the comparator.
func (d *Values) atomic(st *isa.State, in *isa.Inst, b []byte, mask uint64, t isa.Type) {
	update := rmw.Lookup(in.Op, t)
	if update == nil {
		panic(fmt.Sprintf("lds: operation %d on %v is none of the LDS", in.Op, t))
	}
	size, wide := uint64(t.Bits()/8), t.Bits() == 64
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		from, old := uint64(d.Offsets[l]), uint64(0)
		if from+size > uint64(len(b)) {
			d.fault(st, in, l, uint32(from), len(b))
		} else {
			e := b[from : from+size]
			old = lane.Get(e)
			next := update(old, lane.Value(st, in.Src[0], l, wide)&t.Mask(), lane.Value(st, in.Src[1], l, wide)&t.Mask()) & t.Mask()
			lane.Put(e, next)
			if next != old {
				d.ChangeCount++
			}
		}
		if in.Op != isa.AtomicStore {
			lane.Set(st, lane.Result(in, 0), l, wide, old)
		}
	}
}

func (d *Values) fault(st *isa.State, in *isa.Inst, l int, offset uint32, size int) {
	d.Faults++
	if len(d.First) < maxFaults {
		d.First = append(d.First, Fault{offset, uint32(size), l, st.Workgroup, st.WaveInGroup, in.Origin})
	}
}
