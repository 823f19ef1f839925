package gpu

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
)

// Which lanes are together after each merge, as SPV_KHR_maximal_reconvergence
// asks for. A case is a small structured program. It is written out as a module,
// which runs on the machine and stores a ballot wherever it says so; and it is
// interpreted thread by thread by a model that knows nothing of waves: threads
// that come to the same ballot in the same round of all loops around it ought to
// be there together.

// A rcStmt is a statement of such a program.
type rcStmt struct {
	kind      rcKind
	cond      rcCond
	then, els []rcStmt // els of a loop: its continue construct
	cases     [][]rcStmt
	fall      []bool // a case goes on into the next one
}

type rcKind int

const (
	rcBallot rcKind = iota
	rcIf
	rcLoop // while cond, with a counter
	rcSwitch
	rcBreak
	rcContinue
	rcReturn
)

// A rcCond compares a field of the thread's number with the loop's counter.
type rcCond struct {
	shift, mask uint32 // (thread >> shift) & mask
	by          uint32 // times the innermost counter
	plus        uint32
	less        bool // counter*by + plus < field; else equal
}

func (c rcCond) field(t uint32) uint32 { return t >> c.shift & c.mask }

func (c rcCond) holds(t, i uint32) bool {
	if c.less {
		return i*c.by+c.plus < c.field(t)
	}
	return i*c.by+c.plus == c.field(t)
}

func rcB() rcStmt                             { return rcStmt{kind: rcBallot} }
func rcWhile(c rcCond, body ...rcStmt) rcStmt { return rcStmt{kind: rcLoop, cond: c, then: body} }
func rcWhen(c rcCond, then []rcStmt, els ...rcStmt) rcStmt {
	return rcStmt{kind: rcIf, cond: c, then: then, els: els}
}
func rcOnly(kind rcKind) []rcStmt { return []rcStmt{{kind: kind}} }

var (
	odd     = rcCond{mask: 1, plus: 1}
	half    = rcCond{shift: 1, mask: 1, plus: 1}
	below3  = rcCond{mask: 3, by: 1, less: true} // thread%4 rounds
	below7  = rcCond{mask: 7, by: 1, less: true} // thread%8 rounds
	always4 = rcCond{mask: 0, by: 1, plus: 0}    // holds in round 0 only
	atRound = rcCond{shift: 2, mask: 3, by: 1}   // in the round that the thread chooses
	never   = rcCond{mask: 0, plus: 1}
	byWave  = rcCond{shift: 5, mask: 1, plus: 1} // whole waves of 32
)

var reconvergence = []struct {
	name string
	body []rcStmt
}{
	{"if", []rcStmt{rcWhen(odd, []rcStmt{rcB()}), rcB()}},
	{"if else", []rcStmt{rcWhen(odd, []rcStmt{rcB()}, rcB()), rcB()}},
	{"nested ifs", []rcStmt{rcWhen(odd, []rcStmt{rcWhen(half, []rcStmt{rcB()}, rcB()), rcB()}, rcWhen(half, []rcStmt{rcB()}), rcB()), rcB()}},
	{"whole waves part", []rcStmt{rcWhen(byWave, []rcStmt{rcB(), rcWhen(odd, []rcStmt{rcB()}), rcB()}, rcB()), rcB()}},
	{"loop", []rcStmt{rcWhile(below7, rcB()), rcB()}},
	{"nested loops", []rcStmt{rcWhile(below3, rcWhile(below7, rcB()), rcB()), rcB()}},
	{"break", []rcStmt{rcWhile(below7, rcB(), rcWhen(atRound, rcOnly(rcBreak)), rcB()), rcB()}},
	{"break after work", []rcStmt{rcWhile(below7, rcWhen(atRound, []rcStmt{rcB(), {kind: rcBreak}}), rcB()), rcB()}},
	{"continue", []rcStmt{rcWhile(below7, rcWhen(odd, rcOnly(rcContinue)), rcB()), rcB()}},
	{"continue and break", []rcStmt{rcWhile(below7, rcWhen(atRound, rcOnly(rcBreak)), rcB(), rcWhen(odd, []rcStmt{rcB(), {kind: rcContinue}}), rcB()), rcB()}},
	{"break out of the inner loop only", []rcStmt{rcWhile(below3, rcWhile(below7, rcWhen(atRound, rcOnly(rcBreak)), rcB()), rcB()), rcB()}},
	{"switch", []rcStmt{{kind: rcSwitch, cond: rcCond{mask: 3}, cases: [][]rcStmt{{rcB()}, {rcB()}, {rcB()}}, fall: []bool{false, false, false}}, rcB()}},
	{"switch with fall through", []rcStmt{{kind: rcSwitch, cond: rcCond{mask: 3}, cases: [][]rcStmt{{rcB()}, {rcB()}, {rcB()}}, fall: []bool{true, true, false}}, rcB()}},
	{"switch that breaks a loop's round", []rcStmt{rcWhile(below7, rcStmt{kind: rcSwitch, cond: rcCond{mask: 3}, cases: [][]rcStmt{{rcB()}, rcOnly(rcContinue), {rcB()}}, fall: []bool{true, false, false}}, rcB()), rcB()}},
	{"early return", []rcStmt{rcWhen(odd, rcOnly(rcReturn)), rcB()}},
	{"return in a loop", []rcStmt{rcWhile(below7, rcWhen(atRound, []rcStmt{rcB(), {kind: rcReturn}}), rcB()), rcB()}},
	{"return of both arms", []rcStmt{rcWhen(odd, []rcStmt{rcWhen(half, rcOnly(rcReturn)), rcB()}, rcB(), rcStmt{kind: rcReturn}), rcB()}},
	{"a branch never taken", []rcStmt{rcWhen(never, []rcStmt{rcB()}, rcB()), rcWhile(always4, rcB()), rcB()}},
}

const (
	rcThreads = 128
	rcSlots   = 256 // ballots of one thread
)

// A rcModel runs one thread.
type rcModel struct {
	thread uint32
	seen   []string // one a ballot: which one, in which rounds
	rounds []uint32
}

type rcEnd int

const (
	rcOn rcEnd = iota
	rcBroke
	rcContinued
	rcReturned
)

func (m *rcModel) counter() uint32 {
	if len(m.rounds) == 0 {
		return 0
	}
	return m.rounds[len(m.rounds)-1]
}

// list runs statements; path names them.
func (m *rcModel) list(list []rcStmt, path string) rcEnd {
	for i := range list {
		if end := m.stmt(&list[i], fmt.Sprintf("%s.%d", path, i)); end != rcOn {
			return end
		}
	}
	return rcOn
}

func (m *rcModel) stmt(s *rcStmt, path string) rcEnd {
	switch s.kind {
	case rcBallot:
		m.seen = append(m.seen, fmt.Sprint(path, m.rounds))
	case rcIf:
		if s.cond.holds(m.thread, m.counter()) {
			return m.list(s.then, path+"t")
		}
		return m.list(s.els, path+"e")
	case rcLoop:
		return m.loop(s, path)
	case rcSwitch:
		for k := int(s.cond.field(m.thread)); k < len(s.cases); k++ {
			if end := m.list(s.cases[k], fmt.Sprint(path, "c", k)); end != rcOn || !s.fall[k] {
				return end
			}
		}
	case rcBreak:
		return rcBroke
	case rcContinue:
		return rcContinued
	case rcReturn:
		return rcReturned
	}
	return rcOn
}

func (m *rcModel) loop(s *rcStmt, path string) rcEnd {
	m.rounds = append(m.rounds, 0)
	defer func() { m.rounds = m.rounds[:len(m.rounds)-1] }()
	for ; s.cond.holds(m.thread, m.counter()); m.rounds[len(m.rounds)-1]++ {
		switch m.list(s.then, path+"l") {
		case rcBroke:
			return rcOn
		case rcReturned:
			return rcReturned
		}
	}
	return rcOn
}

// rcWant is what each thread stores: the masks of its ballots, low words first.
func rcWant(body []rcStmt, wave int) []uint32 {
	out := make([]uint32, rcThreads*rcSlots*2)
	for first := 0; first < rcThreads; first += wave {
		masks := map[string]uint64{}
		var seen [64][]string
		for l := range wave {
			m := rcModel{thread: uint32(first + l)}
			m.list(body, "")
			for _, key := range m.seen {
				masks[key] |= 1 << l
			}
			seen[l] = m.seen
		}
		for l, keys := range seen[:wave] {
			for n, key := range keys {
				at := 2 * ((first+l)*rcSlots + n)
				out[at], out[at+1] = uint32(masks[key]), uint32(masks[key]>>32)
			}
		}
	}
	return out
}

// A rcWriter writes the program as a module.
type rcWriter struct {
	strings.Builder
	ids    int
	vars   []string // counters of loops, by their number
	consts map[uint32]bool
	in     []rcTargets
	ended  bool // the current block has its terminator
}

type rcTargets struct{ counter, merge, next string }

func (w *rcWriter) id() string { w.ids++; return fmt.Sprintf("%%x%d", w.ids) }

func (w *rcWriter) c(n uint32) string {
	w.consts[n] = true
	return fmt.Sprintf("%%c%d", n)
}

func (w *rcWriter) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *rcWriter) op(format string, args ...any) string {
	id := w.id()
	w.line("%s = "+format, append([]any{id}, args...)...)
	return id
}

func (w *rcWriter) jump(to string) {
	if !w.ended {
		w.line("OpBranch %s", to)
	}
	w.ended = true
}

func (w *rcWriter) label(id string) {
	w.line("%s = OpLabel", id)
	w.ended = false
}

func (w *rcWriter) field(c rcCond) string {
	return w.op("OpBitwiseAnd %%uint %s %s", w.op("OpShiftRightLogical %%uint %%thread %s", w.c(c.shift)), w.c(c.mask))
}

func (w *rcWriter) cond(c rcCond) string {
	left := w.c(c.plus)
	if len(w.in) > 0 && c.by != 0 {
		i := w.op("OpLoad %%uint %s", w.in[len(w.in)-1].counter)
		left = w.op("OpIAdd %%uint %s %s", w.op("OpIMul %%uint %s %s", i, w.c(c.by)), left)
	}
	if c.less {
		return w.op("OpULessThan %%bool %s %s", left, w.field(c))
	}
	return w.op("OpIEqual %%bool %s %s", left, w.field(c))
}

func (w *rcWriter) list(list []rcStmt) {
	for i := range list {
		if !w.ended {
			w.stmt(&list[i])
		}
	}
}

func (w *rcWriter) stmt(s *rcStmt) {
	switch s.kind {
	case rcBallot:
		w.ballot()
	case rcIf:
		w.branch(s)
	case rcLoop:
		w.loop(s)
	case rcSwitch:
		w.choose(s)
	case rcBreak:
		w.jump(w.in[len(w.in)-1].merge)
	case rcContinue:
		w.jump(w.in[len(w.in)-1].next)
	case rcReturn:
		w.line("OpReturn")
		w.ended = true
	}
}

func (w *rcWriter) ballot() {
	b := w.op("OpGroupNonUniformBallot %%v4 %s %%true", w.c(3))
	n := w.op("OpLoad %%uint %%count")
	for k := range uint32(2) {
		word := w.op("OpCompositeExtract %%uint %s %d", b, k)
		at := w.op("OpIAdd %%uint %%base %s", w.op("OpIAdd %%uint %s %s", n, w.c(k)))
		w.line("OpStore %s %s", w.op("OpAccessChain %%outword %%out %s %s", w.c(0), at), word)
	}
	w.line("OpStore %%count %s", w.op("OpIAdd %%uint %s %s", n, w.c(2)))
}

func (w *rcWriter) branch(s *rcStmt) {
	c, then, els, merge := w.cond(s.cond), w.id(), w.id(), w.id()
	w.line("OpSelectionMerge %s None", merge)
	w.line("OpBranchConditional %s %s %s", c, then, els)
	w.label(then)
	w.list(s.then)
	w.jump(merge)
	w.label(els)
	w.list(s.els)
	w.jump(merge)
	w.label(merge)
}

func (w *rcWriter) loop(s *rcStmt) {
	counter := fmt.Sprintf("%%i%d", len(w.vars))
	w.vars = append(w.vars, counter)
	t := rcTargets{counter, w.id(), w.id()}
	header, test, body := w.id(), w.id(), w.id()
	w.line("OpStore %s %s", counter, w.c(0))
	w.jump(header)
	w.label(header)
	w.line("OpLoopMerge %s %s None", t.merge, t.next)
	w.jump(test)
	w.label(test)
	w.in = append(w.in, t)
	w.line("OpBranchConditional %s %s %s", w.cond(s.cond), body, t.merge)
	w.label(body)
	w.list(s.then)
	w.jump(t.next)
	w.in = w.in[:len(w.in)-1]
	w.label(t.next)
	w.line("OpStore %s %s", counter, w.op("OpIAdd %%uint %s %s", w.op("OpLoad %%uint %s", counter), w.c(1)))
	w.jump(header)
	w.label(t.merge)
}

func (w *rcWriter) choose(s *rcStmt) {
	merge, key := w.id(), w.field(s.cond)
	var labels []string
	text := ""
	for k := range s.cases {
		labels = append(labels, w.id())
		text += fmt.Sprintf(" %d %s", k, labels[k])
	}
	w.line("OpSelectionMerge %s None", merge)
	w.line("OpSwitch %s %s%s", key, merge, text)
	for k, list := range s.cases {
		w.label(labels[k])
		w.list(list)
		if s.fall[k] {
			w.jump(labels[k+1])
		}
		w.jump(merge)
	}
	w.label(merge)
}

// rcModule is the whole module.
func rcModule(body []rcStmt) string {
	w := &rcWriter{consts: map[uint32]bool{}}
	for _, n := range []uint32{0, rcSlots * 2} {
		w.c(n)
	}
	w.list(body)
	if !w.ended {
		w.line("OpReturn")
	}
	var consts, vars strings.Builder
	for n := range uint32(1 << 10) {
		if w.consts[n] {
			fmt.Fprintf(&consts, "%%c%d = OpConstant %%uint %d\n", n, n)
		}
	}
	for _, v := range w.vars {
		fmt.Fprintf(&vars, "%s = OpVariable %%local Function\n", v)
	}
	return fmt.Sprintf(rcFrame, rcThreads, consts.String(), vars.String(), rcSlots*2, w.String())
}

const rcFrame = `; Version: 1.3
OpCapability Shader
OpCapability GroupNonUniformBallot
OpExtension "SPV_KHR_maximal_reconvergence"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%id
OpExecutionMode %%main LocalSize %d 1 1
OpExecutionMode %%main MaximallyReconvergesKHR
OpDecorate %%id BuiltIn LocalInvocationIndex
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
%%id = OpVariable %%inword Input
%%local = OpTypePointer Function %%uint
%s%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%count = OpVariable %%local Function
%s%%thread = OpLoad %%uint %%id
OpStore %%count %%c0
%%base = OpIMul %%uint %%thread %%c%d
%sOpFunctionEnd
`

func checkReconvergence(t *testing.T, body []rcStmt, wave int) {
	t.Helper()
	text := rcModule(body)
	s := laneJob(t, text, fmt.Sprintf("{zero: %d}", rcThreads*rcSlots*8), wave)
	r, err := Run(context.Background(), s)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want := rcWant(body, wave)
	for i, got := range words(r.Buffers[0].Bytes) {
		if got != want[i] {
			t.Fatalf("thread %d, ballot %d, word %d: mask %#x, want %#x\n%s", i/2/rcSlots, i/2%rcSlots, i%2, got, want[i], text)
		}
	}
}

// laneJob is a job of one workgroup whose module is given as text, with one
// buffer.
func laneJob(t testing.TB, text, buffer string, wave int, set ...string) Setup {
	t.Helper()
	return laneJobOn(t, "rdna3-rx7900xtx", text, buffer, wave, set...)
}

func laneJobOn(t testing.TB, machine, text, buffer string, wave int, set ...string) Setup {
	t.Helper()
	files := fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(text)}}
	return setupBeside(t, files, "shader: m.spvasm\nbuffers: [{set: 0, binding: 0, name: out, data: "+buffer+"}]\ndispatch: [1]\n", machine, append(set, "shader_engines=1", "compute_units=2", fmt.Sprintf("wave_size=%d", wave))...)
}

func TestReconvergence(t *testing.T) {
	for _, c := range reconvergence {
		for _, wave := range []int{32, 64} {
			t.Run(fmt.Sprintf("%s/wave%d", c.name, wave), func(t *testing.T) { checkReconvergence(t, c.body, wave) })
		}
	}
}

// The masks of one case, worked out by hand: lanes 0, 4, 8, ... make no round
// of the loop; lane l makes l mod 4 rounds.
func TestReconvergenceModel(t *testing.T) {
	body := []rcStmt{rcWhile(below3, rcB()), rcB()}
	want := []uint64{0xeeeeeeee, 0xcccccccc, 0x88888888}
	got := rcWant(body, 32)
	lane3 := got[2*3*rcSlots:]
	for i, mask := range append(want, 0xffffffff) {
		if uint64(lane3[2*i]) != mask {
			t.Errorf("ballot %d of lane 3: %#x, want %#x", i, lane3[2*i], mask)
		}
	}
	if bits.OnesCount32(got[0]) != 32 {
		t.Errorf("lane 0 is alone after the loop: %#x", got[0])
	}
}

// rcRandom draws statements; loops counts those around.
func rcRandom(r *rand.Rand, depth, loops int) []rcStmt {
	var list []rcStmt
	for range 1 + r.IntN(3) {
		c := rcCond{shift: r.Uint32N(6), mask: 1<<r.IntN(3) - 1, by: r.Uint32N(2), plus: r.Uint32N(3), less: r.IntN(2) == 0}
		switch k := r.IntN(8); {
		case k < 2 && depth > 0:
			list = append(list, rcWhen(c, rcRandom(r, depth-1, loops), rcRandom(r, depth-1, loops)...))
		case k == 2 && depth > 0 && loops < 2:
			c.less, c.by, c.mask = true, 1, 3
			list = append(list, rcWhile(c, rcRandom(r, depth-1, loops+1)...))
		case k == 3 && depth > 0:
			s := rcStmt{kind: rcSwitch, cond: rcCond{shift: c.shift, mask: 3}}
			for n := range 1 + r.IntN(3) {
				s.cases = append(s.cases, rcRandom(r, depth-1, loops))
				s.fall = append(s.fall, false)
				if n > 0 {
					s.fall[n-1] = r.IntN(2) == 0
				}
			}
			list = append(list, s)
		case k == 4 && loops > 0:
			list = append(list, rcWhen(c, rcOnly(rcBreak+rcKind(r.IntN(2)))))
		case k == 5 && r.IntN(4) == 0:
			list = append(list, rcWhen(c, rcOnly(rcReturn)))
		default:
			list = append(list, rcB())
		}
	}
	return append(list, rcB())
}

func TestReconvergenceOfRandomPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	programs := 70
	if testing.Short() {
		programs = 15
	}
	for range programs {
		checkReconvergence(t, rcRandom(r, 3, 0), 32<<r.IntN(2))
	}
}
