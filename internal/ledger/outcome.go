package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/probe"
	"spvsim/tracing"
)

// Outcome runs a job and says on which machine it came to what; if it is asked for, with the sum of all events.
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

// result is what a run came to, but for what it says beside.
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
	fmt.Fprintf(&out, "; lds %d/%d; statistics %s", c.LDS.Accesses, c.LDS.Passes, statsDigest(r.Stats))
	var data []byte
	for _, buffer := range r.Buffers {
		data = append(data, buffer.Bytes...)
	}
	fmt.Fprintf(&out, ", buffers %s", suite.Digest(data))
	return out.String()
}

// statsDigest is of all statistics but the host's. Hosts may round sums of energies otherwise: of numbers that are not whole, nine digits count.
func statsDigest(s *tracing.Stats) string {
	s.Host = tracing.Host{}
	data, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber()
	var out bytes.Buffer
	for token, err := in.Token(); err == nil; token, err = in.Token() {
		if n, ok := token.(json.Number); ok && strings.ContainsAny(n.String(), ".e") {
			x, _ := n.Float64()
			token = strconv.FormatFloat(x, 'e', 8, 64)
		}
		fmt.Fprintln(&out, token)
	}
	return suite.Digest(out.Bytes())
}

// An eventSum gathers all events of a run as text.
type eventSum struct {
	probe.Deaf
	n   int
	sum bytes.Buffer
}

func (e *eventSum) event(words ...any) {
	e.n++
	fmt.Fprintln(&e.sum, words...)
}

func (e *eventSum) LaunchBegin(l *probe.Launch)             { e.event("launch", *l) }
func (e *eventSum) LaunchEnd(end uint64)                    { e.event("ended", end) }
func (e *eventSum) WorkgroupBegin(g *probe.Workgroup)       { e.event("workgroup", *g) }
func (e *eventSum) WorkgroupEnd(at uint64, u int, i uint64) { e.event("workgroup ended", at, u, i) }
func (e *eventSum) WaveBegin(w *probe.Wave) {
	e.event("wave", w.Place, w.At, w.Group, w.Workgroup, w.Wave)
}
func (e *eventSum) WaveEnd(at uint64, p probe.Place)       { e.event("wave ended", at, p) }
func (e *eventSum) AccessDone(at uint64, u int, id uint64) { e.event("access done", at, u, id) }
func (e *eventSum) Memory(a *probe.Access)                 { e.event("memory", *a) }
func (e *eventSum) LDS(a *probe.Access)                    { e.event("lds", *a) }
func (e *eventSum) Enqueued(p *probe.PayloadWait)          { e.event("enqueued", *p) }
func (e *eventSum) Picked(p *probe.PayloadWait)            { e.event("picked", *p) }
func (e *eventSum) Issue(i *probe.Issue) {
	e.event("issue", i.Place, i.PC, i.Exec, i.Why, i.From, i.Ready, i.At, i.End, i.Full, i.FullOf)
}

// Sample wants the next one a thousand cycles later.
func (e *eventSum) Sample(s *probe.Sample) (next uint64) {
	e.event("sample", *s)
	return s.At + 1000
}
