// Package systemtest has tests of the whole machine: modules as compilers write
// them go in at one end, and the bytes that come out at the other are compared
// with what plain interpreters make of the same programs.
package systemtest

import "math/rand/v2"

// A program is random structured control flow over unsigned integers. Each lane
// has variables of its own. It leaves what it computes in words of the output
// that are its own too, and adds to words that all share.
//
// Nothing that a lane computes depends on the order in which lanes that have
// parted run, so its results are those that maximal reconvergence defines.
type program struct {
	seed  uint64
	size  uint32 // invocations of the workgroup
	funcs []function
}

// A function has parameters in its first variables. The entry point is the
// first of a program's; a function calls only those after it.
type function struct {
	params, vars int
	body         []stmt
}

const (
	ownWords    = 4 // of the output, for each lane
	sharedWords = 4
	maxSize     = 128
	userVars    = 4 // the variables after these count rounds
	callParams  = 2
)

type stmt struct {
	kind  stmtKind
	n     int // the variable, word or function
	e     *expr
	c     *cond
	args  []*expr
	body  []stmt
	other []stmt
	cases []switchCase
	count int // variable that counts a loop's rounds
	bare  bool
}

type stmtKind int

const (
	assign    stmtKind = iota // variable n = e
	record                    // own word n = 31 * own word n + e
	tally                     // shared word n += e, as an atomic
	invoke                    // variable n = function count (args)
	branch                    // if c body, else other; bare: no merge of its own where body is one break or continue
	while                     // for (count = 0; count < e && c; count++) body
	doWhile                   // do body while (++count < e)
	forever                   // for (;; count++) { body; if (count >= e) break; other }
	turns                     // for (;; count++) { if (count == e) { body; break } other }, with an e that stays
	waterfall                 // for (;;) if (broadcastFirst(e) == e) { body; break } else other
	election                  // for (;;) { if (elect()) { body; break } other }
	choose                    // switch e
	leave                     // break
	goOn                      // continue
	giveBack                  // return e
)

// A switchCase is entered by the lanes whose selector has one of the values;
// one without values is the default, and the last.
type switchCase struct {
	values []uint32
	body   []stmt
	falls  bool // into the next case
}

type expr struct {
	op   exprOp
	n    uint32
	a, b *expr
	c    *cond
}

type exprOp int

const (
	constant exprOp = iota
	variable
	thread
	subgroup
	plus
	minus
	times
	both
	either
	differ
	pick            // c ? a : b, both computed
	ballotWords     // low word xor 3 times high word of ballot(c)
	ballotCount     // bits of ballot(c)
	ballotBelow     // bits of ballot(c) below the lane
	firstOf         // broadcastFirst(a)
	sumOf           // subgroupAdd(a)
	sumBelow        // subgroupExclusiveAdd(a)
	exprOps     int = iota
)

type cond struct {
	op   condOp
	a, b *expr
	l, r *cond
}

type condOp int

const (
	always condOp = iota
	less
	same
	other
	not
	elect
	anyOf
	allOf
	andAlso // r is computed where l holds
	orElse
)

// A maker draws a program.
type maker struct {
	r      *rand.Rand
	funcs  int
	at     int // function being made
	vars   int // of it, so far
	fuel   int
	loops  []bool // around, innermost last: a continue is allowed
	breaks int    // constructs around that can be left
	rounds int    // loops of elections around
}

var sizes = []uint32{1, 5, 31, 32, 33, 40, 63, 64, 64, 64, 70, 96, 100, 128}

func draw(seed uint64) *program {
	r := rand.New(rand.NewPCG(seed, 4))
	p := &program{seed: seed, size: sizes[r.IntN(len(sizes))], funcs: make([]function, 1+r.IntN(3))}
	for k := range p.funcs {
		m := &maker{r: r, funcs: len(p.funcs), at: k, vars: userVars, fuel: 10 + r.IntN(16)}
		if k > 0 {
			m.fuel /= 2
		}
		f := &p.funcs[k]
		f.body = m.list(0)
		for v := range ownWords * (1 - min(k, 1)) {
			f.body = append(f.body, stmt{kind: record, n: v, e: &expr{op: variable, n: uint32(v)}})
		}
		if k > 0 && r.IntN(3) == 0 {
			f.body = append(f.body, m.endless())
		}
		if k > 0 {
			f.params = callParams
			f.body = append(f.body, stmt{kind: giveBack, e: m.expr(2)})
		}
		f.vars = m.vars
	}
	return p
}

// list draws statements.
func (m *maker) list(depth int) []stmt {
	var list []stmt
	for n := 1 + m.r.IntN(4); n > 0 && m.fuel > 0; n-- {
		m.fuel--
		list = append(list, m.stmt(depth))
	}
	if m.r.IntN(6) == 0 && depth > 0 {
		if s, ok := m.jump(); ok {
			list = append(list, s)
		}
	}
	return list
}

func (m *maker) stmt(depth int) stmt {
	if depth < 4 {
		switch k := m.r.IntN(20); {
		case k < 4:
			return m.branch(depth)
		case k < 8:
			return m.loop(depth)
		case k < 9:
			return m.choose(depth)
		case k < 13:
			if s, ok := m.jump(); ok {
				return stmt{kind: branch, c: m.cond(2), body: []stmt{s}, bare: m.r.IntN(2) == 0}
			}
		case k < 14 && m.at+1 < m.funcs:
			return stmt{kind: invoke, n: m.r.IntN(userVars), count: m.at + 1 + m.r.IntN(m.funcs-m.at-1), args: []*expr{m.expr(1), m.expr(1)}}
		}
	}
	switch m.r.IntN(7) {
	case 0, 1, 2:
		return stmt{kind: record, n: m.r.IntN(ownWords), e: m.expr(2)}
	case 3:
		return stmt{kind: tally, n: m.r.IntN(sharedWords), e: m.expr(1)}
	}
	return stmt{kind: assign, n: m.r.IntN(userVars), e: m.expr(2)}
}

// jump draws a way out of what is around.
func (m *maker) jump() (stmt, bool) {
	switch k := m.r.IntN(5); {
	case k < 2 && m.breaks > 0:
		return stmt{kind: leave}, true
	case k < 4 && len(m.loops) > 0 && m.loops[len(m.loops)-1]:
		return stmt{kind: goOn}, true
	case k == 4 && m.r.IntN(2) == 0:
		return stmt{kind: giveBack, e: m.expr(1)}, true
	}
	return stmt{}, false
}

func (m *maker) branch(depth int) stmt {
	s := stmt{kind: branch, c: m.cond(2), body: m.list(depth + 1)}
	if m.r.IntN(2) == 0 {
		s.other = m.list(depth + 1)
	}
	return s
}

func (m *maker) loop(depth int) stmt {
	s := stmt{kind: while + stmtKind(m.r.IntN(6)), c: &cond{}}
	if s.kind >= turns && m.rounds > 1 {
		s.kind = while
	}
	s.e = &expr{op: constant, n: uint32(m.r.IntN(4))}
	if m.r.IntN(2) == 0 {
		s.e = &expr{op: both, a: m.expr(1), b: &expr{op: constant, n: 3}}
	}
	if s.kind == turns {
		mixed := &expr{op: differ, a: &expr{op: thread}, b: &expr{op: constant, n: m.r.Uint32N(8)}}
		s.e = &expr{op: both, a: mixed, b: &expr{op: constant, n: 7}}
	}
	if s.kind < waterfall {
		s.count = m.vars
		m.vars++
	}
	if m.r.IntN(4) == 0 {
		s.c = m.cond(1)
	}
	m.breaks++
	defer func() { m.breaks-- }()
	switch s.kind {
	case while, doWhile:
		s.body = m.round(depth, true)
	case forever:
		s.body, s.other = m.round(depth, false), m.round(depth, true)
	default:
		m.rounds++
		s.body = m.round(depth, false)
		if m.r.IntN(4) > 0 {
			s.other = m.round(depth, true)
		}
		m.rounds--
	}
	return s
}

// endless draws a loop that lanes leave by returning, one after the other.
func (m *maker) endless() stmt {
	s := stmt{kind: election, c: &cond{}, e: &expr{op: thread}}
	if m.r.IntN(2) == 0 {
		s.kind, s.e = waterfall, m.expr(1)
	}
	m.fuel += 2
	s.body = append(m.round(0, false), stmt{kind: giveBack, e: m.expr(2)})
	s.other = m.round(0, true)
	return s
}

// round draws a part of a loop's body.
func (m *maker) round(depth int, mayContinue bool) []stmt {
	m.loops = append(m.loops, mayContinue)
	defer func() { m.loops = m.loops[:len(m.loops)-1] }()
	if m.r.IntN(6) == 0 {
		return nil
	}
	return m.list(depth + 1)
}

func (m *maker) choose(depth int) stmt {
	s := stmt{kind: choose, e: &expr{op: both, a: m.expr(1), b: &expr{op: constant, n: 3}}}
	m.breaks++
	for v, n := uint32(0), uint32(1+m.r.IntN(4)); v < n; v++ {
		c := switchCase{values: []uint32{v}, falls: m.r.IntN(3) == 0}
		if m.r.IntN(4) == 0 && v+1 < n {
			v++
			c.values = append(c.values, v)
		}
		c.body = m.list(depth + 1)
		s.cases = append(s.cases, c)
	}
	if m.r.IntN(2) == 0 {
		s.cases = append(s.cases, switchCase{body: m.list(depth + 1)})
	}
	s.cases[len(s.cases)-1].falls = false
	m.breaks--
	return s
}

var smallNumbers = []uint32{0, 1, 2, 3, 5, 7, 8, 31, 0xffffffff}

func (m *maker) expr(depth int) *expr {
	if depth == 0 {
		switch m.r.IntN(8) {
		case 0:
			return &expr{op: constant, n: smallNumbers[m.r.IntN(len(smallNumbers))]}
		case 1, 2:
			return &expr{op: thread}
		case 3:
			return &expr{op: subgroup}
		}
		return &expr{op: variable, n: uint32(m.r.IntN(m.vars))}
	}
	op := exprOp(m.r.IntN(exprOps))
	switch {
	case op < plus:
		return m.expr(0)
	case op < pick:
		return &expr{op: op, a: m.expr(depth - 1), b: m.expr(depth - 1)}
	case op == pick:
		return &expr{op: op, c: m.cond(0), a: m.expr(depth - 1), b: m.expr(depth - 1)}
	case op < firstOf:
		return &expr{op: op, c: m.cond(depth - 1)}
	}
	return &expr{op: op, a: m.expr(depth - 1)}
}

// cond compares low bits mostly, so that lanes part.
func (m *maker) cond(depth int) *cond {
	if depth > 0 {
		switch op := condOp(m.r.IntN(16)); {
		case op == not || op == anyOf || op == allOf:
			return &cond{op: op, l: m.cond(depth - 1)}
		case op == elect:
			return &cond{op: op}
		case op == andAlso || op == orElse:
			return &cond{op: op, l: m.cond(depth - 1), r: m.cond(depth - 1)}
		}
	}
	mask := uint32(1)<<(1+m.r.IntN(3)) - 1
	low := &expr{op: both, a: m.expr(min(depth, 1)), b: &expr{op: constant, n: mask}}
	return &cond{op: less + condOp(m.r.IntN(3)), a: low, b: &expr{op: constant, n: m.r.Uint32N(mask + 1)}}
}
