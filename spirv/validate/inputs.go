package validate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spvsim/internal/lists"
	"spvsim/spirv"
)

// ErrInput reports that a module does not determine the input payload of a node.
var ErrInput = errors.New("the input payload is not known")

// NoInput is the input in a job of a node without one.
const NoInput = "none"

// An Input is the result of Inputs for one entry point.
type Input struct {
	Variable spirv.ID // in NodePayloadAMDX; 0: none
	Err      error    // wraps ErrInput if several variables are possible
}

// Inputs finds the input payload of each entry point, in their order. Code that uses a variable, or the job, determines
// its owner. Compilers list the inputs of all entry points in the interface of each, so variables that no code uses
// (optimised code may need no more of a payload than its dispatch grid) are assigned by elimination: by the entry
// points that list the variable, that are sent such payloads, and that need an input. The rest is assigned in the order
// of declaration, because compilers write variables in the order of entry points. nodes lists the known nodes of the
// graph; those of other modules are skipped.
func (m *Module) Inputs(nodes []GraphNode) []Input {
	s := newInputSearch(m, nodes)
	s.assignUsed(nodes)
	s.eliminate()
	if s.incomplete() && s.inOrder() {
		s.ordered = true
		s.eliminate()
	}
	s.pair()
	return s.results()
}

// An inputSearch assigns payload variables to entry points.
type inputSearch struct {
	m       *Module
	entries []*inputEntry
	vars    []*inputVariable
	sent    []sentPayload
	ordered bool // only assignments in the order of declaration count
}

type inputEntry struct {
	*EntryPoint
	input    *inputVariable
	assigned bool // input is final, be there one or not
	// dynamic: without an input it would read three counts. sentTo: code allocates payloads for it, or for the node
	// whose input it shares.
	dynamic, sentTo bool
	names           []string // names of its node, under which payloads reach it
	err             error
}

type inputVariable struct {
	id    spirv.ID
	array bool
	elem  *Type // of one payload
	owned bool  // some entry point's
}

// A sentPayload is a type of payloads that the module's code may allocate.
type sentPayload struct {
	names []string // of the targets
	elem  *Type
}

func newInputSearch(m *Module, nodes []GraphNode) *inputSearch {
	s := &inputSearch{m: m}
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		switch {
		case in.Op == spirv.OpVariable && spirv.StorageClass(in.Operands[0]) == spirv.StorageClassNodePayloadAMDX:
			s.vars = append(s.vars, m.inputVariable(in))
		case in.Op == spirv.OpTypeNodePayloadArrayAMDX:
			if id, ok := m.Decoration(in.Result, spirv.DecorationPayloadNodeNameAMDX); ok {
				s.sent = append(s.sent, sentPayload{m.texts(id, nodes), m.Type(in.Result).Elem})
			}
		}
	}
	for i := range m.EntryPoints {
		s.entries = append(s.entries, s.entry(&m.EntryPoints[i], nodes))
	}
	return s
}

func (m *Module) inputVariable(in *spirv.Instruction) *inputVariable {
	v := &inputVariable{id: in.Result, elem: m.TypeOf(in.Result).Elem}
	if v.array = v.elem != nil && v.elem.Kind == KindNodePayloadArray; v.array {
		v.elem = v.elem.Elem
	}
	return v
}

// texts returns the values that a string constant has in the nodes of the module.
func (m *Module) texts(id uint32, nodes []GraphNode) []string {
	var list []string
	for i := range nodes {
		if nodes[i].Module == m {
			list = append(list, nodes[i].text(id))
		}
	}
	if len(list) == 0 {
		list = append(list, (&GraphNode{Module: m}).text(id))
	}
	return list
}

func (s *inputSearch) entry(e *EntryPoint, nodes []GraphNode) *inputEntry {
	out := &inputEntry{EntryPoint: e}
	for i := range nodes {
		if nodes[i].Entry == e {
			out.names = append(out.names, nodes[i].Name)
		}
	}
	out.dynamic = (&GraphNode{Entry: e}).launchKind() == "dynamic" && (len(out.names) > 0 || e.Mode(spirv.ExecutionModeMaxNumWorkgroupsAMDX) != nil)
	if len(out.names) == 0 {
		out.names = []string{e.Name}
	}
	if share := e.Mode(spirv.ExecutionModeSharesInputWithAMDX); share != nil {
		out.names, out.sentTo = append(out.names, s.m.texts(share.Args[0], nodes)...), true
	}
	out.sentTo = out.sentTo || len(s.sentTo(out)) > 0
	return out
}

// sentTo returns the payloads that reach an entry point.
func (s *inputSearch) sentTo(e *inputEntry) (list []*Type) {
	for _, p := range s.sent {
		if slices.ContainsFunc(p.names, func(name string) bool { return slices.Contains(e.names, name) }) {
			list = append(list, p.elem)
		}
	}
	return list
}

// assignUsed assigns the variables that code uses or the job names.
func (s *inputSearch) assignUsed(nodes []GraphNode) {
	reach := newGlobalUses(s.m)
	for _, e := range s.entries {
		used := reach.variables(e.Func)
		for _, v := range s.vars {
			if !slices.Contains(used, v.id) {
				continue
			}
			if e.input != nil {
				e.err = FaultAt(s.m.Def(v.id), "", "entry point %q has a second input payload; the first is %%%d", e.Name, e.input.id)
				break
			}
			s.assign(e, v)
		}
		for i := range nodes {
			if nodes[i].Entry == e.EntryPoint && nodes[i].Input != "" && e.err == nil {
				s.assignFromJob(e, nodes[i].Input)
			}
		}
	}
}

func (s *inputSearch) assign(e *inputEntry, v *inputVariable) {
	e.input, e.assigned = v, true
	if v != nil {
		v.owned = true
	}
}

func (s *inputSearch) assignFromJob(e *inputEntry, name string) {
	var found []*inputVariable
	for _, v := range s.vars {
		if id, err := strconv.ParseUint(strings.TrimPrefix(name, "%"), 10, 32); err == nil && uint64(v.id) == id || s.m.Name(v.id) == name {
			found = append(found, v)
		}
	}
	switch {
	case name == NoInput && len(found) == 0 && e.input == nil:
		s.assign(e, nil)
	case name == NoInput && len(found) == 0:
		e.err = e.fault("input %s: its code uses %%%d", name, e.input.id)
	case len(found) == 0:
		e.err = e.fault("input %s: no variable in NodePayloadAMDX has that name or id: there are %s", name, s.m.idList(s.vars))
	case len(found) > 1:
		e.err = e.fault("input %s: that is the name of several variables: want one of the ids %s", name, s.m.idList(found))
	case e.input != nil && e.input != found[0]:
		e.err = e.fault("input %s: its code uses %%%d", name, e.input.id)
	case !slices.Contains(e.Interface, found[0].id):
		e.err = e.fault("input %s: %q does not list %%%d in its interface", name, e.Name, found[0].id)
	default:
		s.assign(e, found[0])
	}
}

func (m *Module) idList(list []*inputVariable) string {
	var ids []string
	for _, v := range list {
		id := strconv.FormatUint(uint64(v.id), 10)
		if name := m.Name(v.id); name != "" {
			id += fmt.Sprintf(" (%q)", name)
		}
		ids = append(ids, id)
	}
	return strings.Join(append(ids, NoInput), ", ")
}

// eliminate assigns inputs that have only one possibility, until none remain.
func (s *inputSearch) eliminate() {
	for s.onlyVariable() || s.onlyEntry() || s.noneLeft() {
	}
}

// onlyVariable finds an entry point that needs an input and has one to choose from.
func (s *inputSearch) onlyVariable() bool {
	for _, e := range s.entries {
		if list := s.choices(e); e.needsInput() && len(list) == 1 {
			s.assign(e, list[0])
			return true
		}
	}
	return false
}

// onlyEntry finds a variable that one entry point only may have.
func (s *inputSearch) onlyEntry() bool {
	for _, v := range s.vars {
		takers := lists.Filter(s.entries, func(e *inputEntry) bool { return slices.Contains(s.choices(e), v) })
		if len(takers) == 1 {
			s.assign(takers[0], v)
			return true
		}
	}
	return false
}

// noneLeft marks entry points that need no input as having none, if those that need one take all variables.
func (s *inputSearch) noneLeft() bool {
	open, needy := s.open(), 0
	for _, e := range open {
		if e.needsInput() {
			needy++
		}
	}
	if needy == len(open) || needy != len(s.free()) {
		return false
	}
	for _, e := range open {
		if !e.needsInput() {
			s.assign(e, nil)
		}
	}
	return true
}

func (e *inputEntry) needsInput() bool { return e.dynamic || e.sentTo }

// open returns the entry points that may still get an input.
func (s *inputSearch) open() (list []*inputEntry) {
	return lists.Filter(s.entries, func(e *inputEntry) bool { return len(s.choices(e)) > 0 })
}

func (s *inputSearch) incomplete() bool { return len(s.open()) > 0 }

// free returns the variables that belong to none so far.
func (s *inputSearch) free() (list []*inputVariable) {
	return lists.Filter(s.vars, func(v *inputVariable) bool { return !v.owned })
}

// choices returns the free variables that may be the input of an entry point: those of the very type that it is sent,
// if there are any, otherwise those that fit.
func (s *inputSearch) choices(e *inputEntry) (list []*inputVariable) {
	if e.assigned || e.err != nil {
		return nil
	}
	sent := s.sentTo(e)
	var exact []*inputVariable
	for _, v := range s.free() {
		if !s.fits(e, v, sent) {
			continue
		}
		list = append(list, v)
		if slices.Contains(sent, v.elem) {
			exact = append(exact, v)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return list
}

func (s *inputSearch) fits(e *inputEntry, v *inputVariable, sent []*Type) bool {
	switch {
	case !slices.Contains(e.Interface, v.id) || v.elem == nil:
		return false
	case !v.array && e.Mode(spirv.ExecutionModeCoalescingAMDX) != nil:
		return false
	case s.ordered && !s.keepsOrder(e, v):
		return false
	}
	return len(sent) == 0 || slices.ContainsFunc(sent, func(t *Type) bool {
		return s.m.bytes(t) == s.m.bytes(v.elem) &&
			s.m.Decorated(t.ID, spirv.DecorationTrackFinishWritingAMDX) == s.m.Decorated(v.elem.ID, spirv.DecorationTrackFinishWritingAMDX)
	})
}

// inOrder reports that the assignments so far follow the order of declaration.
func (s *inputSearch) inOrder() bool {
	last := -1
	for _, e := range s.entries {
		if e.input == nil {
			continue
		}
		i := slices.Index(s.vars, e.input)
		if i <= last {
			return false
		}
		last = i
	}
	return true
}

// keepsOrder reports whether the variables of entry points before e precede v, and those of later ones follow it.
func (s *inputSearch) keepsOrder(e *inputEntry, v *inputVariable) bool {
	at, place := slices.Index(s.vars, v), slices.Index(s.entries, e)
	for i, o := range s.entries {
		if o.input != nil && (i < place) != (slices.Index(s.vars, o.input) < at) {
			return false
		}
	}
	return true
}

// pair assigns the rest in the order of declaration, if there are as many variables as entry points.
func (s *inputSearch) pair() {
	open, free := s.open(), s.free()
	if len(open) != len(free) {
		return
	}
	for i, e := range open {
		if !slices.Contains(s.choices(e), free[i]) {
			return
		}
	}
	for i, e := range open {
		s.assign(e, free[i])
	}
}

func (s *inputSearch) results() []Input {
	list := make([]Input, len(s.entries))
	for i, e := range s.entries {
		if e.input != nil {
			list[i].Variable = e.input.id
		}
		list[i].Err = s.doubt(e)
	}
	return list
}

// doubt returns the reason why the input of an entry point is unknown, nil if it is known.
func (s *inputSearch) doubt(e *inputEntry) error {
	choices := s.choices(e)
	switch {
	case e.err != nil:
		return e.err
	case len(choices) > 0:
		return fmt.Errorf("%w: entry point %q: no code of it uses one of the payloads that it lists, and it may be any of %s: say which as input of the node",
			ErrInput, e.Name, s.m.idList(choices))
	case !e.assigned && e.dynamic && s.lists(e):
		return fmt.Errorf("%w: entry point %q: it uses none of the payloads that it lists, which belong to other entry points: "+
			"say its input, or that it has none and takes three counts, as input of the node: one of %s", ErrInput, e.Name, s.m.idList(s.vars))
	}
	return nil
}

// lists reports an entry point with a payload variable in its interface.
func (s *inputSearch) lists(e *inputEntry) bool {
	return slices.ContainsFunc(s.vars, func(v *inputVariable) bool { return slices.Contains(e.Interface, v.id) })
}
