package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A module is its packages by their folders.
type module struct {
	path     string
	packages map[string]*source
	order    []string
}

// A source is the files of a package that people wrote, its tests aside, and the packages whose tests use it.
type source struct {
	files []string
	users []string
}

// A listed package is what go list says of it; with -test, also of its tests' program.
type listed struct {
	ImportPath, Name, Dir, ForTest string
	GoFiles, CgoFiles, Deps        []string
	Module                         *struct{ Path string }
}

// readModule asks the go command for the packages of the module in this folder.
func readModule() (*module, error) {
	out, err := exec.Command("go", "list", "-test", "-json=ImportPath,Name,Dir,ForTest,GoFiles,CgoFiles,Deps,Module", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var list []listed
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := in.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		list = append(list, l)
	}
	return newModule(list), nil
}

func newModule(list []listed) *module {
	m := &module{packages: map[string]*source{}}
	for _, l := range list {
		if isPackage(l) {
			m.path = l.Module.Path
			m.add(m.folder(l.ImportPath), l)
		}
	}
	for _, l := range list {
		if user, ok := strings.CutSuffix(l.ImportPath, ".test"); ok {
			m.use(m.folder(user), l.Deps)
		}
	}
	return m
}

// isPackage says that it is a package itself, and neither the program of its tests nor what was compiled for that.
func isPackage(l listed) bool {
	return l.ForTest == "" && l.Module != nil && !strings.HasSuffix(l.ImportPath, ".test")
}

func (m *module) folder(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, m.path), "/")
}

func (m *module) add(folder string, l listed) {
	s := &source{}
	for _, name := range slices.Concat(l.GoFiles, l.CgoFiles) {
		s.files = append(s.files, filepath.Join(folder, name))
	}
	m.packages[folder], m.order = s, append(m.order, folder)
}

// use notes what the tests of a package use: each package below it, and itself.
func (m *module) use(user string, deps []string) {
	for _, dep := range deps {
		name, _, _ := strings.Cut(dep, " ") // those compiled for the test name it after a blank
		if s := m.packages[m.folder(name)]; s != nil && strings.HasPrefix(name, m.path) && !slices.Contains(s.users, user) {
			s.users = append(s.users, user)
		}
	}
}

// used are those of the packages named that the tests of a user use.
func (m *module) used(user string, names map[string]bool) (list []string) {
	for _, name := range m.order {
		if names[name] && slices.Contains(m.packages[name].users, user) {
			list = append(list, name)
		}
	}
	return list
}

// tools are packages that only work on others.
var tools = regexp.MustCompile(`^internal/(fuzz|judge|ledger|mutate|oracle|pgo|randfigure|skips|suite)\b|/gen$`)

// tool reports whether a package only works on others: it is changed only where it is named.
func tool(name string) bool {
	return tools.MatchString(name)
}

// changes are all that can be made in the packages named, or in all but tools.
func (m *module) changes(names []string) (list []change, err error) {
	for _, name := range names {
		if m.packages[name] == nil {
			return nil, fmt.Errorf("%q: want a package of the module, one of %s", name, strings.Join(m.order, ", "))
		}
	}
	for _, name := range m.order {
		if len(names) > 0 && !slices.Contains(names, name) || len(names) == 0 && tool(name) {
			continue
		}
		for _, file := range m.packages[name].files {
			some, err := changes(file)
			if err != nil {
				return nil, err
			}
			list = append(list, some...)
		}
	}
	return list, nil
}

// binaryName is a file's name for the tests of a package.
func binaryName(folder string) string { return strings.ReplaceAll(path.Join("test", folder), "/", "-") }
