package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"spvsim/program"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// overlays draws the overlap of each entry point's Workgroup blocks.
func overlays(w io.Writer, m *validate.Module) error {
	if !m.Has(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR) {
		return nil
	}
	for _, e := range m.EntryPoints {
		views, size, err := program.LDSViews(m, e.Name)
		if err != nil {
			return err
		}
		if len(views) == 0 {
			continue
		}
		if err := overlay(w, m, fmt.Sprintf("LDS of %s: %d bytes, %d views of them", e.Name, size, len(views)), views); err != nil {
			return err
		}
	}
	return nil
}

// mostCells bounds the cells of a drawing of LDS.
const mostCells = 100_000

// overlay draws a line for each run of bytes in which no view changes its member, and a column for each view. A
// continued member is a bar, padding is a dot, and the space beyond a view's end is empty.
func overlay(w io.Writer, m *validate.Module, title string, views []program.LDSView) error {
	fmt.Fprintln(w, title)
	cuts := overlayCuts(views)
	if n := len(cuts) * len(views); n > mostCells {
		_, err := fmt.Fprintf(w, "  not drawn: found %d runs of bytes in %d views: want at most %d cells\n", len(cuts), len(views), mostCells)
		return err
	}
	types := newTypeWriter(m)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "  bytes")
	for _, v := range views {
		fmt.Fprintf(t, "\t%s", named(m, spirv.ID(v.ID)))
	}
	fmt.Fprintln(t)
	for i, from := range cuts[:len(cuts)-1] {
		fmt.Fprintf(t, "  %d..%d", from, cuts[i+1]-1)
		for k := range views {
			fmt.Fprintf(t, "\t%s", overlayCell(types, &views[k], from))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// overlayCuts are the bytes at which something begins or ends in a view, ascending.
func overlayCuts(views []program.LDSView) []uint32 {
	cuts := []uint32{0}
	for _, v := range views {
		cuts = append(cuts, v.Bytes)
		for _, member := range v.Members {
			cuts = append(cuts, member.Offset, member.Offset+member.Bytes)
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

func overlayCell(types *typeWriter, v *program.LDSView, at uint32) string {
	var begin []string
	inside := false
	for _, member := range v.Members {
		if member.Offset == at {
			begin = append(begin, strings.TrimSpace(types.text(types.m.Type(spirv.ID(member.Type)))+" "+member.Name))
		}
		inside = inside || member.Offset < at && at < member.Offset+member.Bytes
	}
	switch {
	case len(begin) > 0:
		return strings.Join(begin, ", ")
	case inside:
		return "|"
	case at < v.Bytes:
		return "."
	}
	return ""
}
