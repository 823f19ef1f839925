package sweep

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"
	"time"
)

// Inputs is a file system that lists the files that were opened through it: those that a bundle needs.
type Inputs struct {
	base   fs.FS
	mu     sync.Mutex
	opened map[string]bool
}

func newInputs(base fs.FS) *Inputs { return &Inputs{base: base, opened: map[string]bool{}} }

// Base returns the file system below, for files.Unrestricted.
func (n *Inputs) Base() fs.FS { return n.base }

func (n *Inputs) Open(name string) (fs.File, error) {
	f, err := n.base.Open(name)
	if err == nil {
		n.mu.Lock()
		n.opened[name] = true
		n.mu.Unlock()
	}
	return f, err
}

// Stat implements fs.StatFS.
func (n *Inputs) Stat(name string) (fs.FileInfo, error) { return fs.Stat(n.base, name) }

// names lists the opened files.
func (n *Inputs) names() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.opened))
}

// Open implements fs.FS: the files of a bundle have the names that they were opened under, and there are no others.
func (b *Bundle) Open(name string) (fs.File, error) {
	data, err := b.inputFile(name)
	if err != nil {
		return nil, err
	}
	return &inputFile{inputInfo{path.Base(name), int64(len(data))}, bytes.NewReader(data)}, nil
}

func (b *Bundle) Stat(name string) (fs.FileInfo, error) {
	data, err := b.inputFile(name)
	if err != nil {
		return nil, err
	}
	return inputInfo{path.Base(name), int64(len(data))}, nil
}

// inputFile returns a file's contents, which are checked once.
func (b *Bundle) inputFile(name string) ([]byte, error) {
	i := slices.IndexFunc(b.Files, func(f bundleFile) bool { return f.Name == name })
	if i < 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w in the bundle", fs.ErrNotExist)}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if data, ok := b.verified[name]; ok {
		return data, nil
	}
	data, err := b.member(memberName(b.Files[i].SHA256), b.Files[i].SHA256)
	if err == nil {
		b.verified[name] = data
	}
	return data, err
}

type inputFile struct {
	info inputInfo
	*bytes.Reader
}

func (f *inputFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *inputFile) Close() error               { return nil }

type inputInfo struct {
	name string
	size int64
}

func (i inputInfo) Name() string       { return i.name }
func (i inputInfo) Size() int64        { return i.size }
func (i inputInfo) Mode() fs.FileMode  { return 0o444 }
func (i inputInfo) ModTime() time.Time { return time.Time{} }
func (i inputInfo) IsDir() bool        { return false }
func (i inputInfo) Sys() any           { return nil }
