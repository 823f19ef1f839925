package judge

import (
	"bufio"
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// statistics maps the driver's names of its statistics to their fields.
func (c *Code) statistics() map[string]*int {
	return map[string]*int{
		"VGPRs": &c.VectorRegs, "SGPRs": &c.ScalarRegs, "LDS size": &c.LDSBytes, "Scratch size": &c.ScratchBytes, "Subgroups per SIMD": &c.Waves,
	}
}

// parse reads the output of driver/radv.c: statistics, then the disassembly.
func parse(out []byte) (*Code, error) {
	c := &Code{}
	numbers := c.statistics()
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		if s.Text() == "assembly" {
			break
		}
		name, text, _ := strings.Cut(s.Text(), ": ")
		if at := numbers[name]; at != nil {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("judge: the driver's statistic %q: %w", s.Text(), err)
			}
			*at = n
		}
	}
	var lines []string
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("judge: the driver's disassembly: %w", err)
	}
	c.Blocks = disassembled(lines)
	if len(c.Blocks) == 0 {
		return nil, fmt.Errorf("judge: the driver gave no disassembly")
	}
	return c, nil
}

var label = regexp.MustCompile(`^(BB\d+):`)

// disassembled splits a disassembly into blocks, at labels and after branches.
func disassembled(lines []string) []Block {
	var list []Block
	named := map[string]int{}
	var targets []string // the branch that ends each block; "": none
	open := false
	start := func(name string) {
		list, targets = append(list, Block{Name: name}), append(targets, "")
		open = true
	}
	for _, line := range lines {
		if m := label.FindStringSubmatch(line); m != nil {
			start(m[1])
			named[m[1]] = len(list) - 1
			continue
		}
		text, _, _ := strings.Cut(line, ";")
		text = strings.TrimSpace(text)
		kind, ok := kindOf(text)
		if !ok {
			continue
		}
		if !open {
			start("")
		}
		b := &list[len(list)-1]
		text, second, isPair := strings.Cut(text, " :: ")
		b.addInstruction(text, kind, accessOf(text))
		if isPair {
			b.addInstruction("  "+second, kind, noAccess)
		}
		if kind == Branch {
			targets[len(list)-1] = text
			open = false
		}
	}
	for i := range list {
		list[i].Succs = succs(i, len(list), targets[i], named)
	}
	return list
}

func (b *Block) addInstruction(text string, k Kind, a access) {
	b.Text, b.Kinds = append(b.Text, text), append(b.Kinds, k)
	if a != noAccess {
		b.accesses[a]++
	}
}

// succs returns the successors of block i of n, which ends with a branch or, if it is "", without one.
func succs(i, n int, branch string, named map[string]int) (list []int) {
	words := strings.Fields(branch)
	if len(words) > 1 {
		if to, ok := named[words[len(words)-1]]; ok {
			list = append(list, to)
		}
	}
	if i+1 < n && (len(words) == 0 || words[0] != "s_branch") {
		list = append(list, i+1)
	}
	return list
}

// kinds by prefix of an instruction's name; the first match counts.
var kinds = []struct {
	prefix string
	kind   Kind
}{
	{"s_waitcnt", Wait}, {"s_clause", Wait}, {"s_nop", Wait}, {"s_delay_alu", Wait}, {"s_inst_prefetch", Wait}, {"s_set_inst_prefetch", Wait}, {"s_sleep", Wait},
	{"s_branch", Branch}, {"s_cbranch", Branch}, {"s_setpc", Branch}, {"s_swappc", Branch},
	{"s_load_", SMEM}, {"s_buffer_load_", SMEM}, {"s_memtime", SMEM}, {"s_memrealtime", SMEM}, {"s_dcache", SMEM}, {"s_gl1_inv", SMEM},
	{"s_barrier", OtherKind}, {"s_endpgm", OtherKind}, {"s_sendmsg", OtherKind}, {"s_code_end", OtherKind}, {"s_trap", OtherKind},
	{"s_", SALU},
	{"v_rcp_", Trans}, {"v_rsq_", Trans}, {"v_sqrt_", Trans}, {"v_exp_", Trans}, {"v_log_", Trans}, {"v_sin_", Trans}, {"v_cos_", Trans},
	{"v_", VALU}, {"ds_", LDS}, {"exp", Export},
	{"buffer_", VMEM}, {"tbuffer_", VMEM}, {"image_", VMEM}, {"global_", VMEM}, {"flat_", VMEM}, {"scratch_", VMEM},
}

// kindOf returns the kind of an instruction; false: the line is no instruction.
func kindOf(text string) (Kind, bool) {
	for _, k := range kinds {
		if strings.HasPrefix(text, k.prefix) {
			return k.kind, true
		}
	}
	return 0, false
}
