package driver

import (
	"encoding/binary"
	"fmt"
	"strings"

	"spvsim/gpu"
)

// Execution graphs in captured jobs.

// nodes writes the graph of a step as the job's.
func (w *jobWriter) nodes(s *jobStep) {
	p, push := s.graph.graph, 0
	w.printf("scratch_bytes: %d\nnodes:\n", s.graph.scratch)
	for i := range p.nodes {
		n := &p.nodes[i]
		program := s.bound[i].program
		push = max(push, int(program.PushBytes))
		list := []string{"shader: " + w.storeData(n.Module.Raw.Encode(binary.LittleEndian), ".spv"), fmt.Sprintf("entry: %q", n.Entry), fmt.Sprintf("wave_size: %d", program.WaveSize)}
		name, index := p.graph.Name(i)
		list = append(list, fmt.Sprintf("name: %q", name), fmt.Sprintf("index: %d", index))
		if text := constants(n.Module, n.Specialization); text != "" {
			list = append(list, text)
		}
		list = append(list, w.lists(&s.bound[i])...)
		w.printf("  - %s\n", strings.Join(list, "\n    "))
	}
	if push > 0 {
		w.printf("%s\n", pushText(s.graph.push, push))
	}
}

// entries lists the infos of a graph dispatch.
func (w *jobWriter) entries(g *graphDispatch) (list []string) {
	in := &g.input
	switch {
	case in.CountInfo != 0:
		block, offset := w.blockOf(in.CountInfo)
		return []string{fmt.Sprintf("{indirect: {count_info: %s, offset: %d}}", block, offset)}
	case in.InfosInMemory:
		block, offset := w.blockOf(in.Infos)
		return []string{fmt.Sprintf("{indirect: {infos: %s, offset: %d, count: %d, stride: %d}}", block, offset, in.Count, in.Stride)}
	}
	for i := range in.Entries {
		list = append(list, w.entry(g.graph.graph, &in.Entries[i]))
	}
	return list
}

func (w *jobWriter) entry(g *gpu.Graph, e *gpu.GraphEntry) string {
	name, index := g.Name(e.Node)
	text := fmt.Sprintf("{node: %q, index: %d, count: %d", name, index, e.Count)
	if len(e.Payloads) > 0 {
		text += fmt.Sprintf(", stride: %d, data: {file: %s}", e.Stride, w.storeData(e.Payloads, ".bin"))
	}
	return text + "}"
}
