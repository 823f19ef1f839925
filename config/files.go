package config

import (
	"errors"
	"io/fs"

	"spvsim/internal/fault"
	"spvsim/internal/files"
)

// readLimited reads a regular file of at most limit bytes; it returns errors of this package.
func readLimited(fsys fs.FS, name string, limit int64) ([]byte, error) {
	data, err := files.ReadFrom(fsys, name, limit)
	if of := (*files.Error)(nil); errors.As(err, &of) {
		kind := ErrReference
		if errors.Is(err, files.ErrLimit) {
			kind = ErrLimit
		}
		return nil, (*Error)(&fault.Fault{File: of.File, Msg: of.Msg, Kind: kind})
	}
	return data, err
}
