package report

import (
	"spvsim/account"
	"spvsim/tracing"
	"spvsim/tracing/profile"
)

// A sourceRow is a line of the shader's text, with the cost of its instructions.
type sourceRow struct {
	Line, Text, Issues string
	cost
}

// sourceRows returns the source lines with instructions, in order.
func sourceRows(l *profile.Listing) (list []sourceRow) {
	issues, cycles := map[uint32]uint64{}, map[uint32]*account.SlotCycles{}
	var total, most uint64
	for i := range l.Lines {
		x := &l.Lines[i]
		if cycles[x.Line] == nil {
			cycles[x.Line] = &account.SlotCycles{}
		}
		issues[x.Line] += x.Issues
		cycles[x.Line].Add(&x.Cycles)
		total += x.Cycles.Total()
	}
	for _, s := range l.Source {
		if c := cycles[s.Line]; c != nil {
			most = max(most, c.Total())
		}
	}
	for _, s := range l.Source {
		if c := cycles[s.Line]; c != nil {
			list = append(list, sourceRow{Line: tracing.LineText(s.Line), Text: s.Text, Issues: grouped(issues[s.Line]), cost: newCost(c, total, most)})
		}
	}
	return list
}

// sourceFile returns the file of the lines, the first if there are several.
func sourceFile(l *profile.Listing) string {
	if len(l.Source) == 0 {
		return ""
	}
	return l.Source[0].File
}

// texts are the source lines by number.
func texts(l *profile.Listing) map[uint32]string {
	m := map[uint32]string{}
	for _, s := range l.Source {
		m[s.Line] = s.Text
	}
	return m
}
