package program

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/program/opt"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// compile compiles the text of a shader as a run does.
func compile(ctx context.Context, t *testing.T, text string) (*Program, error) {
	t.Helper()
	return lowerText(ctx, t, text, Target{WaveSize: 64, Opt: opt.Options{FuseMad: true, LshlAdd: true, Add3: true}})
}

func lowerText(ctx context.Context, t *testing.T, text string, target Target) (*Program, error) {
	t.Helper()
	raw := suite.Must(asm.Assemble([]byte(text), "large.spvasm"))(t)
	m, err := validate.CheckContext(ctx, raw)
	if err != nil {
		return nil, err
	}
	return LowerContext(ctx, m, Options{Target: target})
}

// Modules that are too large or too deep are refused, by the name of the limit, before the work begins.
func TestLimitsAreTestedBeforeTheWork(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"selections": {nestedSelections(5000), "constructs nested deeper than 1023"},
		"loops":      {nestedLoops(2000), "constructs nested deeper than 1023"},
		"around calls": {strings.NewReplacer("OpStore %to_in %u7", "OpStore %to_in %u7\n%r = OpFunctionCall %uint %deep %u7", "%main = ", "%word = OpTypeFunction %uint %uint\n%main = ").
			Replace(nestedSelections(1023)) + deepFunction,
			"constructs nested deeper than 1023, those around calls with them"},
		"scalars alive":             {wideArray(1 << 16), "needs 65537 vector rows and 1 scalar words: more than 32768 can't be numbered"},
		"loops one after the other": {sequentialLoops(4200), "4200 loops and 16802 blocks: want at most 67108864 as their product"},
		"calls":                     {calls(300, false), "calls nested deeper than 200"},
	} {
		_, err := compile(context.Background(), t, c.text)
		if !errors.Is(err, validate.ErrUnsupported) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: found %v\nwant %s", name, err, c.want)
		}
	}
}

// Blocks times values are bounded, and the bound is taken as it is said.
func TestBlocksTimesValuesAreBounded(t *testing.T) {
	f := &ir.Func{Name: "main"}
	for range 1 << 16 {
		f.NewBlock()
	}
	for range 1 << 17 {
		f.NewValue(isa.IAdd, isa.I32, isa.I32)
	}
	if err := checkTables(f); err != nil {
		t.Errorf("%d blocks and %d values: %v", 1<<16, 1<<17, err)
	}
	f.NewValue(isa.IAdd, isa.I32, isa.I32)
	if err := checkTables(f); !errors.Is(err, validate.ErrUnsupported) || !strings.Contains(err.Error(), "65536 blocks and 131073 values: want at most 8589934592 as their product") {
		t.Errorf("one value more: %v", err)
	}
}

// deepFunction has one construct of its own.
const deepFunction = `%deep = OpFunction %uint None %word
%da = OpFunctionParameter %uint
%dl = OpLabel
%dc = OpULessThan %bool %da %u1
OpSelectionMerge %dm None
OpBranchConditional %dc %dt %dm
%dt = OpLabel
OpBranch %dm
%dm = OpLabel
OpReturnValue %da
OpFunctionEnd
`

// Large modules within the limits compile.
func TestLargeModules(t *testing.T) {
	deep, long := 1023, 8
	if testing.Short() {
		deep, long = 200, 1
	}
	for name, text := range map[string]string{
		"selections": nestedSelections(deep), "loops": nestedLoops(deep), "one after the other": sequentialSelections(200 * long),
		"handed on by a loop": loopPhis(1000 * long), "cases": manyCases(375 * long), "alive": liveArray(500 * long),
		"an array": wideArray(3000 * long), "a structure": wideStruct(2000 * long), "a chain": chain(7500 * long),
		"accesses": accesses(200 * long), "calls": calls(199, false), "smaller images": mips(12, 8*long),
	} {
		if p, err := compile(context.Background(), t, text); err != nil || len(p.Insts) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A countdown is a context that ends when it has been asked so often.
type countdown struct {
	context.Context
	left int
}

var errEnough = errors.New("enough")

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return errEnough
	}
	return nil
}

// Wherever its context ends, compiling stops there with the context's error; a context that is asked
// often enough lets it come to its end.
func TestAContextEndsCompiling(t *testing.T) {
	text := mips(2, 3)
	for asked, step := 0, 1; ; asked, step = asked+step, step+asked/50 {
		ctx := &countdown{context.Background(), asked}
		_, err := compile(ctx, t, text)
		if err == nil && ctx.left >= 0 {
			if asked < 200 {
				t.Errorf("compiling looks at its context %d times only", asked)
			}
			return
		}
		if !errors.Is(err, errEnough) {
			t.Fatalf("asked %d times: %v", asked, err)
		}
	}
}

// plainFile is a register file in the simplest form.
type plainFile [][]span

func (f *plainFile) take(spans []span, n int) int {
	fits := func(r int) bool { return r >= len(*f) || !overlap((*f)[r], spans) }
	first := 0
	for ; ; first += n {
		ok := true
		for r := first; r < first+n; r++ {
			ok = ok && fits(r)
		}
		if ok {
			break
		}
	}
	for len(*f) < first+n {
		*f = append(*f, nil)
	}
	for r := first; r < first+n; r++ {
		(*f)[r] = mergeSpans(append((*f)[r], spans...))
	}
	return first
}

// A file gives the same registers as the simplest search.
func TestFirstFit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		f, plain, at := newFile(), plainFile{}, 0
		for k := range 60 {
			at += r.IntN(4)
			var spans []span
			for from := at; len(spans) < 1+r.IntN(4); {
				to := from + 1 + r.IntN(12)
				spans = append(spans, span{from, to})
				from = to + 1 + r.IntN(10)
			}
			n := 1 + r.IntN(2)
			if got, want := f.allocate(spans, n), plain.take(spans, n); got != want {
				t.Fatalf("round %d, group %d: register %d, want %d", round, k, got, want)
			}
		}
	}
}

// Registers that are taken are not examined again: n groups that are live at once cost no comparison, and past spans
// are forgotten.
func TestFirstFitLooksAtFreeRegistersOnly(t *testing.T) {
	f := newFile()
	const n = 5000
	for range n {
		f.allocate([]span{{0, 10}}, 1)
	}
	if f.compared != 0 {
		t.Errorf("%d comparisons while all registers are taken, want 0", f.compared)
	}
	for i := range n {
		f.allocate([]span{{10 + 2*i, 12 + 2*i}}, 1)
	}
	if f.compared != n || len(f.spans) != n || len(f.spans[0]) > 1 {
		t.Errorf("%d comparisons, %d registers, %d spans of the first; want %d, %d, 1", f.compared, len(f.spans), len(f.spans[0]), n, n)
	}
}

// The first number up to a bound is that of a plain search.
func TestLowest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 40; n++ {
		l, plain := newLowest(n), slices.Repeat([]int{1 << 40}, n)
		for range 3 * n {
			i, v := r.IntN(n), r.IntN(20)
			if v < plain[i] {
				plain[i] = v
				l.set(i, v)
			}
			lo, hi, bound := r.IntN(n+1), r.IntN(n+1), r.IntN(20)
			want := -1
			for k := lo; k < hi && want < 0; k++ {
				if plain[k] <= bound {
					want = k
				}
			}
			if got := l.first(lo, hi, bound); got != want {
				t.Fatalf("first of %v from %d to %d up to %d: %d, want %d", plain, lo, hi, bound, got, want)
			}
		}
	}
}

// Moves between registers in any pattern, wide ones among them, mean the same as all at once.
func TestParallelMoves(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 2000 {
		const rows = 12
		var moves []registerMove
		for d := 0; d < rows; d++ {
			m := registerMove{dst: isa.V(d), src: isa.V(r.IntN(rows)), t: isa.I32}
			if d+1 < rows && r.IntN(4) == 0 {
				m.t, m.src = isa.I64, isa.V(r.IntN(rows-1))
				d++
			}
			if r.IntN(3) > 0 && m.src != m.dst {
				moves = append(moves, m)
			}
		}
		e := &emitter{vectorRows: rows}
		want, got := make([]int, 4*rows), make([]int, 4*rows)
		for i := range got {
			got[i], want[i] = i, i
		}
		for _, m := range moves {
			for k := range m.t.Rows() {
				want[int(m.dst.Index)+k] = int(m.src.Index) + k
			}
		}
		if len(moves) > 0 {
			e.order(slices.Clone(moves), &ir.Block{})
		}
		for i := range e.insts {
			in := &e.insts[i]
			n := in.T.Rows()
			copy(got[in.Dst.Index:int(in.Dst.Index)+n], slices.Clone(got[in.Src[0].Index:int(in.Src[0].Index)+n]))
		}
		if diff := cmp.Diff(want[:rows], got[:rows]); diff != "" {
			t.Fatalf("round %d: %v\n%s", round, moves, diff)
		}
	}
}
