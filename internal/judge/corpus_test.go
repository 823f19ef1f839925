package judge

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

var (
	corpusFolder = flag.String("corpus", "", "folder of other modules to compare; own: the repository's; jobs: what the ready jobs run, as executed")
	rowsFile     = flag.String("rows", "", "file that the rows of -corpus are written to, as CSV")
	machineNames = flag.String("machine", "", "the only machine of -corpus")
	answers      = flag.String("answers", "", "folder that keeps what the driver has compiled")
)

// Workgroup sizes of modules whose constants default to one invocation, by the number of dimensions that a constant sets.
var chosenSizes = [4][3]int64{{}, {64, 1, 1}, {8, 8, 1}, {8, 8, 1}}

// sizes gives a module whose workgroup has one invocation by default, and whose size is specialization constants, the size
// that chosenSizes has for as many of them.
func sizes(m *validate.Module, e *validate.EntryPoint) (list []config.SpecValue) {
	var ids []uint32
	for _, id := range sizeIDs(m, e) {
		in := m.Def(spirv.ID(id))
		if in == nil || len(in.Operands) != 1 || in.Operands[0] != 1 {
			return nil
		}
		if constant, ok := m.Decoration(spirv.ID(id), spirv.DecorationSpecId); ok && in.Op == spirv.OpSpecConstant {
			ids = append(ids, constant)
		}
	}
	for i, id := range ids {
		list = append(list, config.SpecValue{ID: id, Value: config.Number{Int: chosenSizes[len(ids)][i]}})
	}
	return list
}

// sizeIDs are the three constants of a workgroup's size.
func sizeIDs(m *validate.Module, e *validate.EntryPoint) []uint32 {
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		if k, ok := m.Decoration(in.Result, spirv.DecorationBuiltIn); ok && in.Op == spirv.OpSpecConstantComposite && spirv.BuiltIn(k) == spirv.BuiltInWorkgroupSize {
			return in.Operands
		}
	}
	if mode := e.Mode(spirv.ExecutionModeLocalSizeId); mode != nil {
		return mode.Args
	}
	return nil
}

// The comparison of modules of a folder (own: of the repository), with -root by both Mesas: go test ./internal/judge -run
// TestCorpus -timeout 0 -corpus DIR -rows FILE.
func TestCorpus(t *testing.T) {
	if *corpusFolder == "" {
		return
	}
	drivers := []*Driver{opened(t)}
	if *rootFolder != "" {
		drivers = append(drivers, suite.Must(openIn(*rootFolder))(t))
	}
	on := presets()
	if *machineNames != "" {
		on = []string{*machineNames}
	}
	var all [][]Row
	for _, d := range drivers {
		d.answers = *answers
		rows := corpusRows(t, d, *corpusFolder, on)
		for _, s := range Summarize(rows) {
			t.Logf("%-18s Mesa of %q: %d compared, instructions %.3f, factor %.3f, executed %.3f, registers %.3f, waves %.3f", s.Machine, d.root, s.Compared, s.Instructions.Mean(), s.Instructions.Factor(), s.Executed.Factor(), s.VectorRegs.Factor(), s.Waves.Factor())
		}
		all = append(all, rows)
	}
	if *rowsFile != "" {
		suite.OK(t, writeRows(*rowsFile, all))
	}
}

// corpusRows are the rows of a folder's modules, of the repository's (own), or of what the ready jobs run (jobs).
func corpusRows(t *testing.T, d *Driver, root string, on []string) []Row {
	folders := []string{"."}
	switch root {
	case "own":
		root, folders = "../..", Folders
	case "jobs":
		return d.readyRows(t, on)
	}
	return suite.Must(d.Rows(suite.Must(Modules(root, folders))(t), on))(t)
}

// writeRows writes the rows of each driver, with executed counts where it has run: 0 is this system's, 1 that of -root.
func writeRows(path string, all [][]Row) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	head := []string{"module", "machine", "driver", "error"}
	for _, who := range []string{"here", "RADV"} {
		head = append(head, who+" instructions", who+" registers", who+" waves", who+" loops")
		for _, k := range KindNames {
			head = append(head, who+" "+k)
		}
	}
	w.Write(head)
	for d, rows := range all {
		for i := range rows {
			w.Write(append([]string{rows[i].Name, rows[i].Machine, strconv.Itoa(d)}, rows[i].numbers()...))
		}
	}
	w.Flush()
	return w.Error()
}

// numbers are the columns of a row after its names.
func (r *Row) numbers() []string {
	if r.Err != nil {
		return []string{r.Err.Error()}
	}
	line := []string{""}
	for _, c := range []*Code{r.Lowered, r.RADV} {
		n := c.Static()
		if r.Weighted {
			n = c.Weighted()
		}
		line = append(line, fmt.Sprint(n.Total()), strconv.Itoa(c.VectorRegs), strconv.Itoa(c.Waves), strconv.Itoa(regions(c.Blocks).loops()))
		for _, x := range n {
			line = append(line, fmt.Sprint(x))
		}
	}
	return line
}

// loops counts the loops in a region.
func (r *region) loops() (n int) {
	for _, l := range r.inner {
		n += 1 + l.loops()
	}
	return n
}
