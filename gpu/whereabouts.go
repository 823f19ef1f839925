package gpu

import (
	"cmp"
	"fmt"
	"slices"

	"spvsim/cu"
	"spvsim/isa"
	"spvsim/program"
	"spvsim/simd"
	"spvsim/tracing"
)

// A waveLocation is the instruction at which a wave is.
type waveLocation struct {
	program *program.Program
	pc      int
}

// A loop is a range of instructions that a branch at its end goes back over.
type loop struct {
	program  *program.Program
	from, to int
}

// loopReport lists the innermost loops with their numbers of waves, one line each, those with the most waves first. Waves outside of loops are left out.
func loopReport(waves []waveLocation) (lines []string) {
	count := map[loop]int{}
	var loops []loop
	for _, w := range waves {
		l, ok := innermostLoop(w.program, w.pc)
		if !ok {
			continue
		}
		if count[l]++; count[l] == 1 {
			loops = append(loops, l)
		}
	}
	slices.SortFunc(loops, func(a, b loop) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(a.program.Name, b.program.Name), a.from-b.from, a.to-b.to)
	})
	for i, l := range loops {
		if i == maxReported {
			return append(lines, fmt.Sprintf("  and in %d other loops", len(loops)-i))
		}
		lines = append(lines, fmt.Sprintf("  %s in %s", tracing.Plural(uint64(count[l]), "wave loops", "waves loop"), l))
	}
	return lines
}

// innermostLoop returns the shortest range around pc that a branch goes back over.
func innermostLoop(p *program.Program, pc int) (l loop, ok bool) {
	for i := range p.Insts {
		in := &p.Insts[i]
		from := int(in.Target)
		if !program.IsBranch(in.Op) || from > pc || i < pc || from > i {
			continue
		}
		if !ok || i-from < l.to-l.from {
			l, ok = loop{p, from, i}, true
		}
	}
	return l, ok
}

// String names the loop: the program, its instructions, and their SPIR-V ids and source lines if known.
func (l loop) String() string {
	var first, last isa.Origin
	var low, high uint32
	for i := l.from; i <= l.to; i++ {
		in := &l.program.Insts[i]
		if in.SPIRV != 0 {
			if first.SPIRV == 0 {
				first = in.Origin
			}
			last = in.Origin
		}
		if in.Line != 0 {
			if low == 0 || in.Line < low {
				low = in.Line
			}
			high = max(high, in.Line)
		}
	}
	text := fmt.Sprintf("%s, instructions %d to %d", l.program.Name, l.from, l.to)
	if first.SPIRV != 0 {
		first.Line, last.Line = 0, 0
		text += fmt.Sprintf(", %v to %v", first, last)
	}
	if low != 0 {
		text += fmt.Sprintf(", lines %d to %d", low, high)
	}
	return text
}

// runningWaves returns the waves that do not wait for other waves.
func runningWaves(waves []*simd.Wave) (list []waveLocation) {
	for _, w := range waves {
		if pc, _ := w.CurrentInst(); w.Ready() < cu.Never {
			list = append(list, waveLocation{w.Program().Program, pc})
		}
	}
	return list
}
