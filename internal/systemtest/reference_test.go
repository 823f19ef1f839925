package systemtest

import (
	"errors"
	"math/bits"
)

// errLong says that a program runs for too long to be of use.
var errLong = errors.New("the program takes too many steps")

const maxSteps = 5000

// A reference runs a program on one wave, statement by statement, over the set
// of lanes that are together: a construct's lanes part at its start and are
// together again at its end, but for those that left it for somewhere further
// out. That is what SPV_KHR_maximal_reconvergence asks for. Lanes that fall
// into a case join those that chose it, which the extension leaves open.
type reference struct {
	p      *program
	wave   uint32 // number of the wave
	first  uint32 // thread of lane 0
	lanes  int
	steps  int
	own    []uint32 // ownWords of each thread
	shared []uint32
	frame  *frame
}

type frame struct {
	vars     [][64]uint32
	returned [64]uint32
}

// A lanes value has a word for each lane.
type lanes [64]uint32

// ways says where the lanes went that ran a list.
type ways struct{ on, broke, continued, returned uint64 }

func (w *ways) out(x ways) {
	w.broke |= x.broke
	w.continued |= x.continued
	w.returned |= x.returned
}

// expected is what the program leaves in memory: own words, then shared ones.
func expected(p *program, waveSize int) (out []uint32, err error) {
	defer func() {
		if e, ok := recover().(error); ok && errors.Is(e, errLong) {
			err = errLong
		} else if e != nil {
			panic(e)
		}
	}()
	own, shared := make([]uint32, maxSize*ownWords), make([]uint32, sharedWords)
	for first := uint32(0); first < p.size; first += uint32(waveSize) {
		r := &reference{p: p, wave: first / uint32(waveSize), first: first, own: own, shared: shared}
		r.lanes = int(min(p.size-first, uint32(waveSize)))
		r.call(0, nil, ^uint64(0)>>(64-r.lanes))
	}
	return append(own, shared...), nil
}

// each calls f for the lanes of a mask.
func each(mask uint64, f func(l int)) {
	for ; mask != 0; mask &= mask - 1 {
		f(bits.TrailingZeros64(mask))
	}
}

func (r *reference) call(n int, args []lanes, mask uint64) lanes {
	f := &r.p.funcs[n]
	outer := r.frame
	r.frame = &frame{vars: make([][64]uint32, f.vars)}
	for i := range args {
		r.frame.vars[i] = args[i]
	}
	r.list(f.body, mask)
	result := r.frame.returned
	r.frame = outer
	return result
}

func (r *reference) list(list []stmt, mask uint64) (w ways) {
	w.on = mask
	for i := range list {
		if w.on == 0 {
			break
		}
		x := r.stmt(&list[i], w.on)
		w.on = x.on
		w.out(x)
	}
	return w
}

func (r *reference) stmt(s *stmt, mask uint64) ways {
	if r.steps++; r.steps > maxSteps {
		panic(errLong)
	}
	switch s.kind {
	case branch:
		yes := r.cond(s.c, mask)
		a, b := r.list(s.body, yes), r.list(s.other, mask&^yes)
		a.on |= b.on
		a.out(b)
		return a
	case choose:
		return r.choose(s, mask)
	case leave:
		return ways{broke: mask}
	case goOn:
		return ways{continued: mask}
	case giveBack:
		v := r.expr(s.e, mask)
		each(mask, func(l int) { r.frame.returned[l] = v[l] })
		return ways{returned: mask}
	}
	if s.kind >= while && s.kind <= election {
		return r.loop(s, mask)
	}
	r.simple(s, mask)
	return ways{on: mask}
}

func (r *reference) simple(s *stmt, mask uint64) {
	var v lanes
	if s.kind == invoke {
		var args []lanes
		for _, a := range s.args {
			args = append(args, r.expr(a, mask))
		}
		v = r.call(s.count, args, mask)
	} else {
		v = r.expr(s.e, mask)
	}
	each(mask, func(l int) {
		switch s.kind {
		case record:
			word := &r.own[int(r.first+uint32(l))*ownWords+s.n]
			*word = *word*31 + v[l]
		case tally:
			r.shared[s.n] += v[l]
		default:
			r.frame.vars[s.n][l] = v[l]
		}
	})
}

// loop runs the rounds of the lanes that came to it together; those that leave
// wait behind it.
func (r *reference) loop(s *stmt, mask uint64) (w ways) {
	count := func(l int) *uint32 { return &r.frame.vars[s.count][l] }
	if s.kind < waterfall {
		each(mask, func(l int) { *count(l) = 0 })
	}
	for in := mask; in != 0; {
		if s.kind == while {
			more := r.cond(s.c, r.below(s, in))
			w.on |= in &^ more
			in = more
		}
		x := r.round(s, in)
		w.on |= x.broke
		w.returned |= x.returned
		in = x.on | x.continued
		if s.kind < waterfall {
			each(in, func(l int) { *count(l)++ })
		}
		if s.kind == doWhile {
			more := r.below(s, in)
			w.on |= in &^ more
			in = more
		}
		if r.steps++; r.steps > maxSteps {
			panic(errLong)
		}
	}
	return w
}

// below are the lanes whose count has not reached the limit.
func (r *reference) below(s *stmt, mask uint64) (more uint64) {
	limit := r.expr(s.e, mask)
	each(mask, func(l int) {
		if r.frame.vars[s.count][l] < limit[l] {
			more |= 1 << l
		}
	})
	return more
}

// differ are the lanes whose count is not e.
func (r *reference) differ(s *stmt, mask uint64) (other uint64) {
	v := r.expr(s.e, mask)
	each(mask, func(l int) {
		if r.frame.vars[s.count][l] != v[l] {
			other |= 1 << l
		}
	})
	return other
}

// round runs a loop's body once.
func (r *reference) round(s *stmt, mask uint64) ways {
	w := ways{on: mask}
	chosen := uint64(0)
	switch s.kind {
	case while, doWhile:
		return r.list(s.body, mask)
	case forever:
		w = r.list(s.body, mask)
		more := r.below(s, w.on)
		w.broke |= w.on &^ more
		w.on = more
	case turns:
		chosen = mask &^ r.differ(s, mask)
	case waterfall:
		v := r.expr(s.e, mask)
		each(mask, func(l int) {
			if v[l] == v[bits.TrailingZeros64(mask)] {
				chosen |= 1 << l
			}
		})
	case election:
		chosen = mask & -mask
	}
	if chosen != 0 {
		w = r.list(s.body, chosen)
		w.broke |= w.on
		w.on = mask &^ chosen
	}
	x := r.list(s.other, w.on)
	w.on = x.on
	w.out(x)
	return w
}

func (r *reference) choose(s *stmt, mask uint64) (w ways) {
	v := r.expr(s.e, mask)
	fallen := uint64(0)
	rest := mask
	for i := range s.cases {
		c := &s.cases[i]
		in := uint64(0)
		each(rest, func(l int) {
			for _, value := range c.values {
				if v[l] == value {
					in |= 1 << l
				}
			}
		})
		if len(c.values) == 0 {
			in = rest
		}
		rest &^= in
		x := r.list(c.body, in|fallen)
		fallen = 0
		if c.falls {
			fallen, x.on = x.on, 0
		}
		w.on |= x.on | x.broke
		x.broke = 0
		w.out(x)
	}
	w.on |= rest
	return w
}

func (r *reference) expr(e *expr, mask uint64) (v lanes) {
	var a, b lanes
	var yes uint64
	if e.c != nil {
		yes = r.cond(e.c, mask)
	}
	if e.a != nil {
		a = r.expr(e.a, mask)
	}
	if e.b != nil {
		b = r.expr(e.b, mask)
	}
	sum := uint32(0)
	each(mask, func(l int) {
		v[l] = r.lane(e, l, a[l], b[l], yes)
		switch e.op {
		case sumBelow:
			v[l] = sum
		case firstOf:
			v[l] = a[bits.TrailingZeros64(mask)]
		}
		sum += a[l]
	})
	if e.op == sumOf {
		each(mask, func(l int) { v[l] = sum })
	}
	return v
}

func (r *reference) lane(e *expr, l int, a, b uint32, yes uint64) uint32 {
	switch e.op {
	case constant:
		return e.n
	case variable:
		return r.frame.vars[e.n][l]
	case thread:
		return r.first + uint32(l)
	case subgroup:
		return r.wave
	case plus:
		return a + b
	case minus:
		return a - b
	case times:
		return a * b
	case both:
		return a & b
	case either:
		return a | b
	case differ:
		return a ^ b
	case ballotWords:
		return uint32(yes) ^ 3*uint32(yes>>32)
	case ballotCount:
		return uint32(bits.OnesCount64(yes))
	case ballotBelow:
		return uint32(bits.OnesCount64(yes & (1<<l - 1)))
	case pick:
		if yes>>l&1 != 0 {
			return a
		}
		return b
	}
	return 0
}

func (r *reference) cond(c *cond, mask uint64) (yes uint64) {
	switch c.op {
	case always:
		return mask
	case not:
		return mask &^ r.cond(c.l, mask)
	case elect:
		return mask & -mask
	case anyOf:
		return mask & -min(r.cond(c.l, mask), 1)
	case allOf:
		if r.cond(c.l, mask) == mask {
			return mask
		}
		return 0
	case andAlso:
		yes = r.cond(c.l, mask)
		return yes & r.cond(c.r, yes)
	case orElse:
		yes = r.cond(c.l, mask)
		return yes | r.cond(c.r, mask&^yes)
	}
	a, b := r.expr(c.a, mask), r.expr(c.b, mask)
	each(mask, func(l int) {
		if c.op == less && a[l] < b[l] || c.op == same && a[l] == b[l] || c.op == other && a[l] != b[l] {
			yes |= 1 << l
		}
	})
	return yes
}
