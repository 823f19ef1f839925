package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// readLimited reads a regular file of at most limit bytes. A pipe or a device has no end that could be known before it is read, so
// it is refused, and so is a file that is too long, before anything is read.
func readLimited(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name) // before it is opened: to open a pipe waits for its writer
	if err != nil {
		return nil, unreadable(name, err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil, &Error{File: name, Msg: "found a folder: want a file", Kind: ErrReference}
	case !mode.IsRegular():
		return nil, &Error{File: name, Msg: "found a pipe, socket or device: want a regular file", Kind: ErrReference}
	case info.Size() > limit:
		return nil, &Error{File: name, Msg: fmt.Sprintf("found %d bytes: want at most %d", info.Size(), limit), Kind: ErrLimit}
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1)) // the file may have grown
	if err != nil {
		return nil, unreadable(name, err)
	}
	if int64(len(data)) > limit {
		return nil, &Error{File: name, Msg: fmt.Sprintf("found more than %d bytes: want at most that many", limit), Kind: ErrLimit}
	}
	return data, nil
}

// unreadable says why a file can't be read, with its name once: the error of the operating system has it too.
func unreadable(name string, err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) && of.Path == name {
		err = of.Err
	}
	return &Error{File: name, Msg: fmt.Sprintf("can't read: %v", err), Kind: ErrReference}
}

// ReadFile reads a regular file of at most limit bytes, as the files that jobs name are read.
func ReadFile(name string, limit int64) ([]byte, error) { return readLimited(OS(), name, limit) }

// OS looks names up as the operating system does: absolute, or relative to the working directory, ".." allowed.
func OS() fs.FS { return osFiles{} }

type osFiles struct{}

func (osFiles) Open(name string) (fs.File, error) { return os.Open(name) }

// Stat fulfils fs.StatFS.
func (osFiles) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }
