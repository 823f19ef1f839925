package mem

import (
	"fmt"
	"slices"

	"spvsim/mem/hierarchy"
	"spvsim/mem/texture"
	"spvsim/program/ir"
)

// A Descriptor describes one bound buffer, image or texel buffer. The zero Descriptor is unbound: every access to it is
// out of bounds.
type Descriptor struct {
	Addr  uint64
	Bytes []byte
	Image *texture.Image // nil for buffers
	// Sampler of a binding of samplers; Target of a colour attachment.
	Sampler *texture.Sampler
	Target  *Target
}

// Of returns the descriptor of a whole buffer.
func Of(b *Buffer) Descriptor { return Descriptor{Addr: b.Addr, Bytes: b.Bytes} }

// OfImage returns the descriptor of an image at the start of a buffer.
func OfImage(b *Buffer, i *texture.Image) (Descriptor, error) {
	if i.Size() > b.Size {
		return Descriptor{}, fmt.Errorf("mem: image of %d bytes in buffer %q of %d", i.Size(), b.Name, b.Size)
	}
	return Descriptor{Addr: b.Addr, Bytes: b.Bytes[:i.Size()], Image: i}, nil
}

// Bindings are what a dispatch binds, as a flattened list of descriptors: binding i of the program has the elements
// First[i] to First[i]+Count[i]-1.
type Bindings struct {
	Of          []ir.Binding // their names, for messages; nil: unknown
	Descriptors []Descriptor
	First       []uint32
	Count       []uint32
	Push        []byte
	PushAddr    uint64     // of the push constants, for the scalar cache
	Table       Descriptor // memory of the descriptors; zero: they have none
}

// name returns the name of a binding for messages, with the index of the element at an address.
func (b *Bindings) name(binding int, addr uint64) string {
	if binding >= len(b.Of) {
		return fmt.Sprintf("binding %d of the program", binding)
	}
	of := &b.Of[binding]
	text := fmt.Sprintf("set %d, binding %d", of.Set, of.Binding)
	if of.Count != 1 {
		elements := b.Descriptors[b.First[binding]:][:b.Count[binding]]
		if i := slices.IndexFunc(elements, func(d Descriptor) bool { return d.Addr == addr }); i >= 0 && addr != 0 {
			text += fmt.Sprintf("[%d]", i)
		}
	}
	if of.Name != "" {
		text += " (" + of.Name + ")"
	}
	return text
}

// Same reports whether two dispatches bind the same memory.
func (b *Bindings) Same(o *Bindings) bool {
	return slices.EqualFunc(b.Descriptors, o.Descriptors, func(x, y Descriptor) bool {
		return x.Addr == y.Addr && len(x.Bytes) == len(y.Bytes) && x.Image == y.Image
	})
}

// noTable is read where descriptors have no memory.
var noTable = Descriptor{Bytes: make([]byte, 1<<16)}

func (b *Bindings) table() *Descriptor {
	if b.Table.Bytes == nil {
		return &noTable
	}
	return &b.Table
}

// Bind appends a binding with its elements.
func (b *Bindings) Bind(elements ...Descriptor) {
	b.First = append(b.First, uint32(len(b.Descriptors)))
	b.Count = append(b.Count, uint32(len(elements)))
	b.Descriptors = append(b.Descriptors, elements...)
}

// Scratch is the private memory of the lanes of one wave slot. Word w of lane l is Words[w*lanes+l], so that a word
// that all lanes access is contiguous.
type Scratch struct {
	Addr  uint64
	Words []uint32
}

// NewScratch reserves the scratch of n wave slots, with words 4-byte words for each lane.
func NewScratch(s *Store, n, words, lanes int) ([]Scratch, error) {
	size := uint64(words) * uint64(lanes) * 4
	r, err := s.Reserve(size*uint64(n), fmt.Sprintf("scratch of %d waves", n))
	if err != nil {
		return nil, err
	}
	list := make([]Scratch, n)
	for i := range list {
		list[i].Addr = r.Addr + uint64(i)*size
	}
	return list, nil
}

// Ready clears the words of a slot for a new wave. Their memory is reused.
func (s *Scratch) Ready(words, lanes int) {
	if cap(s.Words) < words*lanes {
		s.Words = make([]uint32, words*lanes)
		return
	}
	s.Words = s.Words[:words*lanes]
	clear(s.Words)
}

// WaveBindings are what the memory instructions of a wave refer to.
type WaveBindings struct {
	*Bindings
	Scratch *Scratch // nil when the program has none
	// Touched records what instructions access; nil: not recorded.
	Touched *Footprint
	// Traffic counts what they move at each level; nil: not counted.
	Traffic *hierarchy.Traffic
}
