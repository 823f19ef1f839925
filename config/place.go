package config

import "slices"

// maxAddress bounds device addresses: 48 bits, as the caches of today's GPUs see.
const maxAddress = 1<<48 - 1

// A BufferLocation is the location of a buffer: an address, 0 for any; or a part of the buffer Whole.
type BufferLocation struct {
	Address       uint64
	Parent        int // index in the job's buffers; -1: not a part
	Offset, Bytes uint64
}

// Location evaluates the location of a buffer. size returns the size of the buffer that it is part of, by its index among
// the job's.
func (b *Buffer) Location(size func(whole int) uint64) (BufferLocation, error) {
	p, key, err := b.location(size)
	if err != nil {
		err = withPositions([]problem{problemAt(indexPath("buffers", b.index)+"."+key, err, ErrRange)}, b.job.positions)
	}
	return p, err
}

// location returns the key of an error too.
func (b *Buffer) location(size func(whole int) uint64) (p BufferLocation, key string, err error) {
	p.Parent = -1
	s := b.job.scope
	address, err := b.Address.evalInt(s, 0, 0, maxAddress)
	if err != nil || b.PartOf == "" {
		p.Address = uint64(address)
		return p, "address", err
	}
	p.Parent = slices.IndexFunc(b.job.Buffers[:b.index], func(o Buffer) bool { return o.Name == b.PartOf })
	all := int64(size(p.Parent))
	offset, err := b.Offset.evalInt(s, 0, 0, all)
	if err != nil {
		return p, "offset", err
	}
	bytes, err := b.PartBytes.evalInt(s, all-offset, 0, all-offset)
	p.Offset, p.Bytes = uint64(offset), uint64(bytes)
	return p, "bytes", err
}
