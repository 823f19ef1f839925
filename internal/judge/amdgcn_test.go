package judge

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/internal/suite"
)

// Lines of a page that the comparison with clang is between.
const (
	clangFrom = "<!-- clang: from here -->\n"
	clangTo   = "<!-- clang: to here -->\n"
)

var clangPage = flag.String("clang-page", "", "page whose comparison of kernels with clang's code is written anew")

// Debian's clang that its ROCm device libraries were built with, and the libraries.
const (
	clang      = "clang-15"
	deviceLibs = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
)

// Kernels of the ready jobs in OpenCL C have about as many instructions of each kind as clang's code for the same chip: go test ./internal/judge
// -run TestClangsKernels -clang-page ../../docs/model/lowering.md writes the page's table.
func TestClangsKernels(t *testing.T) {
	if _, err := exec.LookPath(clang); err != nil {
		t.Skip(clang, "is not installed")
	}
	if _, err := os.Stat(deviceLibs); err != nil {
		t.Skip("rocm-device-libs is not installed")
	}
	m := suite.Must(config.Preset("cdna2-mi210"))(t)
	var table bytes.Buffer
	var ours, theirs Counts
	logs, n := 0.0, 0
	table.WriteString("\n| kernel | here | clang |  |" + kindHeads() + "\n")
	for _, name := range experiments.Names() {
		if !strings.HasPrefix(name, "cl-") {
			continue
		}
		folder, file, _, err := experiments.Lookup(name)
		suite.OK(t, err)
		job := suite.Must(config.LoadJob(folder, file))(t)
		kernels := suite.Must(amdgcn(t.Context(), filepath.Join("../../experiments/library", strings.ReplaceAll(name, "-", "")+".cl")))(t)
		for _, s := range suite.Must(Run(t.Context(), job, m))(t) {
			code := suite.Must(LoweredCode(s.Ran.Program, nil, m.Limits()))(t)
			a, b := code.Static(), kernels[s.Ran.Program.Name]
			if b.Total() == 0 {
				t.Errorf("%s: clang has no kernel %s", name, s.Ran.Program.Name)
				continue
			}
			fmt.Fprintf(&table, "| %s %s | %.0f | %.0f | %.2f |%s\n", name, s.Ran.Program.Name, a.Total(), b.Total(), a.Total()/b.Total(), kindCells(&a, &b))
			logs, n = logs+math.Log(a.Total()/b.Total()), n+1
			for k := range a {
				ours[k], theirs[k] = ours[k]+a[k], theirs[k]+b[k]
			}
		}
	}
	fmt.Fprintf(&table, "| all | %.0f | %.0f | %.2f |%s\n\nThe geometric mean over %d kernels is %.2f.\n\n", ours.Total(), theirs.Total(), ours.Total()/theirs.Total(), kindCells(&ours, &theirs), n, math.Exp(logs/float64(n)))
	if mean := math.Exp(logs / float64(n)); mean < 0.5 || mean > 1.5 {
		t.Errorf("the geometric mean of static counts is %.2f", mean)
	}
	if *clangPage != "" {
		suite.OK(t, replaceBetween(*clangPage, clangFrom, clangTo, table.String()))
	}
}

// comparedKinds are those that differ by compiler.
var comparedKinds = []Kind{VALU, Trans, SALU, SMEM, VMEM, LDS, Branch}

func kindHeads() (heads string) {
	rule := "\n| --- | ---: | ---: | ---: |"
	for _, k := range comparedKinds {
		heads += " " + k.String() + " |"
		rule += " ---: |"
	}
	return heads + rule
}

func kindCells(a, b *Counts) (cells string) {
	for _, k := range comparedKinds {
		cells += fmt.Sprintf(" %.0f / %.0f |", a[k], b[k])
	}
	return cells
}

// amdgcn compiles a source for the MI210 and counts the instructions of each function.
func amdgcn(ctx context.Context, file string) (map[string]Counts, error) {
	c := exec.CommandContext(ctx, clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-O3", "-x", "cl", "-cl-std=CL1.2",
		"--rocm-device-lib-path="+deviceLibs, "-mcode-object-version=5", "-S", "-o", "-", file)
	out, err := c.Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			err = fmt.Errorf("%w: %s", err, failed.Stderr)
		}
		return nil, fmt.Errorf("judge: %s: %w", file, err)
	}
	list := map[string]Counts{}
	function := ""
	for line := range strings.Lines(string(out)) {
		label, rest, isLabel := strings.Cut(line, ":")
		switch {
		case isLabel && strings.Contains(rest, "; @"):
			function = label
		case strings.HasPrefix(line, ".Lfunc_end"):
			function = ""
		case function != "" && strings.HasPrefix(line, "\t"):
			if k, ok := kindOf(strings.TrimSpace(line)); ok {
				n := list[function]
				n[k]++
				list[function] = n
			}
		}
	}
	return list, nil
}

// replaceBetween replaces the text of a page between two lines.
func replaceBetween(path, from, to, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	start, end := bytes.Index(page, []byte(from)), bytes.Index(page, []byte(to))
	if start < 0 || end < start {
		return fmt.Errorf("judge: %s: want the lines %q and %q", path, from, to)
	}
	start += len(from)
	return os.WriteFile(path, append(append(bytes.Clone(page[:start]), text...), page[end:]...), 0o644)
}
