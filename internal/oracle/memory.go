package oracle

import (
	"encoding/binary"
	"errors"

	"spvsim/isa"
	"spvsim/program/ir"
)

// An access is one lane's part of a memory operation.
type access struct {
	w      *wave
	l      *lane
	v      *ir.Value
	addr   uint64 // bytes; words in scratch
	bindex uint64
	has    bool // bindex is valid
	data   []uint64
}

// memory carries out an operation on memory, lane after lane.
func (w *wave) memory(v *ir.Value) error {
	row := memoryRows[v.Op]
	if row == nil {
		row = atomic
	}
	var err error
	a := &access{w: w, v: v}
	w.eachLane(w.mask, func(_ int, l *lane) {
		a.evaluate(l)
		if e := row(a); e != nil {
			err = e
		}
	})
	return err
}

// evaluate makes it that of the next lane.
func (a *access) evaluate(l *lane) {
	base, index, bindex, data := a.v.MemArgs()
	a.l, a.addr, a.data = l, uint64(a.v.Mem.Offset), a.data[:0]
	for _, part := range []*ir.Value{base, index} {
		if part != nil {
			a.addr += l.value(part)
		}
	}
	if a.v.Mem.Space != isa.SpaceFlat {
		a.addr = uint64(uint32(a.addr))
	}
	if bindex != nil {
		a.has, a.bindex = true, l.value(bindex)
	}
	for _, d := range data {
		a.data = append(a.data, l.value(d))
	}
}

var memoryRows map[isa.Op]func(a *access) error

func init() {
	memoryRows = map[isa.Op]func(a *access) error{
		isa.Load:       load,
		isa.Store:      store,
		isa.BufferSize: bufferSize,
		isa.ImageLoad:  imageLoad,
		isa.ImageStore: imageStore,
		isa.ImageSize:  imageSize,
	}
}

func (a *access) machine() *machine { return a.w.g.m }

var errDescriptor = errors.New("no such descriptor")

func (a *access) descriptor() (*Descriptor, error) {
	m, n := a.machine(), uint64(0)
	if !a.v.Mem.Dynamic && a.v.Mem.Binding == len(m.f.Bindings) {
		return &Descriptor{Data: m.f.Constants}, nil
	}
	if !a.v.Mem.Dynamic {
		n = uint64(m.first[a.v.Mem.Binding])
	}
	if a.has {
		n += uint64(uint32(a.bindex))
	}
	if n >= uint64(len(m.d.Descriptors)) {
		return nil, errDescriptor
	}
	return &m.d.Descriptors[n], nil
}

// bytes returns n bytes of memory at off from the address; nil if they are out of bounds.
func (a *access) bytes(off, n uint64) ([]byte, error) {
	var data []byte
	at := a.addr + off
	switch a.v.Mem.Space {
	case isa.SpaceBuffer:
		d, err := a.descriptor()
		if err != nil {
			return nil, err
		}
		data = d.Data
	case isa.SpacePush:
		data = a.machine().d.Push
	case isa.SpaceLDS:
		data = a.w.g.lds
	case isa.SpaceFlat:
		if a.v.Mem.Payload {
			var err error
			if data, at, err = a.payloadBytes(at); err != nil {
				return nil, err
			}
			break
		}
		for _, r := range a.machine().d.Regions {
			if at-r.Base < uint64(len(r.Data)) {
				data, at = r.Data, at-r.Base
				break
			}
		}
	}
	if at+n > uint64(len(data)) || at+n < at {
		a.machine().stats.OutOfBounds++
		return nil, nil
	}
	return data[at : at+n], nil
}

func loadBytes(b []byte) uint64 {
	var full [8]byte
	copy(full[:], b)
	return binary.LittleEndian.Uint64(full[:])
}

func storeBytes(b []byte, x uint64) {
	var full [8]byte
	binary.LittleEndian.PutUint64(full[:], x)
	copy(b, full[:])
}

// words returns an element of a scratch variable.
func (a *access) words() []uint32 {
	m := a.v.Mem
	all := a.l.words[m.Local]
	n := uint64(m.Elem.Bits()+31) / 32
	if m.HasIndex && (a.addr < uint64(m.Low) || a.addr >= uint64(m.High)) || a.addr+n > uint64(len(all)) {
		a.machine().stats.OutOfBounds++
		return nil
	}
	return all[a.addr : a.addr+n]
}

func load(a *access) error {
	m := a.v.Mem
	var out [4]uint64
	if m.Space == isa.SpaceScratch {
		for i, w := range a.words() {
			out[0] |= uint64(w) << (32 * i)
		}
	} else {
		size := uint64(m.Elem.Bits() / 8)
		for i := range int(m.Count) {
			b, err := a.bytes(uint64(m.ElementOffset(i, uint32(size))), size)
			if err != nil {
				return err
			}
			out[i] = loadBytes(b)
		}
	}
	if m.Count == 1 {
		a.l.values[a.v.ID] = out[0] & m.Elem.Mask()
	} else {
		a.l.wide[a.v.ID] = out
	}
	return nil
}

func store(a *access) error {
	m := a.v.Mem
	if m.Space == isa.SpaceScratch {
		words := a.words()
		for i := range words {
			words[i] = uint32(a.data[0] >> (32 * i))
		}
		return nil
	}
	size := uint64(m.Elem.Bits() / 8)
	for i := range int(m.Count) {
		b, err := a.bytes(uint64(m.ElementOffset(i, uint32(size))), size)
		if err != nil {
			return err
		}
		storeBytes(b, a.data[i])
	}
	return nil
}

func bufferSize(a *access) error {
	d, err := a.descriptor()
	if err == nil {
		a.l.values[a.v.ID] = uint64(len(d.Data))
	}
	return err
}

// atomics maps each operation to the function of the old value and the data that returns the new value.
var atomics = map[isa.Op]func(t isa.Type, old uint64, data []uint64) uint64{
	isa.AtomicLoad:     func(_ isa.Type, old uint64, _ []uint64) uint64 { return old },
	isa.AtomicStore:    func(_ isa.Type, _ uint64, d []uint64) uint64 { return d[0] },
	isa.AtomicExchange: func(_ isa.Type, _ uint64, d []uint64) uint64 { return d[0] },
	isa.AtomicCompareExchange: func(_ isa.Type, old uint64, d []uint64) uint64 {
		if old == d[1] {
			return d[0]
		}
		return old
	},
	isa.AtomicIInc: func(t isa.Type, old uint64, _ []uint64) uint64 { return isa.Eval(isa.IAdd, t, 0, 0, old, 1) },
	isa.AtomicIDec: func(t isa.Type, old uint64, _ []uint64) uint64 { return isa.Eval(isa.ISub, t, 0, 0, old, 1) },
	isa.AtomicIAdd: combine(isa.IAdd),
	isa.AtomicISub: combine(isa.ISub),
	isa.AtomicSMin: combine(isa.SMin),
	isa.AtomicUMin: combine(isa.UMin),
	isa.AtomicSMax: combine(isa.SMax),
	isa.AtomicUMax: combine(isa.UMax),
	isa.AtomicAnd:  combine(isa.And),
	isa.AtomicOr:   combine(isa.Or),
	isa.AtomicXor:  combine(isa.Xor),
	isa.AtomicFAdd: combine(isa.FAdd),
	isa.AtomicFMin: combine(isa.FMin),
	isa.AtomicFMax: combine(isa.FMax),
}

func combine(op isa.Op) func(t isa.Type, old uint64, data []uint64) uint64 {
	return func(t isa.Type, old uint64, d []uint64) uint64 { return isa.Eval(op, t, 0, 0, old, d[0]) }
}

// atomic carries out a read-modify-write on bytes or on a texel.
func atomic(a *access) error {
	change, t := atomics[a.v.Op], a.v.Mem.Elem
	if change == nil {
		return errors.New("no meaning")
	}
	if a.v.Mem.Space == isa.SpaceImage {
		return atomicTexel(a, change)
	}
	b, err := a.bytes(0, uint64(t.Bits()/8))
	if err != nil {
		return err
	}
	old := loadBytes(b)
	if b != nil {
		storeBytes(b, change(t, old, a.data)&t.Mask())
	}
	a.l.values[a.v.ID] = old & t.Mask()
	return nil
}

// texel returns the image and the position of an access, and whether it is inside; it removes the coordinates from
// data.
func (a *access) texel() (image Image, at [3]uint32, inside bool, err error) {
	d, err := a.descriptor()
	if err != nil || d.Image == nil {
		return nil, at, false, errDescriptor
	}
	n := int(a.v.Mem.Coords)
	size := d.Image.Size()
	inside = true
	for i, x := range a.data[:n] {
		at[i] = uint32(x)
		inside = inside && at[i] < size[i]
	}
	a.data = a.data[n:]
	if !inside {
		a.machine().stats.OutOfBounds++
	}
	return d.Image, at, inside, nil
}

func atomicTexel(a *access, change func(isa.Type, uint64, []uint64) uint64) error {
	image, at, inside, err := a.texel()
	if err != nil || !inside {
		a.l.values[a.v.ID] = 0
		return err
	}
	t := image.Load(at)
	a.l.values[a.v.ID] = t[0]
	t[0] = change(a.v.Mem.Elem, t[0], a.data)
	image.Store(at, t)
	return nil
}

func imageLoad(a *access) error {
	image, at, inside, err := a.texel()
	if err != nil {
		return err
	}
	var t [4]uint64
	if inside {
		t = image.Load(at)
	}
	a.l.wide[a.v.ID] = t
	return nil
}

func imageStore(a *access) error {
	image, at, inside, err := a.texel()
	if err != nil || !inside {
		return err
	}
	image.Store(at, [4]uint64(a.data))
	return nil
}

func imageSize(a *access) error {
	d, err := a.descriptor()
	if err != nil || d.Image == nil {
		return errDescriptor
	}
	a.l.values[a.v.ID] = uint64(d.Image.Size()[a.v.Imm])
	return nil
}

// Texels is an image that stores the four components of a texel unchanged.
type Texels struct {
	Dims [3]uint32 // unused dimensions are 1
	Data [][4]uint64
}

// NewTexels makes an image of zeros.
func NewTexels(x, y, z uint32) *Texels {
	return &Texels{Dims: [3]uint32{x, y, z}, Data: make([][4]uint64, x*y*z)}
}

func (t *Texels) index(at [3]uint32) uint32 { return at[0] + t.Dims[0]*(at[1]+t.Dims[1]*at[2]) }

// Size returns the dimensions.
func (t *Texels) Size() [3]uint32 { return t.Dims }

func (t *Texels) Load(at [3]uint32) [4]uint64 { return t.Data[t.index(at)] }

func (t *Texels) Store(at [3]uint32, texel [4]uint64) { t.Data[t.index(at)] = texel }
