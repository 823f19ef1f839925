package config

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spvsim/isa"
)

// Validate reports every field whose value can't be simulated, by the field tables and by the rules between fields.
func (m *Machine) Validate() error {
	var errs []error
	for _, p := range m.problems() {
		errs = append(errs, &Error{Path: p.path, Msg: p.msg, Kind: p.kind})
	}
	return errors.Join(errs...)
}

func (m *Machine) problems() []problem {
	ps := checkStruct(reflect.ValueOf(m).Elem(), "")
	for _, rule := range machineRules {
		ps = append(ps, rule(m)...)
	}
	return ps
}

// machineRules are what must hold between fields; a new rule is one function and one line.
var machineRules = []func(*Machine) []problem{
	ruleRequired, ruleWaves, ruleRegisters, ruleLDS, ruleFetch, ruleCaches, ruleLines, ruleClasses, ruleOperations,
}

func bad(path, format string, args ...any) problem {
	return problem{path, fmt.Sprintf(format, args...), ErrRange}
}

func ruleRequired(m *Machine) []problem {
	var ps []problem
	for _, t := range []struct{ path, value string }{
		{"name", m.Name}, {"issue.policy", m.Issue.Policy}, {"lds.mapping", m.LDS.Mapping}, {"memory.model", m.Memory.Model}, {"timing.lowering", m.Timing.Lowering}, {"timing.buffers", m.Timing.Buffers},
	} {
		if t.value == "" {
			ps = append(ps, problem{t.path, "missing", ErrMissing})
		}
	}
	return ps
}

func ruleWaves(m *Machine) []problem {
	var ps []problem
	if !slices.Contains(m.WaveSizes, m.WaveSize) {
		ps = append(ps, bad("wave_size", "found %d: want one of wave_sizes %v", m.WaveSize, m.WaveSizes))
	}
	for i, w := range m.WaveSizes {
		if m.SIMDWidth > 0 && w%m.SIMDWidth != 0 {
			ps = append(ps, bad(indexPath("wave_sizes", i), "found %d: want a multiple of simd_width %d", w, m.SIMDWidth))
		}
	}
	return ps
}

func ruleRegisters(m *Machine) []problem {
	var ps []problem
	r := m.Registers
	for _, t := range []struct {
		name              string
		all, granule, max int
	}{{"vector", r.Vector, r.VectorGranule, r.VectorMax}, {"scalar", r.Scalar, r.ScalarGranule, r.ScalarMax}} {
		if t.max > t.all {
			ps = append(ps, bad("registers."+t.name+"_max", "found %d: want at most registers.%s, %d", t.max, t.name, t.all))
		}
		if t.granule > t.all {
			ps = append(ps, bad("registers."+t.name+"_granule", "found %d: want at most registers.%s, %d", t.granule, t.name, t.all))
		}
	}
	return ps
}

func ruleLDS(m *Machine) []problem {
	var ps []problem
	if m.LDS.MaxWorkgroupBytes > m.LDS.Bytes {
		ps = append(ps, bad("lds.max_workgroup_bytes", "found %d: want at most lds.bytes, %d", m.LDS.MaxWorkgroupBytes, m.LDS.Bytes))
	}
	v := reflect.ValueOf(m.LDS.Accesses)
	for _, f := range fieldsOf(v.Type()) {
		a := v.Field(f.index).Interface().(LDSAccess)
		if _, err := a.Phases(64); err != nil {
			ps = append(ps, bad("lds.accesses."+f.name+".lanes", "%v", err))
		}
	}
	return ps
}

func ruleFetch(m *Machine) []problem {
	if f := m.Fetch; f.LineBytes > 0 && f.Ways > 0 && f.Bytes%(f.LineBytes*f.Ways) != 0 {
		return []problem{bad("fetch.bytes", "found %d: want a multiple of line_bytes x ways, %d", f.Bytes, f.LineBytes*f.Ways)}
	}
	return nil
}

// levels names the cache levels from the compute unit outwards.
func (m *Machine) levels() []struct {
	name  string
	cache Cache
} {
	return []struct {
		name  string
		cache Cache
	}{{"vector_l1", m.VectorL1}, {"scalar_l1", m.ScalarL1}, {"shader_array", m.ShaderArray}, {"l2", m.L2}, {"memory_side", m.MemorySide}}
}

// mayBeAbsent are the levels that some machines do without.
var mayBeAbsent = map[string]bool{"shader_array": true, "memory_side": true}

func ruleCaches(m *Machine) []problem {
	var ps []problem
	for _, l := range m.levels() {
		switch {
		case l.cache.Present():
			ps = append(ps, cacheProblems(l.name, l.cache)...)
		case !mayBeAbsent[l.name]:
			ps = append(ps, bad(l.name+".bytes", "found 0: want this level (only shader_array and memory_side may be absent)"))
		}
	}
	return ps
}

func cacheProblems(name string, c Cache) []problem {
	var ps []problem
	for _, f := range []struct {
		name  string
		value float64
	}{{"line_bytes", float64(c.LineBytes)}, {"ways", float64(c.Ways)}, {"slices", float64(c.Slices)}, {"bytes_per_cycle", c.BytesPerCycle}} {
		if !(f.value > 0) {
			ps = append(ps, bad(name+"."+f.name, "found %g: want more than 0 where the level is present", f.value))
		}
	}
	if c.Write == "" {
		ps = append(ps, problem{name + ".write", "missing", ErrMissing})
	}
	if set := c.LineBytes * c.Ways * c.Slices; ps == nil && c.Bytes%set != 0 {
		ps = append(ps, bad(name+".bytes", "found %d: want a multiple of line_bytes x ways x slices, %d", c.Bytes, set))
	}
	if c.InterleaveBytes > 0 && c.InterleaveBytes < c.LineBytes {
		ps = append(ps, bad(name+".interleave_bytes", "found %d: want at least line_bytes, %d", c.InterleaveBytes, c.LineBytes))
	}
	return ps
}

// ruleLines asks that an outer level's line holds whole lines of the inner ones, so that one miss is one request.
func ruleLines(m *Machine) []problem {
	var ps []problem
	inner := 0
	for _, l := range m.levels() {
		if l.name == "scalar_l1" || !l.cache.Present() {
			continue
		}
		if l.cache.LineBytes < inner {
			ps = append(ps, bad(l.name+".line_bytes", "found %d: want at least the %d of the level before", l.cache.LineBytes, inner))
		}
		inner = l.cache.LineBytes
	}
	return ps
}

// optionalClasses are those of instructions that a machine may lack: programs are lowered without them then.
var optionalClasses = map[string]bool{isa.ClassPacked32.String(): true, isa.ClassDual.String(): true}

func ruleClasses(m *Machine) []problem {
	var ps []problem
	for _, name := range ClassNames() {
		p := joinPath("timing.classes", name)
		c, ok := m.Timing.Classes[name]
		switch {
		case !ok && optionalClasses[name]:
		case !ok:
			ps = append(ps, problem{p, "missing: every class needs unit, issue, busy and latency", ErrMissing})
		case c.Unit == "":
			ps = append(ps, problem{p + ".unit", "missing", ErrMissing})
		case c.Busy < c.Issue:
			ps = append(ps, bad(p+".busy", "found %d: want at least issue, %d", c.Busy, c.Issue))
		}
	}
	for _, name := range sortedKeys(reflect.ValueOf(m.Timing.Classes)) {
		if !isClass(name) {
			ps = append(ps, unknownClass(joinPath("timing.classes", name), name))
		}
	}
	return ps
}

func unknownClass(path, name string) problem {
	msg := fmt.Sprintf("%q is not an instruction class", name)
	if n := Nearest(name, ClassNames()); n != "" {
		msg += fmt.Sprintf(" (nearest: %s)", n)
	}
	return problem{path, msg, ErrReference}
}

// operationKey is op, op/type, op/wave or op/type/wave; for the scalar unit op/scalar or op/type/scalar.
var operationKey = regexp.MustCompile(`^[A-Za-z0-9_.]+(/(bool|i8|i16|i32|i64|f16|f32|f64))?(/(16|32|64|scalar))?$`)

func ruleOperations(m *Machine) []problem {
	var ps []problem
	for _, key := range sortedKeys(reflect.ValueOf(m.Timing.Operations)) {
		o := m.Timing.Operations[key]
		p := joinPath("timing.operations", key)
		if !operationKey.MatchString(key) {
			ps = append(ps, problem{p, "want op, op/type, op/wave or op/type/wave (reduce/i64/32), or op/scalar or op/type/scalar", ErrRange})
		}
		if op, _, _ := strings.Cut(key, "/"); !isOperation(op) {
			ps = append(ps, unknownOperation(p, op))
		}
		if len(o.Use) == 0 {
			ps = append(ps, problem{p + ".use", "found an empty list: want class names", ErrRange})
		}
		ps = append(ps, listProblems(p+".use", o.Use)...)
		ps = append(ps, listProblems(p+".use_lds", o.UseLDS)...)
	}
	return ps
}

func isOperation(name string) bool {
	_, ok := isa.Lookup(name)
	return ok
}

func unknownOperation(path, name string) problem {
	var known []string
	for op := isa.Op(0); op < isa.NumOps; op++ {
		known = append(known, op.String())
	}
	msg := fmt.Sprintf("%q is not an operation", name)
	if n := Nearest(name, known); n != "" {
		msg += fmt.Sprintf(" (nearest: %s)", n)
	}
	return problem{path, msg, ErrReference}
}

// maxMicros bounds the count before a class name: the longest known expansions have about a hundred micro-operations.
const maxMicros = 4096

func listProblems(path string, list []string) []problem {
	var ps []problem
	for i, item := range list {
		n, name, ok := splitItem(item)
		switch {
		case !ok || n < 1 || n > maxMicros:
			ps = append(ps, bad(indexPath(path, i), "found %q: want a class name, or a count up to %d and a class name", item, maxMicros))
		case !isClass(name):
			ps = append(ps, unknownClass(indexPath(path, i), name))
		}
	}
	return ps
}

// splitItem reads "dpp" or "6 dpp".
func splitItem(item string) (n int, name string, ok bool) {
	words := strings.Fields(item)
	switch len(words) {
	case 1:
		return 1, words[0], true
	case 2:
		n, err := strconv.Atoi(words[0])
		return n, words[1], err == nil
	}
	return 0, "", false
}

// ClassNames lists the instruction classes in the order of isa.
func ClassNames() []string { return isa.ClassNames[1:] }

func isClass(name string) bool { return name != "" && slices.Contains(ClassNames(), name) }
