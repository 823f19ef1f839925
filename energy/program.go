package energy

import (
	"spvsim/account"
	"spvsim/isa"
)

// A Program is a list of instructions with their counts.
type Program struct {
	Insts  []isa.Inst
	Counts []account.InstCount // nil: it has not run
	Wave   int                 // lanes of one
}

// Programs returns the energy of each instruction of the programs, in joules, given the energy of all of them together.
// The traffic of memory is distributed over the instructions that may cause it by the bytes that their lanes moved,
// that of the payload queue over the instructions that use it; the sum is the run's dynamic energy without dispatch,
// and without transfers.
func (m *Model) Programs(list []Program, all *Energy) [][]float64 {
	var s trafficWeights
	for i := range list {
		s.count(&list[i])
	}
	out := make([][]float64, len(list))
	for i := range list {
		p := &list[i]
		out[i] = make([]float64, len(p.Insts))
		for pc := range p.Counts {
			out[i][pc] = m.Instruction(&p.Insts[pc], &p.Counts[pc], p.Wave) + s.jouleShare(p, pc, all)
		}
	}
	return out
}

// Instruction returns the energy of an instruction itself, in waves of the given size: issue, operation, registers,
// LDS.
func (m *Model) Instruction(in *isa.Inst, n *account.InstCount, wave int) float64 {
	var c account.LaneCounts
	c.Count(in, n.Issues, n.Lanes(wave))
	e := &Energy{}
	m.issued(e, in.Class, n.Issues, c.ByClass[in.Class])
	m.registers(e, c.Reads, c.Writes)
	m.local(e, float64(c.Local), float64(n.LDSPasses))
	e.Joules[Vector] += float64(c.Updates) * m.logic(m.Table.Operations.Atomic)
	return e.Total()
}

// trafficWeights are the totals of the weights by which traffic is distributed.
type trafficWeights struct{ vector, scalar, allMemory, queue float64 }

func (s *trafficWeights) count(p *Program) {
	for pc := range p.Counts {
		v, sc, q := p.weights(pc)
		s.vector, s.scalar, s.allMemory, s.queue = s.vector+v, s.scalar+sc, s.allMemory+v+sc, s.queue+q
	}
}

// jouleShare is the part of an instruction in the traffic of all.
func (s *trafficWeights) jouleShare(p *Program, pc int, all *Energy) (joules float64) {
	v, sc, q := p.weights(pc)
	share := func(weight, of float64, parts ...Part) {
		for _, p := range parts {
			if of > 0 {
				joules += all.Joules[p] * weight / of
			}
		}
	}
	share(v, s.vector, VectorL1)
	share(sc, s.scalar, ScalarL1)
	share(v+sc, s.allMemory, ShaderArray, L2, MemorySide, Links, Memory, Payloads)
	share(q, s.queue, Queue)
	return joules
}

// weights returns an instruction's weights in the distribution of traffic: bytes of vector memory, of scalar memory,
// uses of the queue.
func (p *Program) weights(pc int) (vector, scalar, queue float64) {
	in, n := &p.Insts[pc], &p.Counts[pc]
	switch {
	case in.Op == isa.PayloadAlloc || in.Op == isa.PayloadAllocLane || in.Op == isa.PayloadEnqueue || in.Op == isa.PayloadFinish:
		return 0, 0, float64(n.Issues)
	case in.Mem == nil || in.Mem.Space == isa.SpaceLDS:
		return 0, 0, 0
	case in.Mem.Scalar || in.Mem.Space == isa.SpacePush:
		return 0, float64(n.Issues) * 4 * float64(in.Mem.LaneWords()), 0
	}
	return float64(n.Lanes(p.Wave)) * 4 * float64(in.Mem.LaneWords()), 0, 0
}
