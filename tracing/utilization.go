package tracing

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"spvsim/account"
)

// A Utilization is the share of a part's peak that a run reached, over the cycles of its launches without launch costs.
type Utilization struct {
	Part   string  `json:"part"`   // name, as in the statistics
	Share  float64 `json:"share"`  // of the machine's peak
	Active float64 `json:"active"` // of the peak of compute units while they have a workgroup; of other parts the same as Share
	Peak   string  `json:"peak"`   // what the machine's peak is, for people
}

// boundShare is the share of its peak from which a part bounds a run. Queues of random requests are full below 1.
const boundShare = 0.7

// Bound says in a few words what bounds the run: launch costs, the part that is nearest to its peak, or what waves wait for.
func (s *Stats) Bound() string {
	if len(s.Utilization) == 0 {
		return ""
	}
	if n := s.Launching(); 2*n > s.Cycles {
		return fmt.Sprintf("launch costs: %s of the cycles", percent(float64(n)/float64(s.Cycles)))
	}
	top := ByShare(s.Utilization)[0]
	if top.Active >= boundShare && top.Active == top.Share {
		return fmt.Sprintf("%s, at %s of its peak", top.Part, percent(top.Share))
	}
	if top.Active >= boundShare {
		return fmt.Sprintf("%s, at %s of its peak in compute units with work (%s of the machine's)", top.Part, percent(top.Active), percent(top.Share))
	}
	longest := account.Operand
	for r := longest; r < account.NumReasons; r++ {
		if s.AtInstructions[r] > s.AtInstructions[longest] {
			longest = r
		}
	}
	total := s.AtInstructions.Total()
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("latency: in %s of their cycles waves wait for %s, and no part is above %s of its peak (%s)",
		percent(float64(s.AtInstructions[longest])/float64(total)), waitTexts[longest], percent(top.Active), top.Part)
}

// waitTexts say what a wave waits for.
var waitTexts = [account.NumReasons]string{
	account.Operand: "results of ALUs", account.Unit: "a busy unit or issue port", account.LDS: "the LDS", account.Memory: "loads",
	account.MemoryRead: "a full queue of memory (loads)", account.MemoryWrite: "stores", account.MemoryAtomic: "atomics", account.Barrier: "a barrier",
	account.Payload: "payloads", account.Fetch: "instructions", account.Dispatch: "their start",
}

// ByShare returns the parts with the largest share first.
func ByShare(list []Utilization) []Utilization {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Utilization) int { return cmp.Compare(b.Active, a.Active) })
	return sorted
}

// utilizationMembers are the shares as a JSON object.
func utilizationMembers(list []Utilization) (o object) {
	for _, u := range list {
		o = append(o, named{u.Part, object{{"share", u.Share}, {"active", u.Active}}})
	}
	return o
}

// writeUtilization writes the shares, the largest first, and what bounds the run.
func (s *Stats) writeUtilization(w io.Writer) {
	var texts []string
	for _, u := range ByShare(s.Utilization) {
		if u.Active >= 0.001 {
			texts = append(texts, u.Part+" "+percent(u.Active))
		}
	}
	if texts != nil {
		fmt.Fprintf(w, "of peak\t%s\n", strings.Join(texts, ", "))
	}
	if text := s.Bound(); text != "" {
		fmt.Fprintf(w, "bound\t%s\n", text)
	}
}
