package launch

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"
)

// A Group is all work of one name.
type Group struct {
	Name         string
	Kind         string // dispatch or transfer
	Times        int
	Microseconds float64
	Instructions uint64
	HostSeconds  float64
}

// Groups adds up the rows of a file by name, the longest time first. A file that is not there has none: nothing ran.
func Groups(path string) ([]Group, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	byName := map[[2]string]*Group{}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil { // the last row of a program that was killed
			break
		}
		at := func(column string) string { return row[slices.Index(header, column)] }
		key := [2]string{at("kind"), at("name")}
		g := byName[key]
		if g == nil {
			g = &Group{Kind: key[0], Name: key[1]}
			byName[key] = g
		}
		us, _ := strconv.ParseFloat(at("microseconds"), 64) // the driver wrote it
		host, _ := strconv.ParseFloat(at("host_seconds"), 64)
		n, _ := strconv.ParseUint(at("instructions"), 10, 64)
		g.Times, g.Microseconds, g.Instructions, g.HostSeconds = g.Times+1, g.Microseconds+us, g.Instructions+n, g.HostSeconds+host
	}
	var list []Group
	for _, g := range byName {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Microseconds, a.Microseconds), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}

// mostShown is how many names a summary lists.
const mostShown = 20

// Summarize writes what a program's work came to.
func Summarize(w io.Writer, list []Group) error {
	var total Group
	for i := range list {
		total.Times += list[i].Times
		total.Microseconds += list[i].Microseconds
		total.Instructions += list[i].Instructions
		total.HostSeconds += list[i].HostSeconds
	}
	fmt.Fprintf(w, "simulated     %.3f us in %d dispatches and transfers, %d instructions; %.2f s on the host\n", total.Microseconds, total.Times, total.Instructions, total.HostSeconds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i := range min(len(list), mostShown) {
		g := &list[i]
		fmt.Fprintf(t, "%d x\t%.3f us\t%.1f%%\t %s\n", g.Times, g.Microseconds, 100*g.Microseconds/max(total.Microseconds, 1e-12), g.Name)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(list) - mostShown; more > 0 {
		fmt.Fprintf(w, "and %d more names\n", more)
	}
	return nil
}
