package gpu

import (
	"fmt"
	"strings"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/isa"
	"spvsim/simd"
)

// maxReported bounds the number of waves that a report names.
const maxReported = 16

// waiting lists the resident waves, each with its instruction and the event that it waits for.
func (t *timing) waiting() string {
	var lines []string
	count := 0
	for _, u := range t.machine.Array.Units {
		for _, s := range u.SIMDs {
			for _, w := range s.Waves() {
				if count++; count <= maxReported {
					lines = append(lines, t.waveText(u.Name(), w))
				}
			}
		}
	}
	ended, _, total := t.workgroups()
	text := fmt.Sprintf("%d of %d workgroups ended, %d waves are resident", ended, total, count)
	if count > maxReported {
		lines = append(lines, fmt.Sprintf("and %d more", count-maxReported))
	}
	if t.current != nil {
		text += t.current.Waiting()
	}
	if lines = append(loopReport(runningWaves(t.machine.Waves())), lines...); len(lines) > 0 {
		text += ":\n" + strings.Join(lines, "\n")
	}
	return text
}

func (t *timing) waveText(unit string, w *simd.Wave) string {
	pc, in := w.CurrentInst()
	text := "  "
	if t.current != nil {
		text += t.current.WaveOwner(w)
	}
	text += fmt.Sprintf("workgroup %v, wave %d on %s: at instruction %d", w.State.Workgroup, w.State.WaveInGroup, unit, pc)
	if where := in.Origin.String(); where != "" {
		text += ", " + where
	}
	return text + ": " + isa.Disasm(in) + ": " + waitText(w)
}

func waitText(w *simd.Wave) string {
	if w.Ready() < cu.Never {
		return fmt.Sprintf("goes on from cycle %d (%s)", w.Ready(), w.WaitsFor())
	}
	if w.WaitsFor() == account.Barrier {
		return fmt.Sprintf("waits at the barrier, %d of %d waves have arrived", w.Workgroup.Arrived, len(w.Workgroup.Waves))
	}
	return "waits for " + w.WaitsFor().String()
}
