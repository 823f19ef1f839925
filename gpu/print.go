package gpu

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"spvsim/cu"
	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program"
	"spvsim/simd"
	"spvsim/tracing/probe"
)

// printer returns the function that formats what waves print; nil without an observer.
func printer(to probe.Observer) cu.Printer {
	if to == nil {
		return nil
	}
	return func(now uint64, w *simd.Wave, in *isa.Inst) { printLanes(to, now, w.Program().Program, &w.State, in) }
}

// printLanes formats what the lanes of a wave print, and hands it to the observer, if there is one.
func printLanes(to probe.Observer, now uint64, prog *program.Program, st *isa.State, in *isa.Inst) {
	if to == nil {
		return
	}
	format := prog.Strings[in.Imm]
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask)
		to.Printed(probe.Print{
			Cycle: now, Workgroup: st.Workgroup, Wave: st.WaveInGroup, Lane: lane,
			Text: formatPrint(format, printArguments(st, in, lane)),
		})
	}
}

// A printValue is one argument of a DebugPrint in one lane.
type printValue struct {
	bits uint64
	t    isa.Type
}

func printArguments(st *isa.State, in *isa.Inst, lane int) (list []printValue) {
	return lists.Map(in.Print, func(a isa.PrintArg) printValue { return printValue{laneBits(st, a, lane), a.T} })
}

func laneBits(st *isa.State, a isa.PrintArg, lane int) uint64 {
	v := a.Reg.Val
	switch a.Reg.Kind {
	case isa.Vector:
		at := int(a.Reg.Index)*st.Lanes + lane
		v = uint64(st.V[at])
		if a.T.Rows() == 2 {
			v |= uint64(st.V[at+st.Lanes]) << 32
		}
		return v
	case isa.Scalar:
		v = st.S[a.Reg.Index]
	}
	if a.T == isa.Bool {
		return v >> lane & 1
	}
	return v
}

// formatPrint formats values by the rules of DebugPrintf: the conversions of C's printf, with %v2 to %v4 before the conversion for
// vectors. Missing values print as <missing>.
func formatPrint(format string, values []printValue) string {
	var b strings.Builder
	next := func() (v printValue, ok bool) {
		if len(values) > 0 {
			v, values, ok = values[0], values[1:], true
		}
		return v, ok
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		spec, n, verb, size := parseSpec(format[i:])
		text := format[i : i+size]
		i += size - 1
		switch verb {
		case '%':
			b.WriteByte('%')
			continue
		case 0:
			b.WriteString(text)
			continue
		}
		for k := range n {
			if k > 0 {
				b.WriteString(", ")
			}
			v, ok := next()
			b.WriteString(formatValue(spec, verb, v, ok))
		}
	}
	return b.String()
}

// parseSpec splits a conversion into its flags with width and precision, the
// number of values it takes, and its verb; size is its length in the format.
func parseSpec(s string) (flags string, n int, verb byte, size int) {
	i := 1
	for i < len(s) && strings.IndexByte("-+ #0123456789.", s[i]) >= 0 {
		i++
	}
	flags, n = s[1:i], 1
	if i+1 < len(s) && s[i] == 'v' && s[i+1] >= '2' && s[i+1] <= '4' {
		n = int(s[i+1] - '0')
		i += 2
	}
	for i < len(s) && (s[i] == 'l' || s[i] == 'h') {
		i++
	}
	if i >= len(s) {
		return flags, n, 0, len(s)
	}
	verb = s[i]
	i++
	if verb == 'u' && i < len(s) && s[i] == 'l' { // %ul, as GLSL writes it
		i++
	}
	return flags, n, verb, i
}

// verbs are Go's forms of the conversions.
var verbs = map[byte]byte{
	'd': 'd', 'i': 'd', 'u': 'd', 'x': 'x', 'X': 'X', 'o': 'o', 'c': 'c',
	'f': 'f', 'F': 'F', 'e': 'e', 'E': 'E', 'g': 'g', 'G': 'G', 'a': 'x', 'A': 'X', 'p': 'x',
}

func formatValue(flags string, verb byte, v printValue, ok bool) string {
	to, known := verbs[verb]
	switch {
	case !ok:
		return "<missing>"
	case !known:
		return "%" + flags + string(verb)
	case strings.IndexByte("fFeEgGaA", verb) >= 0:
		if flags == "" && (verb == 'f' || verb == 'F' || verb == 'e' || verb == 'E') {
			flags = ".6"
		}
		return fmt.Sprintf("%"+flags+string(to), v.float())
	case verb == 'd' || verb == 'i':
		return fmt.Sprintf("%"+flags+string(to), v.signed())
	}
	return fmt.Sprintf("%"+flags+string(to), v.bits)
}

func (v printValue) float() float64 {
	switch v.t {
	case isa.F64:
		return math.Float64frombits(v.bits)
	case isa.F32:
		return float64(math.Float32frombits(uint32(v.bits)))
	case isa.F16:
		return math.Float64frombits(isa.Eval(isa.FConvert, isa.F64, isa.F16, 0, v.bits))
	}
	return float64(v.signed())
}

func (v printValue) signed() int64 {
	if v.t.IsFloat() {
		return int64(v.float())
	}
	shift := 64 - max(v.t.Bits(), 1)
	if v.t == isa.Bool {
		return int64(v.bits)
	}
	return int64(v.bits<<shift) >> shift
}
