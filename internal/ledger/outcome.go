package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
	"spvsim/tracing/probe"
)

// Outcome runs a job and returns a line with its machine and its results; traced adds a digest of all events.
func Outcome(s gpu.Setup, traced bool) string {
	return strings.TrimSpace(Settings(s.Machine)+" "+s.Mode) + ": " + outcome(s, traced)
}

func outcome(s gpu.Setup, traced bool) string {
	events := &eventSum{}
	if traced {
		s.Tracer = events
	}
	r, err := gpu.Run(context.Background(), s)
	text := result(r, err)
	if r == nil {
		return text
	}
	if said := strings.Join(append(r.Faults, r.Warnings...), "\n"); said != "" {
		text += ", faults and warnings " + suite.Digest([]byte(said))
	}
	if traced {
		text += fmt.Sprintf(", %d events %s", events.n, suite.Digest(events.sum.Bytes()))
	}
	return text
}

// result formats the results of a run, without faults and warnings.
func result(r *gpu.Result, err error) string {
	if r == nil {
		return "refused: " + err.Error()
	}
	var out strings.Builder
	if err != nil && !errors.Is(err, gpu.ErrExpectation) {
		fmt.Fprintf(&out, "(%v) ", err)
	}
	c := &r.Stats.Counts
	fmt.Fprintf(&out, "%d cycles, %d instructions of %d waves;", c.Cycles, c.Instructions(), c.Waves)
	for _, l := range c.Memory {
		fmt.Fprintf(&out, " %s %d/%d/%d", l.Name, l.Accesses, l.Hits, l.Bytes)
	}
	fmt.Fprintf(&out, "; lds %d/%d; %s", c.LDS.Accesses, c.LDS.Passes, sections(r.Stats))
	var data []byte
	for _, buffer := range r.Buffers {
		data = append(data, buffer.Bytes...)
	}
	fmt.Fprintf(&out, ", buffers %s", suite.Digest(data))
	return out.String()
}

// inLine are the keys of the statistics that are in the line already, those that are computed from the others, and host,
// which differs between runs.
var inLine = map[string]bool{"machine": true, "cycles": true, "waves": true, "utilization": true, "bound": true, "host": true}

// longestSection bounds the text of a section of the statistics; a longer one is a digest.
const longestSection = 400

// sections formats the other statistics by key, so that a difference shows which of them changed: the numbers that are not 0,
// or a digest if they are longer than longestSection.
func sections(s *tracing.Stats) string {
	data, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber()
	var all map[string]any
	if err := in.Decode(&all); err != nil {
		return err.Error()
	}
	var list []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if inLine[key] {
			continue
		}
		var out strings.Builder
		flatten(&out, "", all[key])
		text := strings.TrimSpace(out.String())
		if len(text) > longestSection {
			text = suite.Digest([]byte(text))
		}
		if text != "" {
			list = append(list, key+" "+text)
		}
	}
	return strings.Join(list, ", ")
}

// flatten writes the numbers under a key that are not 0. Fractions have nine digits, because hosts may round sums of energies
// differently.
func flatten(out *strings.Builder, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			flatten(out, strings.TrimPrefix(path+"."+key, "."), v[key])
		}
	case []any:
		for i, x := range v {
			flatten(out, fmt.Sprintf("%s[%d]", path, i), x)
		}
	case json.Number:
		text := v.String()
		if strings.ContainsAny(text, ".e") {
			x, _ := v.Float64()
			text = strconv.FormatFloat(x, 'g', 9, 64)
		}
		if text != "0" {
			fmt.Fprint(out, assigned(path, text))
		}
	default:
		if v != nil && v != "" && v != false {
			fmt.Fprint(out, assigned(path, fmt.Sprint(v)))
		}
	}
}

// assigned returns path=text, or only the text for a section of one value.
func assigned(path, text string) string {
	if path == "" {
		return text
	}
	return path + "=" + text + " "
}

// An eventSum is a tracer that writes all events of a run as text.
type eventSum struct {
	probe.NopTracer
	n   int
	sum bytes.Buffer
}

func (e *eventSum) event(words ...any) {
	e.n++
	fmt.Fprintln(&e.sum, words...)
}

func (e *eventSum) LaunchBegin(l *probe.LaunchInfo)         { e.event("launch", *l) }
func (e *eventSum) LaunchEnd(end uint64)                    { e.event("ended", end) }
func (e *eventSum) WorkgroupBegin(g *probe.Workgroup)       { e.event("workgroup", *g) }
func (e *eventSum) WorkgroupEnd(at uint64, u int, i uint64) { e.event("workgroup ended", at, u, i) }
func (e *eventSum) WaveBegin(w *probe.Wave) {
	e.event("wave", w.WaveSlotID, w.At, w.Group, w.Workgroup, w.Wave)
}
func (e *eventSum) WaveEnd(at uint64, p probe.WaveSlotID)  { e.event("wave ended", at, p) }
func (e *eventSum) AccessDone(at uint64, u int, id uint64) { e.event("access done", at, u, id) }
func (e *eventSum) Memory(a *probe.Access)                 { e.event("memory", *a) }
func (e *eventSum) LDS(a *probe.Access)                    { e.event("lds", *a) }
func (e *eventSum) Enqueued(p *probe.PayloadWait)          { e.event("enqueued", *p) }
func (e *eventSum) Picked(p *probe.PayloadWait)            { e.event("picked", *p) }
func (e *eventSum) Issue(i *probe.Issue) {
	e.event("issue", i.WaveSlotID, i.PC, i.Exec, i.Reason, i.From, i.Ready, i.At, i.End, i.StallCycles, i.StallReason)
}

// Sample asks for the next sample 1000 cycles later.
func (e *eventSum) Sample(s *probe.Sample) (next uint64) {
	e.event("sample", *s)
	return s.At + 1000
}
