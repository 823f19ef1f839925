package energyfit

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spvsim/config"
	"spvsim/internal/fault"
	"spvsim/internal/lists"
	"spvsim/internal/schema"
)

// ErrRows reports rows that are not measured powers.
var ErrRows = errors.New("no measured powers")

// A Row is a measurement: the power or the energy of a job on a board.
type Row struct {
	Line                 int // of the file
	Job                  string
	Parameters, Settings []string
	CoreMHz, MemoryMHz   int // 0: the machine's
	Watts, Joules        float64
	Seconds              float64 // that the job took once; 0: as long as it is simulated
	Uncertainty          float64 // of watts or joules, as a share
}

// Changes are the settings of the row's machine and job.
func (r *Row) Changes() []string {
	list := slices.Clone(r.Settings)
	for _, clock := range []struct {
		path string
		mhz  int
	}{{"clock_mhz", r.CoreMHz}, {"memory.clock_mhz", r.MemoryMHz}} {
		if clock.mhz > 0 {
			list = append(list, fmt.Sprintf("%s=%d", clock.path, clock.mhz))
		}
	}
	return list
}

// run is all that a row's simulation depends on.
func (r *Row) run() string {
	return fmt.Sprintf("%q", slices.Concat([]string{r.Job}, r.Parameters, []string{""}, r.Changes()))
}

// label is the row's job with its parameters and clocks.
func (r *Row) label() string {
	words := append([]string{strings.TrimSuffix(path.Base(filepath.ToSlash(r.Job)), ".yaml")}, r.Parameters...)
	for _, clock := range []struct {
		of  string
		mhz int
	}{{"core", r.CoreMHz}, {"memory", r.MemoryMHz}} {
		if clock.mhz > 0 {
			words = append(words, fmt.Sprintf("%s=%d", clock.of, clock.mhz))
		}
	}
	return strings.Join(words, " ")
}

// measured is the row's number, and its unit.
func (r *Row) measured() (value float64, unit string) {
	if r.Joules > 0 {
		return r.Joules, "J"
	}
	return r.Watts, "W"
}

// usualUncertainty is that of a row that gives none: of readings of a board's sensor.
const usualUncertainty = 0.05

// A column is a column of the rows, with what it means.
type column struct {
	name, unit, meaning string
	text                bool
	set                 func(r *Row, text string) error
}

// rowColumns are those that are read. An empty cell leaves the row as it is.
var rowColumns = []column{
	{"job", "", "name of a ready job (spvsim run --list), or a job file, relative to these rows", true,
		func(r *Row, text string) error { r.Job = text; return nil }},
	{"parameters", "", "the job's parameters, as name=value with spaces between", true,
		func(r *Row, text string) (err error) { r.Parameters, err = assignments(text); return err }},
	{"settings", "", "fields of the machine or the job, as path=value with spaces between", true,
		func(r *Row, text string) (err error) { r.Settings, err = assignments(text); return err }},
	{"core_mhz", "MHz", "clock of the core while it was measured (clock_mhz of the machine); empty: the machine's", false,
		func(r *Row, text string) (err error) { r.CoreMHz, err = clock(text); return err }},
	{"memory_mhz", "MHz", "memory.clock_mhz of the machine while it was measured; empty: the machine's", false,
		func(r *Row, text string) (err error) { r.MemoryMHz, err = clock(text); return err }},
	{"watts", "W", "power of the board, averaged over repetitions of the job without a pause", false,
		func(r *Row, text string) (err error) { r.Watts, err = positive(text); return err }},
	{"joules", "J", "energy of the job once, in place of watts", false,
		func(r *Row, text string) (err error) { r.Joules, err = positive(text); return err }},
	{"measured_us", "us", "time of the job once; empty: the simulated time", false,
		func(r *Row, text string) error {
			us, err := positive(text)
			r.Seconds = us / 1e6
			return err
		}},
	{"uncertainty", "1", fmt.Sprintf("standard error of watts or joules, as a share; empty: %g", usualUncertainty), false,
		func(r *Row, text string) (err error) {
			if r.Uncertainty, err = positive(text); err == nil && r.Uncertainty > 1 {
				err = fmt.Errorf("found %s: want a share, up to 1", text)
			}
			return err
		}},
}

// otherColumns are those of the rows of spvsim measure that say nothing of energy, and a remark.
var otherColumns = []string{"launches", "measured_min_us", "measured_mean_us", "measured_max_us", "measured_spread", "repetitions", "granularity_us", "device", "driver",
	"date", "results", "note"}

// stepColumn is the column of the rows of spvsim measure that is empty for the whole job.
const stepColumn = "step"

func assignments(text string) ([]string, error) {
	list := strings.Fields(text)
	for _, word := range list {
		if name, value, ok := strings.Cut(word, "="); !ok || name == "" || value == "" {
			return nil, fmt.Errorf("found %q: want name=value, with spaces between", word)
		}
	}
	return list, nil
}

func positive(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("found %q: want a number above 0", text)
	}
	return x, nil
}

// clock reads a clock in whole MHz, or with a fraction that is rounded.
func clock(text string) (int, error) {
	x, err := positive(text)
	if err == nil && (x < 1 || x > 1e5) {
		err = fmt.Errorf("found %q: want 1 to 100000", text)
	}
	return int(math.Round(x)), err
}

// Read reads rows of measured powers in CSV. name is that of the file, for errors, all of which are reported together.
func Read(name string, from io.Reader) ([]Row, error) {
	in := csv.NewReader(from)
	header, err := in.Read()
	if err != nil {
		return nil, rowsError(name, 1, "", "found no line of names of columns: want job and watts or joules (%v)", err)
	}
	columns, err := columnsOf(name, header)
	if err != nil {
		return nil, err
	}
	var list []Row
	var faults []error
	for {
		line, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, rowsError(name, 0, "", "%v", err)
		}
		at, _ := in.FieldPos(0)
		row, skip, err := readRow(name, at, header, columns, line)
		if err != nil {
			faults = append(faults, err)
		} else if !skip {
			list = append(list, row)
		}
	}
	if len(list) == 0 && faults == nil {
		return nil, rowsError(name, 1, "", "found no row: want a line for each measurement")
	}
	return list, errors.Join(faults...)
}

// An Error is an error in the rows.
type Error fault.Fault

func (e *Error) Error() string { return (*fault.Fault)(e).Text("energyfit") }

func (e *Error) Unwrap() error { return e.Kind }

func rowsError(name string, line int, column, format string, args ...any) error {
	return &Error{File: name, Line: line, Path: column, Msg: fmt.Sprintf(format, args...), Kind: ErrRows}
}

// columnsOf finds the meaning of each column; nil: it is left out.
func columnsOf(name string, header []string) ([]*column, error) {
	list := make([]*column, len(header))
	known := lists.Map(rowColumns, func(c column) string { return c.name })
	for i, of := range header {
		if k := slices.Index(known, of); k >= 0 {
			list[i] = &rowColumns[k]
		} else if of != stepColumn && !slices.Contains(otherColumns, of) {
			return nil, rowsError(name, 1, of, "unknown column%s: want %s", config.Hint(of, known), strings.Join(known, ", "))
		}
		if slices.Contains(header[:i], of) {
			return nil, rowsError(name, 1, of, "found the column twice")
		}
	}
	if !slices.Contains(header, "job") || !slices.Contains(header, "watts") && !slices.Contains(header, "joules") {
		return nil, rowsError(name, 1, "", "found the columns %s: want job, and watts or joules", strings.Join(header, ", "))
	}
	return list, nil
}

// readRow reads a line. It skips rows of steps, whose power is not known.
func readRow(name string, at int, header []string, columns []*column, line []string) (r Row, skip bool, err error) {
	r = Row{Line: at, Uncertainty: usualUncertainty}
	var faults []error
	for i, text := range line {
		text = strings.TrimSpace(text)
		if header[i] == stepColumn && text != "" {
			skip = true
		}
		if columns[i] == nil || text == "" {
			continue
		}
		if err := columns[i].set(&r, text); err != nil {
			faults = append(faults, rowsError(name, at, header[i], "%v", err))
		}
	}
	switch measured := r.Watts > 0 || r.Joules > 0; {
	case faults != nil:
	case skip && measured:
		faults = append(faults, rowsError(name, at, "", "found a power of a step: want that of the whole job, in a row without a step"))
	case skip:
	case r.Job == "":
		faults = append(faults, rowsError(name, at, "job", "missing: want a job"))
	case !measured:
		faults = append(faults, rowsError(name, at, "", "found neither watts nor joules: want one of them"))
	case r.Watts > 0 && r.Joules > 0:
		faults = append(faults, rowsError(name, at, "", "found watts and joules: want one of them"))
	}
	return r, skip, errors.Join(faults...)
}

// RowsFormat is the version of the rows.
const RowsFormat = 1

// Schema returns the JSON Schema of the rows, as a list of objects with a member for each column.
func Schema() ([]byte, error) {
	properties := schema.Object{}
	for _, c := range rowColumns {
		o := schema.Object{"type": "number", "exclusiveMinimum": 0}
		if c.text {
			o = schema.Object{"type": "string"}
		}
		properties[c.name] = schema.Described(o, c.meaning, c.unit)
	}
	for _, name := range append([]string{stepColumn}, otherColumns...) {
		properties[name] = schema.Object{"description": "of spvsim measure, or a remark: not read"}
	}
	row := schema.Object{"type": "object", "properties": properties, "required": []any{"job"}, "additionalProperties": false,
		"oneOf": []any{schema.Object{"required": []any{"watts"}}, schema.Object{"required": []any{"joules"}}}}
	return schema.Document("measured-power", RowsFormat, "Measured powers of jobs, which spvsim energy fit reads as CSV: a column for each member, and an empty cell for one that is left out.",
		schema.Object{"type": "array", "items": row}, nil)
}
