package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// A program is the test binaries of packages with all chosen changes in them.
type program struct {
	dir      string
	overlay  string
	all      []change
	numbers  []int             // of the chosen changes, in the order of the source
	entries  map[*function]int // under which number a function says that it was entered
	binaries []*binary
}

// build lays down changes that compile, as many as were drawn.
func (m *module) build(dir string, all []change, list []*draw) (*program, error) {
	p := &program{dir: dir, overlay: filepath.Join(dir, "overlay.json"), all: all}
	for {
		p.numbers = drawn(list)
		files, err := p.lay(p.numbers)
		if err != nil {
			return nil, err
		}
		args := []string{"build", "-gcflags=-e", "-overlay", p.overlay}
		for _, pkg := range packagesOf(files) {
			args = append(args, "./"+pkg)
		}
		out, err := exec.Command("go", args...).CombinedOutput()
		if err == nil {
			return p, nil
		}
		bad := refused(out, files)
		if len(bad) == 0 {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
		for _, d := range list {
			d.without(bad)
		}
	}
}

// packagesOf are the packages that files belong to.
func packagesOf(files map[string]*schema) (list []string) {
	for name := range files {
		list = append(list, filepath.Dir(name))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// lay writes the files with the changes of the given numbers, and the overlay that puts them in place.
func (p *program) lay(numbers []int) (map[string]*schema, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	lists := map[string][]int{}
	for _, n := range numbers {
		lists[p.all[n-1].file] = append(lists[p.all[n-1].file], n)
	}
	p.entries = map[*function]int{}
	files, replace := map[string]*schema{}, map[string]string{}
	put := func(name string, text []byte) string {
		to := filepath.Join(p.dir, fmt.Sprintf("%d.go", len(replace)))
		replace[filepath.Join(root, name)] = to
		err = errors.Join(err, os.WriteFile(to, text, 0o600))
		return to
	}
	for name, list := range lists {
		files[name] = newSchema(p.all, list, p.entries)
		files[name].path = put(name, files[name].text)
	}
	for _, pkg := range packagesOf(files) {
		put(filepath.Join(pkg, "change_.go"), fmt.Appendf(nil, selector, files[firstOf(files, pkg)].pkg, len(p.all)+1))
	}
	text, _ := json.Marshal(map[string]any{"Replace": replace})
	return files, errors.Join(err, os.WriteFile(p.overlay, text, 0o600))
}

// firstOf is a file of a package.
func firstOf(files map[string]*schema, pkg string) string {
	for name := range files {
		if filepath.Dir(name) == pkg {
			return name
		}
	}
	return ""
}

var complaint = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// refused are the numbers of the changes that the compiler complains about; it names files as they were laid.
func refused(out []byte, files map[string]*schema) map[int]bool {
	bad := map[int]bool{}
	for _, m := range complaint.FindAllSubmatch(out, -1) {
		line, _ := strconv.Atoi(string(m[2]))
		path, _ := filepath.Abs(string(m[1])) // the shorter of the two is printed
		for _, f := range files {
			if f.path == path && f.at(line) >= 0 {
				bad[f.numbers[f.at(line)]] = true
			}
		}
	}
	return bad
}

// candidates are the packages whose tests use a changed one, those that use fewest first: a package before what imports it.
func (p *program) candidates(m *module) {
	changed := map[string]bool{}
	for _, n := range p.numbers {
		changed[p.all[n-1].pkg()] = true
	}
	for _, user := range m.order {
		if uses := m.used(user, changed); len(uses) > 0 {
			p.binaries = append(p.binaries, &binary{dir: user, path: filepath.Join(p.dir, binaryName(user)), overlay: p.overlay, uses: uses})
		}
	}
	rank := func(b *binary) int {
		if changed[b.dir] {
			return 2 * len(b.uses)
		}
		return 2*len(b.uses) + 1
	}
	slices.SortStableFunc(p.binaries, func(a, b *binary) int { return rank(a) - rank(b) })
}

// link makes the binary.
func (b *binary) link() error {
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", b.overlay, "-o", b.path, "./"+b.dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
