package starter

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spvsim/config"
	"spvsim/program"
)

// mostIndexes bounds the nodes that one entry point is made into.
const mostIndexes = 64

// A target is a node to which another node sends payloads.
type target struct {
	from *entry
	*program.Output
}

// targets lists the outputs of all nodes.
func (w *writer) targets() (list []target) {
	for _, e := range w.entries {
		for i := range e.prog.Node.Outputs {
			list = append(list, target{e, &e.prog.Node.Outputs[i]})
		}
	}
	return list
}

// nodes writes the nodes, under the names that payloads target.
func (w *writer) nodes() {
	targets := w.targets()
	w.nameNodes(targets)
	w.line("nodes:")
	for _, e := range w.entries {
		for _, index := range w.indexes(e, targets) {
			text := "entry: " + quoted(e.Name)
			if e.name != e.Name {
				text += ", name: " + quoted(e.name)
			}
			if index != e.prog.Node.ShaderIndex {
				text += fmt.Sprintf(", index: %d", index)
			}
			w.line("  - {%s}", text)
		}
	}
	w.missing(targets)
}

// nameNodes finds the entry points of nodes whose names no entry point has, because compilers rename entry points.
// Index and size of the payload must fit.
func (w *writer) nameNodes(targets []target) {
	for _, e := range w.entries {
		e.name = e.Name
	}
	for i := range targets {
		t := &targets[i]
		if slices.ContainsFunc(w.entries, func(e *entry) bool { return e.Name == t.Node }) {
			continue
		}
		found := w.fitting(t, targets)
		for _, index := range slices.Sorted(maps.Keys(found)) {
			e := found[index]
			e.name = t.Node
			w.open("node %s[%d] is guessed to be the entry point %q: its index and its payload fit", t.Node, index, e.Name)
		}
	}
}

// fitting returns the entry points that may be the target of an output, one for each index. If there are some whose
// names begin with the target's, it returns only those.
func (w *writer) fitting(t *target, targets []target) map[uint32]*entry {
	found, like := map[uint32]*entry{}, map[uint32]*entry{}
	for _, e := range w.entries {
		n := e.prog.Node
		taken := e.name != e.Name || slices.ContainsFunc(targets, func(o target) bool { return o.Node == e.Name })
		if taken || e == t.from || !t.fits(n) {
			continue
		}
		if found[n.ShaderIndex] == nil {
			found[n.ShaderIndex] = e
		}
		if strings.HasPrefix(strings.ToLower(e.Name), strings.ToLower(t.Node)) && like[n.ShaderIndex] == nil {
			like[n.ShaderIndex] = e
		}
	}
	if len(like) > 0 {
		return like
	}
	return found
}

// fits reports that a node can take the payloads.
func (t *target) fits(n *program.Node) bool {
	return n.SharesInput == nil && n.Input != nil && n.Input.Bytes == t.Bytes && n.Input.TrackFinish == t.TrackFinish && t.AllowsIndex(n.ShaderIndex)
}

// indexes returns the indexes of an entry point in the graph: its own or, if it declares none, those that outputs use
// and no other entry point has.
func (w *writer) indexes(e *entry, targets []target) []uint32 {
	n := e.prog.Node
	list := []uint32{n.ShaderIndex}
	namesakes := slices.ContainsFunc(w.entries, func(o *entry) bool { return o != e && o.name == e.name })
	if n.HasShaderIndex || namesakes {
		return list
	}
	for i := range targets {
		t := &targets[i]
		if t.Node != e.name || t.Sparse || !t.Sized {
			continue
		}
		for index := range min(t.ArraySize, mostIndexes) {
			if !slices.Contains(list, index) {
				list = append(list, index)
			}
		}
	}
	return list
}

// missing reports the payloads that no node receives.
func (w *writer) missing(targets []target) {
	for i := range targets {
		t := &targets[i]
		if !t.Sparse && !slices.ContainsFunc(w.entries, func(e *entry) bool { return e.name == t.Node }) {
			w.open("%q sends payloads of %d bytes to node %q, and no entry point of the module is like it: want its module among nodes", t.from.Name, t.Bytes, t.Node)
		}
	}
	for _, e := range w.entries {
		if ref := e.prog.Node.SharesInput; ref != nil && !slices.ContainsFunc(w.entries, func(o *entry) bool { return o.name == ref.Name }) {
			w.open("%q shares the input of node %q, which is not an entry point of the module: want its module among nodes", e.Name, ref.Name)
		}
	}
}

// dispatchGraph hands one payload to each node that no other sends payloads to.
func (w *writer) dispatchGraph() error {
	w.meshOutputs()
	w.line("graph: # guess: one payload for each node that no other sends payloads to")
	targets := w.targets()
	started := false
	for _, e := range w.entries {
		sent := slices.ContainsFunc(targets, func(t target) bool { return t.from != e && t.Node == e.name && t.AllowsIndex(e.prog.Node.ShaderIndex) })
		if !sent && e.prog.Node.SharesInput == nil && e.prog.Node.APIEntry {
			if err := w.start(e); err != nil {
				return err
			}
			started = true
		}
	}
	if !started { // every node is sent payloads by another: the module's order decides
		e := w.entries[0]
		w.open("which node the host starts: %q is the first", e.name)
		return w.start(e)
	}
	return nil
}

// start dispatches one payload. A payload above the limit of jobs is an error.
func (w *writer) start(e *entry) error {
	n := e.prog.Node
	if n.Input != nil && uint64(n.Input.Bytes) > config.MaxPayloadBytes {
		return fmt.Errorf("node %q: found a payload of %d bytes: want at most %d, the limit of jobs", e.name, n.Input.Bytes, config.MaxPayloadBytes)
	}
	w.line("  - {node: %s%s, %s}", quoted(e.name), indexText(n.ShaderIndex), payload(n))
	if n.Input != nil && (n.Input.Indirect == nil || n.Input.Bytes > uint32(n.Input.Indirect.Components)*4) {
		w.open("the contents of the payload of %s: it is zero", e.name)
	}
	return nil
}

func indexText(index uint32) string {
	if index == 0 {
		return ""
	}
	return fmt.Sprintf(", index: %d", index)
}

// payload writes a payload of zeros that starts one workgroup.
func payload(n *program.Node) string {
	if n.Input == nil && n.Launch == program.Dynamic {
		return "payloads: [{u32: [1, 1, 1]}]"
	}
	if n.Input == nil || n.Input.Bytes == 0 {
		return "count: 1"
	}
	total := uint32((uint64(n.Input.Bytes) + 3) / 4) // in words
	ones := map[uint32]uint32{}                      // by place: the words that are not zero
	if d := n.Input.Indirect; d != nil {
		for i := range int(d.Components) {
			first, _ := d.ComponentBytes(i)
			ones[first/4] |= 1 << (first % 4 * 8) // little-endian, of any width
		}
	}
	if total > mostWords {
		return "payloads: [{data: {parts: [" + strings.Join(payloadParts(total, ones), ", ") + "]}}]"
	}
	words := make([]string, total)
	for i := range words {
		words[i] = fmt.Sprint(ones[uint32(i)])
	}
	return "payloads: [{u32: [" + strings.Join(words, ", ") + "]}]"
}

// mostWords bounds the words of a payload that are written one by one.
const mostWords = 256

// payloadParts formats the nonzero words, and the lengths of the zeros between them.
func payloadParts(total uint32, ones map[uint32]uint32) (parts []string) {
	at := uint32(0)
	zero := func(to uint32) {
		if to > at {
			parts = append(parts, fmt.Sprintf("{zero: %d}", 4*uint64(to-at)))
		}
	}
	for _, place := range slices.Sorted(maps.Keys(ones)) {
		zero(place)
		parts = append(parts, fmt.Sprintf("{type: u32, values: [%d]}", ones[place]))
		at = place + 1
	}
	zero(total)
	return parts
}

func (w *writer) meshOutputs() {
	if len(w.mesh) == 0 {
		return
	}
	w.line("mesh_outputs:")
	for _, o := range w.mesh {
		name, index := o.node, uint32(0)
		for _, e := range w.entries {
			if e.Name == o.node {
				name, index = e.name, e.prog.Node.ShaderIndex
			}
		}
		w.line("  - {node: %s%s, output: %s, buffer: %s}", quoted(name), indexText(index), quoted(o.output), quoted(o.buffer))
	}
}

// draw writes one triangle that covers half of the viewport, with zeros as vertex attributes.
func (w *writer) draw() {
	w.line("draw:\n  # guess: one triangle over half of the viewport")
	w.line("  positions: {type: f32, values: [0, 0, 0.5, 1, %d, 0, 0.5, 1, 0, %d, 0.5, 1]}", guessSide, guessSide)
	var lines []string
	inputs := w.entries[0].prog.Fragment.Inputs
	for i, in := range inputs {
		if i > 0 && inputs[i-1].Location == in.Location {
			continue
		}
		components := in.Component + 1
		for _, o := range inputs {
			if o.Location == in.Location {
				components = max(components, o.Component+1)
			}
		}
		integer, word := "", "f32"
		if !in.Float {
			integer, word = ", integer: true", "u32"
		}
		lines = append(lines, fmt.Sprintf("    - {location: %d, components: %d%s, data: {type: %s, values: [0], count: %d}}", in.Location, components, integer, word, 3*components))
	}
	if len(lines) > 0 {
		w.line("  attributes:\n%s", strings.Join(lines, "\n"))
	}
	if len(w.colors) == 0 {
		w.line("  color: []")
		w.open("a colour attachment: the shader writes none, and a draw needs one for its size")
		return
	}
	w.line("  color:\n%s", strings.Join(w.colors, "\n"))
}
