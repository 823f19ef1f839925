package main

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"time"

	"spvsim/internal/files"
)

// withInput is a file system in which every file named - is standard input.
type withInput struct {
	fs.FS
	stdin io.Reader
	data  []byte // content of stdin, so that two steps can name it
}

func (w *withInput) Open(name string) (fs.File, error) {
	if path.Base(name) != "-" {
		return w.FS.Open(name)
	}
	if w.stdin != nil {
		data, err := files.Drain(w.stdin, "standard input", files.MaxModule)
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: "standard input", Err: err}
		}
		w.data, w.stdin = data, nil
	}
	return input{bytes.NewReader(w.data)}, nil
}

// Stat implements fs.StatFS: it does not open files other than stdin.
func (w *withInput) Stat(name string) (fs.FileInfo, error) {
	if path.Base(name) != "-" {
		return fs.Stat(w.FS, name)
	}
	f, err := w.Open(name)
	if err != nil {
		return nil, err
	}
	return f.Stat()
}

// input is an open file of bytes in memory.
type input struct{ *bytes.Reader }

func (i input) Stat() (fs.FileInfo, error) { return inputInfo{i.Reader.Size()}, nil }
func (i input) Close() error               { return nil }

// inputInfo describes the content of standard input.
type inputInfo struct{ size int64 }

func (i inputInfo) Name() string     { return "-" }
func (i inputInfo) Size() int64      { return i.size }
func (inputInfo) Mode() fs.FileMode  { return 0 }
func (inputInfo) ModTime() time.Time { return time.Time{} }
func (inputInfo) IsDir() bool        { return false }
func (inputInfo) Sys() any           { return nil }

// Base is the file system below, for package files.
func (f *withInput) Base() fs.FS { return f.FS }
