package gpu

import (
	"encoding/binary"
	"fmt"
	"math"

	"spvsim/account"
	"spvsim/config"
)

// A transfer moves bytes of device memory.
type transfer struct {
	bytes uint64 // read and written
	moves []func()
}

// transfer finds the bytes that move, all of which must be there.
func (r *resources) transfer(c *config.TransferCall) (*transfer, error) {
	t := &transfer{bytes: c.Bytes}
	for i := range c.Moves {
		m := &c.Moves[i]
		to, err := r.rows(m.To, m.At, m.Bytes, m.Rows, m.ToStride)
		if err != nil {
			return nil, fmt.Errorf("transfer.moves[%d]: to: %w", i, err)
		}
		if m.From == "" {
			t.moves = append(t.moves, func() { fill(to, m) })
			continue
		}
		from, err := r.rows(m.From, m.Offset, m.Bytes, m.Rows, m.OfStride)
		if err != nil {
			return nil, fmt.Errorf("transfer.moves[%d]: from: %w", i, err)
		}
		t.moves = append(t.moves, func() {
			for row := range m.Rows {
				copy(to[row*m.ToStride:][:m.Bytes], from[row*m.OfStride:])
			}
		})
	}
	return t, nil
}

// rows are the bytes of a buffer from the first row to the end of the last one.
func (r *resources) rows(buffer string, at, bytes, rows, stride uint64) ([]byte, error) {
	all := r.named(buffer)
	size, err := span(rows, bytes, stride)
	if err != nil {
		return nil, err
	}
	if have := uint64(len(all)); at > have || size > have-at {
		return nil, fmt.Errorf("%d bytes from byte %d on: %s has %d", size, at, buffer, have)
	}
	return all[at:][:size], nil
}

// fill repeats data to fill rows.
func fill(to []byte, m *config.MoveCall) {
	for row := range m.Rows {
		for out := to[row*m.ToStride:][:m.Bytes]; len(out) > 0 && len(m.Data) > 0; {
			out = out[copy(out, m.Data):]
		}
	}
}

// indirect reads the workgroups of a launch when it begins; nil where they are known before.
func (r *resources) indirect(at *config.IndirectAt) (func() [3]uint32, error) {
	if at == nil {
		return nil, nil
	}
	b, err := r.rows(at.Buffer, at.Offset, 12, 1, 12)
	if err != nil {
		return nil, fmt.Errorf("indirect: %w", err)
	}
	return func() (n [3]uint32) {
		for i := range n {
			n[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		return n
	}, nil
}

// transfer moves the bytes of a step and lets its time pass.
func (r *runner) transfer(l *launch, follows bool) {
	for _, move := range l.move.moves {
		move()
	}
	c := &account.Counts{}
	if l.mode != config.ModeFunctional {
		c.Cycles = r.pass(l.move.bytes, follows)
	}
	r.add(l.step, c)
}

// pass lets the time of a transfer pass.
func (r *runner) pass(bytes uint64, follows bool) (cycles uint64) {
	cycles = r.passCycles(bytes, follows)
	r.now = max(r.now, r.machine.cycle()) + cycles
	return cycles
}

// passCycles is the time of a transfer that reads and writes bytes of device memory: all channels at the rate that they sustain,
// behind the cost of a launch.
func (r *runner) passCycles(bytes uint64, follows bool) uint64 {
	m := r.setup.Machine
	cost := m.Dispatcher.KernelLaunchCycles
	if follows {
		cost = m.Dispatcher.FollowingLaunch
	}
	rate := m.Memory.BytesPerCycle * float64(m.Memory.Channels)
	if m.Memory.Efficiency > 0 {
		rate *= m.Memory.Efficiency
	}
	return uint64(cost) + uint64(math.Ceil(float64(bytes)/rate))
}
