package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// A barrier with Imm 1 stands in control flow that some waves do not take, and
// they have to come past it all the same, with no active lane. So branches by
// which a whole wave would miss it are made divergent: lanes part, and the wave
// walks both ways.

// missing lists the conditions of such branches.
func (d *divergenceAnalysis) missing() []*ir.Value {
	var list []*ir.Value
	for at, b := range d.g.Blocks {
		if !together(b) {
			continue
		}
		avoid := d.avoiding(at)
		for _, c := range d.g.Blocks[:at] {
			if c.Term == ir.Cond && c.Cond.Op != isa.Const && d.avoids(avoid, c, c.Succs[0], at) != d.avoids(avoid, c, c.Succs[1], at) {
				list = append(list, c.Cond)
			}
		}
	}
	return list
}

func together(b *ir.Block) bool {
	for _, v := range b.Code {
		if v.Op == isa.Barrier && v.Imm == 1 {
			return true
		}
	}
	return false
}

// avoiding says for each block up to the place at whether a wave can go on from
// there without coming to it. The end of a wave does not count: it takes no
// part in barriers any more.
func (d *divergenceAnalysis) avoiding(at int) []bool {
	avoid := make([]bool, at)
	for i := at - 1; i >= 0; i-- {
		for _, s := range d.g.Blocks[i].Succs {
			avoid[i] = avoid[i] || d.avoids(avoid, d.g.Blocks[i], s, at)
		}
	}
	return avoid
}

// avoids reports that the edge from b to s leads past the block at that place.
// Leaving a loop around it does not count: the rounds of such a loop are asked
// to be the same for all waves.
func (d *divergenceAnalysis) avoids(avoid []bool, b, s *ir.Block, at int) bool {
	from, to := d.g.Place[b.ID], d.g.Place[s.ID]
	for _, l := range d.g.loops {
		if l.members[at] && l.members[from] && !l.members[to] {
			return false
		}
	}
	switch {
	case to <= from: // a back edge, to a loop around the place or before it
		return d.around(to, at)
	case to < at:
		return avoid[to]
	}
	return to > at
}

func (d *divergenceAnalysis) around(header, at int) bool {
	for _, l := range d.g.loops {
		if d.g.Place[l.header.ID] == header {
			return l.members[at]
		}
	}
	return false
}
