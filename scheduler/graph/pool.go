package graph

import (
	"cmp"
	"slices"

	"spvsim/account"
	"spvsim/isa"
	"spvsim/mem"
)

// A payloadState is a phase of a payload's life.
type payloadState uint8

const (
	payloadFree      payloadState = iota
	payloadAllocated              // its workgroup may write it
	payloadQueued                 // enqueued; workgroups may read it
)

// A payload is a place in the pool, with the payload that lives there now.
type payload struct {
	addr  uint64
	data  []byte
	chunk int32
	class int32

	state                payloadState
	node                 *Node
	array                int32 // array that it was allocated in
	input                int32 // latest array that workgroups read it through; 0: none yet
	size                 uint32
	charged              uint64        // bytes that it takes of the pool
	host                 bool          // dispatched by the host
	location             entryLocation // of its entry in a hardware queue
	onChip               bool
	groups               [3]uint32   // grid that it starts at its node
	shared               [][3]uint32 // grids at the nodes that share the input, in their order
	launches, unfinished uint32      // launches that have not ended; workgroups that have not called OpFinishWritingNodePayloadAMDX
	remaining            uint32      // recursion levels left of its node
	enqueued             uint64      // cycle of its enqueue
	from                 *hop        // launch that enqueued it; nil: the host
}

// An array is the payloads of one handle. Its elements need not be contiguous.
type array struct {
	generation uint32
	live       bool
	elems      []int32
	target     *stage
	owner      *workgroup // workgroup that allocated it; nil: an input
	group      bool       // belongs to the workgroup, not to one invocation
	enqueued   bool
	enqueue    isa.EnqueuePoint // of the last wave, if it is enqueued
	waves      uint64           // waves that have enqueued it
	id         isa.Origin       // instruction that allocated it
}

// A class is the places of one size, on chip or not.
type class struct {
	stride uint32
	onChip bool
	free   []int32
}

// A chunk is memory divided into places of one class.
type chunk struct {
	addr, end uint64
	stride    uint64
	first     int32
}

// A pool is the payload memory of a machine. Its limit counts bytes alone: places of each size come from chunks, as if
// address translation gathered free bytes.
type pool struct {
	graph    *Graph
	store    *mem.Store
	counts   *account.QueueCounts
	scratch  uint64 // bytes
	capacity uint64 // bytes, on chip and scratch
	onChip   uint64 // bytes on chip
	copies   uint64 // number of times that a workgroup of each level fits (see freeBytes)
	reserved uint64 // bytes allocated, or reserved by running workgroups
	used     uint64 // arrays that it has allocated
	chipUsed uint64

	payloads   []payload
	arrays     []array
	freeArrays []int32 // arrays not in use
	classes    []class
	chunks     []chunk // by address
	lastChunk  int     // last result of find

	spilled uint64 // payloads without space on chip
}

func newPool(g *Graph, store *mem.Store, counts *account.QueueCounts, onChip, scratch uint64) *pool {
	p := &pool{graph: g, store: store, counts: counts, scratch: scratch}
	p.payloads, p.arrays = make([]payload, 1), make([]array, 1) // index 0: none
	p.setOnChip(onChip)
	return p
}

// setOnChip sets how much on-chip memory the pool has. Nothing may be allocated.
func (p *pool) setOnChip(onChip uint64) {
	p.onChip, p.capacity = onChip, onChip+p.scratch
	p.copies = p.capacity / max(p.graph.MinimumBytes(), 1)
}

// freeBytes returns the bytes that a workgroup of a level may allocate: capacity - reserved - copies*deeper[level].
// The last term leaves deeper levels what they need, for as many workgroups as fit of all levels together. With one
// workgroup only, deep levels would run one at a time once shallow levels have filled the memory.
func (p *pool) freeBytes(level int) uint64 {
	left := p.capacity - p.reserved
	return left - min(p.copies*p.graph.deeper[level], left)
}

// allocate returns a place for a payload of size bytes, charged to what the caller reserved. Payloads of the host are
// not charged.
func (p *pool) allocate(size uint32, host bool) (int32, error) {
	stride := max((size+payloadAlignment-1)/payloadAlignment*payloadAlignment, payloadAlignment)
	onChip := !host && p.chipUsed+uint64(stride) <= p.onChip
	c := p.class(stride, onChip)
	if len(p.classes[c].free) == 0 {
		if err := p.grow(c); err != nil {
			return 0, err
		}
	}
	k := &p.classes[c]
	i := k.free[len(k.free)-1]
	k.free = k.free[:len(k.free)-1]
	e := &p.payloads[i]
	*e = payload{addr: e.addr, data: e.data, chunk: e.chunk, class: e.class, state: payloadAllocated, size: size, host: host, onChip: onChip, shared: e.shared[:0]}
	clear(e.data)
	switch {
	case host:
	case onChip:
		p.chipUsed += uint64(stride)
		p.charge(e, stride)
	default:
		p.spilled++
		p.charge(e, stride)
	}
	return i, nil
}

// charge counts the bytes of a payload.
func (p *pool) charge(e *payload, bytes uint32) {
	e.charged = uint64(bytes)
	p.used += e.charged
	p.counts.PeakBytes = max(p.counts.PeakBytes, p.used)
}

func (p *pool) class(stride uint32, onChip bool) int {
	for i := range p.classes {
		if c := &p.classes[i]; c.stride == stride && c.onChip == onChip {
			return i
		}
	}
	p.classes = append(p.classes, class{stride: stride, onChip: onChip})
	return len(p.classes) - 1
}

// Chunks grow from chunkBytes to largestChunk, so that small graphs stay small.
const (
	chunkBytes   = 16 << 10
	largestChunk = 1 << 20
)

// grow adds a chunk to a class, twice as large as its largest so far.
func (p *pool) grow(c int) error {
	k := &p.classes[c]
	bytes := uint64(chunkBytes)
	for i := range p.chunks {
		if p.chunks[i].stride == uint64(k.stride) {
			bytes = min(bytes*2, largestChunk)
		}
	}
	n := max(bytes/uint64(k.stride), 1)
	b, err := p.store.Alloc(n*uint64(k.stride), "payloads")
	if err != nil {
		return err
	}
	b.OnChip = k.onChip
	first := len(p.payloads)
	p.chunks = append(p.chunks, chunk{addr: b.Addr, end: b.Addr + b.Size, stride: uint64(k.stride), first: int32(first)})
	for i := range n {
		at := i * uint64(k.stride)
		p.payloads = append(p.payloads, payload{addr: b.Addr + at, data: b.Bytes[at : at+uint64(k.stride)], chunk: int32(len(p.chunks) - 1), class: int32(c)})
	}
	for i := len(p.payloads) - 1; i >= first; i-- {
		k.free = append(k.free, int32(i))
	}
	return nil
}

// release frees a payload.
func (p *pool) release(i int32) {
	e := &p.payloads[i]
	e.state, e.from = payloadFree, nil
	p.reserved -= e.charged
	p.used -= e.charged
	if e.onChip {
		p.chipUsed -= e.charged
	}
	k := &p.classes[e.class]
	k.free = append(k.free, i)
}

// find returns the payload at an address, or 0.
func (p *pool) find(addr uint64) int32 {
	if len(p.chunks) == 0 {
		return 0
	}
	c := &p.chunks[p.lastChunk]
	if addr < c.addr || addr >= c.end {
		i, exact := slices.BinarySearchFunc(p.chunks, addr, func(c chunk, a uint64) int { return cmp.Compare(c.addr, a) })
		if !exact {
			i--
		}
		if i < 0 || addr >= p.chunks[i].end {
			return 0
		}
		p.lastChunk = i
		c = &p.chunks[i]
	}
	return c.first + int32((addr-c.addr)/c.stride)
}

// newArray returns an array without elements.
func (p *pool) newArray(target *stage) int32 {
	var i int32
	if n := len(p.freeArrays); n > 0 {
		i, p.freeArrays = p.freeArrays[n-1], p.freeArrays[:n-1]
	} else {
		i = int32(len(p.arrays))
		p.arrays = append(p.arrays, array{})
	}
	a := &p.arrays[i]
	*a = array{generation: a.generation + 1, live: true, elems: a.elems[:0], target: target}
	return i
}

func (p *pool) dropArray(i int32) {
	p.arrays[i].live = false
	p.freeArrays = append(p.freeArrays, i)
}

// handle returns the handle of an array. Its generation keeps handles of dropped arrays from naming later ones.
func (p *pool) handle(i int32) uint64 {
	return uint64(p.arrays[i].generation)<<32 | uint64(uint32(i))
}

// lookup returns the array of a handle, or 0.
func (p *pool) lookup(handle uint64) int32 {
	i := handle & (1<<32 - 1)
	if i == 0 || i >= uint64(len(p.arrays)) || !p.arrays[i].live || uint64(p.arrays[i].generation) != handle>>32 {
		return 0
	}
	return int32(i)
}

// stageOf returns the stage of a payload.
func (p *pool) stageOf(i int32) *stage {
	x := &p.payloads[i]
	return x.node.stages[x.remaining]
}
