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
	corpusFolder = flag.String("corpus", "", "folder of other modules to compare")
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

// The comparison of modules of a folder: go test ./internal/judge -run TestCorpus -timeout 0 -corpus DIR -rows FILE.
func TestCorpus(t *testing.T) {
	if *corpusFolder == "" {
		return
	}
	d := opened(t)
	if *rootFolder != "" {
		d = suite.Must(openIn(*rootFolder))(t)
	}
	d.answers = *answers
	on := presets()
	if *machineNames != "" {
		on = []string{*machineNames}
	}
	var shaders []Shader
	if *corpusFolder == "own" {
		shaders = suite.Must(Modules("../..", Folders))(t)
	} else {
		shaders = suite.Must(Modules(*corpusFolder, []string{"."}))(t)
	}
	rows := suite.Must(d.Rows(shaders, on))(t)
	for _, s := range Summarize(rows) {
		t.Logf("%-18s %d compared: instructions %.3f, factor %.3f, registers %.3f, waves %.3f", s.Machine, s.Compared, s.Instructions.Mean(), s.Instructions.Factor(), s.VectorRegs.Factor(), s.Waves.Factor())
	}
	if *rowsFile != "" {
		suite.OK(t, writeRows(*rowsFile, rows))
	}
}

func writeRows(path string, rows []Row) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	head := []string{"module", "machine", "error"}
	for _, who := range []string{"here", "RADV"} {
		head = append(head, who+" instructions", who+" registers", who+" waves", who+" loops")
		for _, k := range KindNames {
			head = append(head, who+" "+k)
		}
	}
	w.Write(head)
	for i := range rows {
		r := &rows[i]
		line := []string{r.Name, r.Machine, ""}
		if r.Err != nil {
			line[2] = fmt.Sprint(r.Err)
		} else {
			for _, c := range []*Code{r.Lowered, r.RADV} {
				n := c.Static()
				line = append(line, fmt.Sprint(n.Total()), strconv.Itoa(c.VectorRegs), strconv.Itoa(c.Waves), strconv.Itoa(regions(c.Blocks).loops()))
				for _, x := range n {
					line = append(line, fmt.Sprint(x))
				}
			}
		}
		w.Write(line)
	}
	w.Flush()
	return w.Error()
}

// loops counts the loops in a region.
func (r *region) loops() (n int) {
	for _, l := range r.inner {
		n += 1 + l.loops()
	}
	return n
}
