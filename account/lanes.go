package account

import "spvsim/isa"

// LaneCounts holds the lane counts of issued instructions. Scalar instructions count the lanes that were active.
type LaneCounts struct {
	ByClass [isa.NumClasses]uint64 // active lanes; of products of matrices their multiply-adds
	Reads   uint64                 // words of vector registers
	Writes  uint64
	Local   uint64 // words of LDS
	Updates uint64 // of atomic operations, by a lane each
}

// Count adds an instruction that issued so often, with so many active lanes in all.
func (l *LaneCounts) Count(in *isa.Inst, issues, lanes uint64) {
	if in.Class.Matrix() {
		l.ByClass[in.Class] += issues * in.MultiplyAdds()
	} else {
		l.ByClass[in.Class] += lanes
	}
	l.Reads += lanes * uint64(in.VectorReads)
	l.Writes += lanes * uint64(in.VectorWrites)
	if in.Mem == nil {
		return
	}
	if in.Mem.Space == isa.SpaceLDS {
		l.Local += lanes * uint64(in.Mem.LaneWords())
	}
	if in.Updates() {
		l.Updates += lanes
	}
}

// Add adds another count.
func (l *LaneCounts) Add(o *LaneCounts) {
	for i, n := range o.ByClass {
		l.ByClass[i] += n
	}
	l.Reads += o.Reads
	l.Writes += o.Writes
	l.Local += o.Local
	l.Updates += o.Updates
}

// Subtract subtracts the counts of an earlier time.
func (l *LaneCounts) Subtract(o *LaneCounts) {
	for i, n := range o.ByClass {
		l.ByClass[i] -= n
	}
	l.Reads -= o.Reads
	l.Writes -= o.Writes
	l.Local -= o.Local
	l.Updates -= o.Updates
}
