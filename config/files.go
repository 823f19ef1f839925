package config

import (
	"fmt"
	"io"
	"io/fs"
)

// readLimited reads a file of at most limit bytes.
func readLimited(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, &Error{File: name, Msg: fmt.Sprintf("can't read: %v", err), Kind: ErrReference}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, &Error{File: name, Msg: fmt.Sprintf("can't read: %v", err), Kind: ErrReference}
	}
	if int64(len(data)) > limit {
		return nil, &Error{File: name, Msg: fmt.Sprintf("more than %d bytes", limit), Kind: ErrLimit}
	}
	return data, nil
}
