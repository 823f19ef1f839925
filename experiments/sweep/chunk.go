package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"spvsim/internal/files"
)

// A Chunk is the work of one task of a job array: some lines of a file of points.
type Chunk struct {
	Points string // file
	Store  string // folder
	Index  int
	Size   int
}

// ErrOther means that the simulator on a node is not the one that submitted.
var ErrOther = errors.New("the simulator here is another build than the one that submitted the points")

// Run runs the chunk's points without a result, one after the other.
func (c *Chunk) Run(ctx context.Context, worker []string, id Identity) error {
	store, err := OpenStore(c.Store)
	if err != nil {
		return err
	}
	specs, err := c.read()
	if err != nil {
		return err
	}
	var missing []Spec
	for _, s := range specs {
		if s.Identity != id {
			return fmt.Errorf("%w: %s, not %s", ErrOther, id.Version, s.Identity.Version)
		}
		if r, err := store.Load(&s); err != nil {
			return err
		} else if r == nil {
			missing = append(missing, s)
		}
	}
	w := &Workers{Command: worker, Count: 1, Store: store}
	return w.Run(ctx, missing, func(*Record) {})
}

func (c *Chunk) read() (specs []Spec, err error) {
	text, err := files.Read(c.Points, files.MaxJSON)
	if err != nil {
		return nil, err
	}
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		if i/max(c.Size, 1) != c.Index {
			continue
		}
		var s Spec
		if err := json.Unmarshal(line, &s); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", c.Points, i+1, err)
		}
		specs = append(specs, s)
	}
	return specs, nil
}
