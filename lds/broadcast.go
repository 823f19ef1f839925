package lds

import (
	"spvsim/isa"
	"spvsim/mem/lane"
)

// A Broadcast is a load of 32-bit words, the same for all lanes, to vector
// registers that lie behind each other.
type Broadcast struct {
	base, index isa.Reg
	offset      uint32
	row, count  int
}

// BroadcastOf reads an instruction as a broadcast; nil if it is none.
func BroadcastOf(in *isa.Inst) *Broadcast {
	m := in.Mem
	if in.Op != isa.Load || m.Space != isa.SpaceLDS || m.Scalar || m.Coherent || m.Base.Kind == isa.Vector || m.Index.Kind == isa.Vector ||
		lane.Element(in).Bits() != 32 || m.Count == 0 || !inOrder(in, int(m.Count)) {
		return nil
	}
	return &Broadcast{m.Base, m.Index, m.Offset, int(lane.Result(in, 0).Index), int(m.Count)}
}

// Broadcast carries one out on the bytes of a workgroup, and says how many bytes each lane gets: 0, and nothing is done,
// where lanes are idle or a word is out of bounds.
func (*Values) Broadcast(st *isa.State, b *Broadcast, region []byte) (bytes uint32) {
	bytes = 4 * uint32(b.count)
	at := uint32(lane.Uniform(st, b.base)) + b.offset + uint32(lane.Uniform(st, b.index))
	if st.Exec != st.Full || uint64(at)+uint64(bytes) > uint64(len(region)) {
		return 0
	}
	lane.FillRows(st.V[b.row*st.Lanes:][:b.count*st.Lanes], region[at:], st.Lanes)
	return bytes
}
