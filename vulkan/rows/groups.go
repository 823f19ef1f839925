package rows

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

type WorkTotal struct {
	Name         string
	Kind         string // dispatch, graph, transfer or overlap
	Times        int
	Microseconds float64
	Concurrent   float64 // the part of concurrent launches, whose time is in a group of the kind overlap
	Busy         float64 // microseconds from first workgroups on
	Estimated    float64 // of them
	Untimed      int     // dispatches without a timed or estimated part
	Instructions uint64
	HostSeconds  float64
	OutOfBounds  uint64 // accesses
	MemoryLanes  uint64 // active lanes of instructions that read or write memory
	ScratchLanes uint64 // of them, private memory
	Bytes        uint64 // of transfers
	rows         []int
}

// Groups adds up the rows by name, the longest time first. Labels that differ in a number alone are one.
func (f *File) Groups() []WorkTotal { return f.groups((*Row).folded) }

// numbers matches numbers that are words of a label.
var numbers = regexp.MustCompile(`\b[0-9]+\b`)

// folded is the row's name with # for the numbers of its labels.
func (r *Row) folded() string {
	labels, ok := strings.CutSuffix(r.Name, "/"+r.Pipeline)
	if !ok {
		return r.Name
	}
	return numbers.ReplaceAllString(labels, "#") + "/" + r.Pipeline
}

// Clock returns the simulated time at which the last work of any device ended, in microseconds, including the time
// between launches.
func (f *File) Clock() (last float64) {
	for i := range f.Rows {
		if r := &f.Rows[i]; r.ClockMHz > 0 {
			last = max(last, float64(r.Begin+r.Cycles)/r.ClockMHz)
		}
	}
	return last
}

// groups adds up the rows with the same key.
func (f *File) groups(by func(*Row) string) (list []WorkTotal) {
	at := map[[2]string]int{}
	for i := range f.Rows {
		r := &f.Rows[i]
		key := [2]string{r.Kind, by(r)}
		n, ok := at[key]
		if !ok {
			n = len(list)
			at[key] = n
			list = append(list, WorkTotal{Kind: key[0], Name: key[1]})
		}
		list[n].add(i, r)
	}
	slices.SortStableFunc(list, func(a, b WorkTotal) int {
		return cmp.Or(cmp.Compare(b.Microseconds, a.Microseconds), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func (g *WorkTotal) add(i int, r *Row) {
	g.rows = append(g.rows, i)
	g.Times++
	g.Microseconds += r.Microseconds
	if r.isConcurrent() {
		g.Concurrent += r.Microseconds
	}
	if r.ClockMHz > 0 {
		g.Busy += float64(r.Busy) / r.ClockMHz
	}
	g.Instructions += r.Instructions
	g.HostSeconds += r.HostSeconds
	g.OutOfBounds += r.OutOfBounds
	g.MemoryLanes += r.MemoryLanes
	g.ScratchLanes += r.ScratchLanes
	g.Bytes += r.TransferBytes
	if r.Cycles > 0 {
		g.Estimated += r.Microseconds * float64(r.Estimated) / float64(r.Cycles)
	} else if r.Kind != "transfer" {
		g.Untimed++
	}
}

// mostShown bounds the names in a summary.
const mostShown = 20

// Summarize writes a summary of a program's work.
func Summarize(w io.Writer, list []WorkTotal) error {
	var total WorkTotal
	overlaps, own := 0, 0.0
	for i := range list {
		if list[i].Kind == overlap {
			overlaps += list[i].Times
			total.Concurrent += list[i].Microseconds
		} else {
			total.Times += list[i].Times
			own += list[i].Concurrent
		}
		total.Microseconds += list[i].Microseconds - list[i].Concurrent
		total.Estimated += list[i].Estimated
		total.Untimed += list[i].Untimed
		total.Instructions += list[i].Instructions
		total.HostSeconds += list[i].HostSeconds
		total.OutOfBounds += list[i].OutOfBounds
		total.Bytes += list[i].Bytes
	}
	fmt.Fprintf(w, "simulated     %.3f us in %d dispatches and transfers, %d instructions; %.2f s on the host\n", total.Microseconds, total.Times, total.Instructions, total.HostSeconds)
	if overlaps > 0 {
		fmt.Fprintf(w, "overlap       %.3f us in which launches ran beside each other, %d times; their own times add up to %.3f us\n", total.Concurrent, overlaps, own)
	}
	if total.Estimated > 0 {
		fmt.Fprintf(w, "estimated     %.3f us of them, from dispatches alike that were timed\n", total.Estimated)
	}
	if total.Bytes > 0 {
		fmt.Fprintf(w, "transfers     %d bytes, read and written\n", total.Bytes)
	}
	if total.Untimed > 0 {
		fmt.Fprintf(w, "without time  %d dispatches\n", total.Untimed)
	}
	if total.OutOfBounds > 0 {
		worst := slices.MaxFunc(list, func(a, b WorkTotal) int { return cmp.Compare(a.OutOfBounds, b.OutOfBounds) })
		fmt.Fprintf(w, "out of bounds %d accesses, read as zero or dropped; %d of them in %s\n", total.OutOfBounds, worst.OutOfBounds, worst.Name)
	}
	warn(w, list)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i := range min(len(list), mostShown) {
		g := &list[i]
		name := g.Name
		if g.Bytes > 0 {
			name += fmt.Sprintf(", %d bytes", g.Bytes)
		}
		fmt.Fprintf(t, "%d x\t%.3f us\t%.1f%%\t %s\n", g.Times, g.Microseconds, 100*g.Microseconds/max(total.Microseconds, 1e-12), name)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(list) - mostShown; more > 0 {
		fmt.Fprintf(w, "and %d more names\n", more)
	}
	return nil
}

// warn reports work whose accesses are mostly to private memory, or mostly out of bounds: its time is hardly that of
// the intended work.
func warn(w io.Writer, list []WorkTotal) {
	for i := range list {
		g := &list[i]
		if g.Kind == "overlap" {
			continue // its launches are warned of
		}
		if 2*g.ScratchLanes > g.MemoryLanes {
			fmt.Fprintf(w, "warning: %.0f %% of the accesses of %s are of private memory: arrays that are indexed, or more values than registers\n", percentOf(g.ScratchLanes, g.MemoryLanes), g.Name)
		}
		if 2*g.OutOfBounds > g.MemoryLanes && g.MemoryLanes > 0 {
			fmt.Fprintf(w, "warning: %d accesses of %s are out of bounds, where its vector instructions make %d: is a buffer, or an image, too small?\n", g.OutOfBounds, g.Name, g.MemoryLanes)
		}
	}
}

func percentOf(part, of uint64) float64 { return 100 * float64(part) / float64(of) }
