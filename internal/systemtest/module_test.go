package systemtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A writer writes a program as a module's text, in one of two shapes. As a
// compiler's first output has it, variables are memory of the function, loaded
// and stored, and calls take pointers. As an optimiser leaves it, variables are
// values with phis where control meets, tests stand in the headers of loops, and
// some calls are constructs of one round.
type writer struct {
	p         *program
	r         *rand.Rand
	optimised bool
	lines     []string
	ids       int
	consts    map[uint32]bool

	f     int // function being written
	label string
	ended bool // the current block has its terminator
	// env has the values of the variables in the optimised shape. Those of an
	// inlined function stand after its caller's.
	env       []string
	base      int // of the present function's variables in env
	pointers  []string
	variables []string // declarations of the function's memory
	ways      []exits
	returns   *target // of an inlined function
	own       string  // index of the lane's first own word
}

// A target is a label with the edges that come to it.
type target struct {
	label string
	edges []edge
}

type edge struct {
	from  string
	env   []string
	value string // that an inlined function returns
}

// exits are where a break and a continue go.
type exits struct{ brk, cont *target }

func module(p *program, optimised bool) string {
	w := &writer{p: p, r: rand.New(rand.NewPCG(p.seed, 7)), optimised: optimised, consts: map[uint32]bool{}}
	for k := range p.funcs {
		w.function(k)
	}
	var consts strings.Builder
	for _, n := range slices.Sorted(maps.Keys(w.consts)) {
		fmt.Fprintf(&consts, "%%c%d = OpConstant %%uint %d\n", n, n)
	}
	return fmt.Sprintf(frameText, p.size, consts.String()) + strings.Join(w.lines, "\n") + "\n"
}

const frameText = `; Version: 1.3
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformArithmetic
OpExtension "SPV_KHR_maximal_reconvergence"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%f0 "main" %%thread %%subgroup
OpExecutionMode %%f0 LocalSize %d 1 1
OpExecutionMode %%f0 MaximallyReconvergesKHR
OpDecorate %%thread BuiltIn LocalInvocationIndex
OpDecorate %%subgroup BuiltIn SubgroupId
OpDecorate %%array ArrayStride 4
OpMemberDecorate %%block 0 Offset 0
OpDecorate %%block BufferBlock
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 0
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%true = OpConstantTrue %%bool
%%uint = OpTypeInt 32 0
%%v4 = OpTypeVector %%uint 4
%%array = OpTypeRuntimeArray %%uint
%%block = OpTypeStruct %%array
%%outptr = OpTypePointer Uniform %%block
%%outword = OpTypePointer Uniform %%uint
%%out = OpVariable %%outptr Uniform
%%inword = OpTypePointer Input %%uint
%%thread = OpVariable %%inword Input
%%subgroup = OpVariable %%inword Input
%%local = OpTypePointer Function %%uint
%%byvalue = OpTypeFunction %%uint %%uint %%uint
%%bypointer = OpTypeFunction %%uint %%local %%local
%%undef = OpUndef %%uint
%s`

func (w *writer) line(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *writer) id() string { w.ids++; return fmt.Sprintf("%%x%d", w.ids) }

func (w *writer) op(format string, args ...any) string {
	id := w.id()
	w.line("%s = "+format, append([]any{id}, args...)...)
	return id
}

func (w *writer) c(n uint32) string {
	w.consts[n] = true
	return fmt.Sprintf("%%c%d", n)
}

func (w *writer) function(k int) {
	f := &w.p.funcs[k]
	w.f, w.base, w.env, w.pointers, w.variables, w.ended = k, 0, nil, nil, nil, false
	kind, result := "%fn", "%void"
	if k > 0 {
		kind, result = "%bypointer", "%uint"
		if w.optimised {
			kind = "%byvalue"
		}
	}
	w.line("%%f%d = OpFunction %s None %s", k, result, kind)
	var params []string
	for range f.params {
		params = append(params, w.op("OpFunctionParameter %s", map[bool]string{true: "%uint", false: "%local"}[w.optimised]))
	}
	w.place(&target{label: w.id()})
	declare := len(w.lines)
	w.start(f, params)
	w.ownWords()
	w.list(f.body)
	if !w.ended {
		w.line("OpReturn")
	}
	w.line("OpFunctionEnd")
	w.lines = slices.Insert(w.lines, declare, w.variables...)
}

func (w *writer) ownWords() {
	w.own = w.op("OpIMul %%uint %s %s", w.op("OpLoad %%uint %%thread"), w.c(ownWords))
}

// start gives the variables their first values.
func (w *writer) start(f *function, params []string) {
	if w.optimised {
		w.env = append(w.env, params...)
		for range f.vars - len(params) {
			w.env = append(w.env, w.c(0))
		}
		return
	}
	w.pointers = append(w.pointers, params...)
	for range f.vars - len(params) {
		w.pointers = append(w.pointers, w.memory())
		w.line("OpStore %s %s", w.pointers[len(w.pointers)-1], w.c(0))
	}
}

func (w *writer) memory() string {
	id := w.id()
	w.variables = append(w.variables, id+" = OpVariable %local Function")
	return id
}

func (w *writer) get(n int) string {
	if w.optimised {
		return w.env[w.base+n]
	}
	return w.op("OpLoad %%uint %s", w.pointers[n])
}

func (w *writer) set(n int, v string) {
	if w.optimised {
		w.env[w.base+n] = v
		return
	}
	w.line("OpStore %s %s", w.pointers[n], v)
}

func (w *writer) target() *target { return &target{label: w.id()} }

// reaches notes an edge from the current block.
func (w *writer) reaches(t *target) {
	t.edges = append(t.edges, edge{w.label, slices.Clone(w.env), ""})
}

func (w *writer) jump(t *target) {
	if !w.ended {
		w.reaches(t)
		w.line("OpBranch %s", t.label)
	}
	w.ended = true
}

func (w *writer) fork(c string, yes, no *target) {
	w.reaches(yes)
	w.reaches(no)
	w.line("OpBranchConditional %s %s %s", c, yes.label, no.label)
	w.ended = true
}

// place starts the block of a label whose edges are all known.
func (w *writer) place(t *target) {
	w.line("%s = OpLabel", t.label)
	w.label, w.ended = t.label, false
	for i := range w.env {
		if len(t.edges) == 0 {
			w.env[i] = "%undef"
			continue
		}
		w.env[i] = w.meet(t, func(e edge) string { return e.env[i] })
	}
}

// placeUsed is place for a block that nothing follows if nothing comes to it.
func (w *writer) placeUsed(t *target) {
	w.place(t)
	if len(t.edges) == 0 {
		w.line("OpUnreachable")
		w.ended = true
	}
}

// meet is the value of a variable at a label.
func (w *writer) meet(t *target, of func(e edge) string) string {
	alike, pairs := true, ""
	for _, e := range t.edges {
		alike = alike && of(e) == of(t.edges[0])
		pairs += " " + of(e) + " " + e.from
	}
	if alike {
		return of(t.edges[0])
	}
	return w.op("OpPhi %%uint%s", pairs)
}

func (w *writer) list(list []stmt) {
	for i := range list {
		if w.ended {
			return
		}
		w.stmt(&list[i])
	}
}

func (w *writer) stmt(s *stmt) {
	switch s.kind {
	case assign:
		w.set(s.n, w.expr(s.e))
	case record:
		v := w.expr(s.e)
		at := w.op("OpAccessChain %%outword %%out %s %s", w.c(0), w.op("OpIAdd %%uint %s %s", w.own, w.c(uint32(s.n))))
		old := w.op("OpIMul %%uint %s %s", w.op("OpLoad %%uint %s", at), w.c(31))
		w.line("OpStore %s %s", at, w.op("OpIAdd %%uint %s %s", old, v))
	case tally:
		v := w.expr(s.e)
		at := w.op("OpAccessChain %%outword %%out %s %s", w.c(0), w.c(uint32(maxSize*ownWords+s.n)))
		w.op("OpAtomicIAdd %%uint %s %s %s %s", at, w.c(1), w.c(0), v)
	case invoke:
		w.invoke(s)
	case branch:
		w.branch(s)
	case choose:
		w.choose(s)
	case leave:
		w.jump(w.ways[len(w.ways)-1].brk)
	case goOn:
		w.jump(w.ways[len(w.ways)-1].cont)
	case giveBack:
		w.giveBack(s)
	default:
		w.loop(s)
	}
}

func (w *writer) giveBack(s *stmt) {
	v := w.expr(s.e)
	switch {
	case w.returns != nil:
		w.jump(w.returns)
		w.returns.edges[len(w.returns.edges)-1].value = v
	case w.f == 0:
		w.line("OpReturn")
	default:
		w.line("OpReturnValue %s", v)
	}
	w.ended = true
}

func (w *writer) branch(s *stmt) {
	c := w.cond(s.c)
	if s.bare {
		out := w.ways[max(len(w.ways)-1, 0):]
		next := w.target()
		switch {
		case s.body[0].kind == leave:
			w.fork(c, out[0].brk, next)
		case s.body[0].kind == goOn:
			w.fork(c, out[0].cont, next)
		}
		if w.ended {
			w.place(next)
			return
		}
	}
	then, els, merge := w.target(), w.target(), w.target()
	if len(s.other) == 0 {
		els = merge
	}
	w.line("OpSelectionMerge %s None", merge.label)
	w.fork(c, then, els)
	w.place(then)
	w.list(s.body)
	w.jump(merge)
	if els != merge {
		w.place(els)
		w.list(s.other)
		w.jump(merge)
	}
	w.placeUsed(merge)
}

func (w *writer) choose(s *stmt) {
	sel, merge := w.expr(s.e), w.target()
	labels := make([]*target, len(s.cases))
	other, text := merge, ""
	for i := range s.cases {
		labels[i] = w.target()
		if len(s.cases[i].values) == 0 {
			other = labels[i]
		}
		for _, v := range s.cases[i].values {
			text += fmt.Sprintf(" %d %s", v, labels[i].label)
		}
		w.reaches(labels[i])
	}
	if other == merge {
		w.reaches(merge)
	}
	w.line("OpSelectionMerge %s None", merge.label)
	w.line("OpSwitch %s %s%s", sel, other.label, text)
	way := exits{brk: merge}
	if len(w.ways) > 0 {
		way.cont = w.ways[len(w.ways)-1].cont
	}
	w.ways = append(w.ways, way)
	for i := range s.cases {
		w.place(labels[i])
		w.list(s.cases[i].body)
		if s.cases[i].falls {
			w.jump(labels[i+1])
		}
		w.jump(merge)
	}
	w.ways = w.ways[:len(w.ways)-1]
	w.placeUsed(merge)
}

// loop writes any of the loops. Its header gets phis for the variables that its
// rounds set; where the last round's values come from is known at its end only.
func (w *writer) loop(s *stmt) {
	if s.kind < waterfall {
		w.set(s.count, w.c(0))
	}
	header, merge, cont := w.target(), w.target(), w.target()
	w.jump(header)
	w.line("%s = OpLabel", header.label)
	w.label, w.ended = header.label, false
	phis := len(w.lines)
	fromOutside := header.edges[0]
	w.headerPhis(s)
	w.ways = append(w.ways, exits{merge, cont})
	w.header(s, merge, cont)
	w.round(s, merge)
	w.jump(cont)
	w.ways = w.ways[:len(w.ways)-1]
	w.place(cont)
	if s.kind < waterfall {
		w.set(s.count, w.op("OpIAdd %%uint %s %s", w.get(s.count), w.c(1)))
	}
	if s.kind == doWhile {
		w.fork(w.below(s), header, merge)
	} else {
		w.jump(header)
	}
	w.fillPhis(phis, fromOutside, header.edges[1])
	w.placeUsed(merge)
}

func (w *writer) headerPhis(s *stmt) {
	if !w.optimised {
		return
	}
	set := map[int]bool{}
	assigned([]stmt{*s}, set)
	for _, n := range slices.Sorted(maps.Keys(set)) {
		v := w.id()
		w.line("%s %d", v, w.base+n) // fillPhis writes what it means
		w.set(n, v)
	}
}

func (w *writer) fillPhis(at int, before, back edge) {
	for ; ; at++ {
		var id string
		var n int
		if k, _ := fmt.Sscanf(w.lines[at], "%s %d", &id, &n); k != 2 {
			return
		}
		w.lines[at] = fmt.Sprintf("%s = OpPhi %%uint %s %s %s %s", id, before.env[n], before.from, back.env[n], back.from)
	}
}

// assigned adds the variables that statements set.
func assigned(list []stmt, set map[int]bool) {
	for i := range list {
		s := &list[i]
		switch {
		case s.kind == assign || s.kind == invoke:
			set[s.n] = true
		case s.kind >= while && s.kind < waterfall:
			set[s.count] = true
		}
		assigned(s.body, set)
		assigned(s.other, set)
		for k := range s.cases {
			assigned(s.cases[k].body, set)
		}
	}
}

// header ends the loop's header, with the test of a while in it or after it.
func (w *writer) header(s *stmt, merge, cont *target) {
	body := w.target()
	inHeader := s.kind == while && w.optimised && s.c.op == always
	c := ""
	if inHeader {
		c = w.below(s)
	}
	w.line("OpLoopMerge %s %s None", merge.label, cont.label)
	switch {
	case inHeader:
		w.fork(c, body, merge)
	case s.kind == while:
		test := w.target()
		w.jump(test)
		w.place(test)
		c := w.below(s)
		if s.c.op != always {
			c = w.also(c, true, func() string { return w.cond(s.c) })
		}
		w.fork(c, body, merge)
	default:
		w.jump(body)
	}
	w.place(body)
}

func (w *writer) below(s *stmt) string {
	return w.op("OpULessThan %%bool %s %s", w.get(s.count), w.expr(s.e))
}

// round writes the body of a loop.
func (w *writer) round(s *stmt, merge *target) {
	switch s.kind {
	case while, doWhile:
		w.list(s.body)
	case forever:
		w.list(s.body)
		if !w.ended {
			next := w.target()
			w.fork(w.below(s), next, merge)
			w.place(next)
		}
		w.list(s.other)
	case turns:
		w.last(s, w.op("OpIEqual %%bool %s %s", w.get(s.count), w.expr(s.e)), merge)
	case waterfall:
		v := w.expr(s.e)
		first := w.op("OpGroupNonUniformBroadcastFirst %%uint %s %s", w.c(3), v)
		w.last(s, w.op("OpIEqual %%bool %s %s", first, v), merge)
	case election:
		w.last(s, w.op("OpGroupNonUniformElect %%bool %s", w.c(3)), merge)
	}
}

// last is the round in which a lane has its turn and leaves the loop.
func (w *writer) last(s *stmt, c string, merge *target) {
	turn, next := w.target(), w.target()
	w.line("OpSelectionMerge %s None", next.label)
	w.fork(c, turn, next)
	w.place(turn)
	w.list(s.body)
	w.jump(merge)
	w.place(next)
	w.list(s.other)
}

// also is a && b or, unless and, a || b, with b computed where a leaves it open.
func (w *writer) also(a string, and bool, b func() string) string {
	from := w.label
	second, merge := w.target(), w.target()
	w.line("OpSelectionMerge %s None", merge.label)
	if and {
		w.fork(a, second, merge)
	} else {
		w.fork(a, merge, second)
	}
	w.place(second)
	v := b()
	w.jump(merge)
	w.place(merge)
	return w.op("OpPhi %%bool %s %s %s %s", a, from, v, merge.edges[1].from)
}

func (w *writer) cond(c *cond) string {
	switch c.op {
	case always:
		return "%true"
	case not:
		return w.op("OpLogicalNot %%bool %s", w.cond(c.l))
	case elect:
		return w.op("OpGroupNonUniformElect %%bool %s", w.c(3))
	case anyOf, allOf:
		return w.op("OpGroupNonUniform%s %%bool %s %s", map[condOp]string{anyOf: "Any", allOf: "All"}[c.op], w.c(3), w.cond(c.l))
	case andAlso, orElse:
		return w.also(w.cond(c.l), c.op == andAlso, func() string { return w.cond(c.r) })
	}
	a, b := w.expr(c.a), w.expr(c.b)
	return w.op("%s %%bool %s %s", map[condOp]string{less: "OpULessThan", same: "OpIEqual", other: "OpINotEqual"}[c.op], a, b)
}

var arithmetic = map[exprOp]string{plus: "OpIAdd", minus: "OpISub", times: "OpIMul", both: "OpBitwiseAnd", either: "OpBitwiseOr", differ: "OpBitwiseXor"}

// crossLane has the operations with a scope, and what is between it and
// their operand.
var crossLane = map[exprOp]string{ballotCount: "BallotBitCount %%uint %s Reduce %s", ballotBelow: "BallotBitCount %%uint %s ExclusiveScan %s",
	firstOf: "BroadcastFirst %%uint %s %s", sumOf: "IAdd %%uint %s Reduce %s", sumBelow: "IAdd %%uint %s ExclusiveScan %s"}

func (w *writer) expr(e *expr) string {
	switch e.op {
	case constant:
		return w.c(e.n)
	case variable:
		return w.get(int(e.n))
	case thread:
		return w.op("OpLoad %%uint %%thread")
	case subgroup:
		return w.op("OpLoad %%uint %%subgroup")
	case pick:
		c := w.cond(e.c)
		a, b := w.expr(e.a), w.expr(e.b)
		return w.op("OpSelect %%uint %s %s %s", c, a, b)
	case ballotWords, ballotCount, ballotBelow:
		v := w.op("OpGroupNonUniformBallot %%v4 %s %s", w.c(3), w.cond(e.c))
		if e.op != ballotWords {
			return w.op("OpGroupNonUniform"+crossLane[e.op], w.c(3), v)
		}
		high := w.op("OpIMul %%uint %s %s", w.op("OpCompositeExtract %%uint %s 1", v), w.c(3))
		return w.op("OpBitwiseXor %%uint %s %s", w.op("OpCompositeExtract %%uint %s 0", v), high)
	}
	a := w.expr(e.a)
	if e.op >= firstOf {
		return w.op("OpGroupNonUniform"+crossLane[e.op], w.c(3), a)
	}
	return w.op("%s %%uint %s %s", arithmetic[e.op], a, w.expr(e.b))
}

func (w *writer) invoke(s *stmt) {
	var args []string
	for _, a := range s.args {
		args = append(args, w.expr(a))
	}
	f := &w.p.funcs[s.count]
	way := returnsIn(f.body)
	if w.optimised && way < inLoop && w.r.IntN(2) == 0 {
		w.inline(s, f, args, way == inBranch && w.r.IntN(2) == 0)
		return
	}
	if !w.optimised {
		for i, a := range args {
			args[i] = w.memory()
			w.line("OpStore %s %s", args[i], a)
		}
	}
	w.set(s.n, w.op("OpFunctionCall %%uint %%f%d %s", s.count, strings.Join(args, " ")))
}

// Where a function's returns stand: a construct of one round can be left from
// within branches, one that is a loop from within a switch as well.
const (
	inBranch = iota
	inSwitch
	inLoop
)

func returnsIn(list []stmt) (deepest int) {
	for i := range list {
		s := &list[i]
		way := max(returnsIn(s.body), returnsIn(s.other))
		for k := range s.cases {
			way = max(way, inSwitch*min(1, countReturns(s.cases[k].body)), returnsIn(s.cases[k].body))
		}
		if s.kind >= while && s.kind <= election && countReturns(s.body)+countReturns(s.other) > 0 {
			way = inLoop
		}
		deepest = max(deepest, way)
	}
	return deepest
}

func countReturns(list []stmt) (n int) {
	for i := range list {
		s := &list[i]
		if s.kind == giveBack {
			n++
		}
		n += countReturns(s.body) + countReturns(s.other)
		for k := range s.cases {
			n += countReturns(s.cases[k].body)
		}
	}
	return n
}

// inline writes a function's body in the place of a call, as a construct that
// returns leave: a switch of one case, or a loop of one round.
func (w *writer) inline(s *stmt, f *function, args []string, bySwitch bool) {
	outer := *w
	header, body, merge, cont := w.target(), w.target(), w.target(), w.target()
	if bySwitch {
		w.line("OpSelectionMerge %s None", merge.label)
		w.reaches(body)
		w.line("OpSwitch %s %s", w.c(0), body.label)
		w.ended = true
	} else {
		w.jump(header)
		w.place(header)
		w.line("OpLoopMerge %s %s None", merge.label, cont.label)
		w.jump(body)
	}
	w.place(body)
	w.base, w.returns, w.ways = len(w.env), merge, nil
	w.start(f, args)
	w.list(f.body)
	w.base, w.returns, w.ways = outer.base, outer.returns, outer.ways
	w.env = w.env[:len(outer.env)]
	if !bySwitch {
		w.place(cont)
		w.jump(header)
	}
	w.place(merge)
	w.set(s.n, w.meet(merge, func(e edge) string { return e.value }))
}
