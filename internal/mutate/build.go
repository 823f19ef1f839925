package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// A program is the test binaries of packages with all changes of one package in them.
type program struct {
	dir      string
	overlay  string
	binaries []binary
}

// build compiles the tests that have to notice the changes of a package. It
// returns the numbers of those that compile, too.
func build(dir, pkg string, all []change, tests []string) (*program, []int, error) {
	p := &program{dir: dir, overlay: filepath.Join(dir, "overlay.json")}
	numbers := make([]int, len(all))
	for i := range numbers {
		numbers[i] = i + 1
	}
	for {
		files, err := p.lay(pkg, all, numbers)
		if err != nil {
			return nil, nil, err
		}
		out, err := exec.Command("go", "build", "-gcflags=-e", "-overlay", p.overlay, "./"+pkg).CombinedOutput()
		if err == nil {
			break
		}
		bad := refused(out, files)
		if len(bad) == 0 {
			return nil, nil, fmt.Errorf("%w: %s", err, out)
		}
		numbers = without(numbers, bad)
	}
	for _, t := range tests {
		b := binary{dir: t, path: filepath.Join(dir, filepath.Base(t)+".test")}
		if err := compile(t, b.path, "-overlay", p.overlay); err != nil {
			return nil, nil, err
		}
		p.binaries = append(p.binaries, b)
	}
	return p, numbers, nil
}

// measure runs the tests without a change. The lines that they reach are those of the package as it is.
func (p *program) measure(pkg string) error {
	counting := filepath.Join(p.dir, "counting.test")
	for i := range p.binaries {
		b := &p.binaries[i]
		if err := compile(b.dir, counting, "-covermode", "set", "-coverpkg", "./"+pkg); err != nil {
			return err
		}
		if err := b.measure(counting); err != nil {
			return err
		}
	}
	return nil
}

// A laid file is one of the package with copies for changes after it.
type laid struct {
	*schema
	numbers []int
}

// lay writes the files with the changes of the given numbers, and the overlay that puts them in place.
func (p *program) lay(pkg string, all []change, numbers []int) (map[string]*laid, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	files, lists := map[string]*laid{}, map[string][]*change{}
	for _, n := range numbers {
		c := &all[n-1]
		if files[c.file] == nil {
			files[c.file] = &laid{}
		}
		files[c.file].numbers = append(files[c.file].numbers, n)
		lists[c.file] = append(lists[c.file], c)
	}
	replace := map[string]string{filepath.Join(root, pkg, "change_.go"): filepath.Join(p.dir, "change_.go")}
	err = os.WriteFile(filepath.Join(p.dir, "change_.go"), fmt.Appendf(nil, selector, filepath.Base(pkg)), 0o600)
	for name, f := range files {
		f.schema = newSchema(lists[name], f.numbers)
		to := filepath.Join(p.dir, filepath.Base(name))
		replace[filepath.Join(root, name)] = to
		err = errors.Join(err, os.WriteFile(to, f.text, 0o600))
	}
	text, _ := json.Marshal(map[string]any{"Replace": replace})
	return files, errors.Join(err, os.WriteFile(p.overlay, text, 0o600))
}

var complaint = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// refused are the numbers of the changes that the compiler complains about.
func refused(out []byte, files map[string]*laid) map[int]bool {
	bad := map[int]bool{}
	for _, m := range complaint.FindAllSubmatch(out, -1) {
		line, _ := strconv.Atoi(string(m[2]))
		for name, f := range files {
			if filepath.Base(name) == filepath.Base(string(m[1])) && f.at(line) >= 0 {
				bad[f.numbers[f.at(line)]] = true
			}
		}
	}
	return bad
}

func without(numbers []int, bad map[int]bool) []int {
	var kept []int
	for _, n := range numbers {
		if !bad[n] {
			kept = append(kept, n)
		}
	}
	return kept
}

// compile makes the test binary of one package.
func compile(pkg, to string, flags ...string) error {
	args := append([]string{"test", "-c", "-vet=off", "-o", to}, flags...)
	if out, err := exec.Command("go", append(args, "./"+pkg)...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
