package gpu

import (
	"encoding/binary"
	"fmt"
	"math"

	"spvsim/mem/hierarchy"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/concurrent"
	"spvsim/mem"
	"spvsim/scheduler"
	"spvsim/scheduler/graph"
)

// A transfer moves bytes of device memory.
type transfer struct {
	timeOnly
	bytes uint64 // read and written
	moves []func()
	// rows that moves read and write
	access []rowAccess
}

// A rowAccess is rows of bytes that a transfer reads or writes.
type rowAccess struct {
	kind                      hierarchy.Kind
	addr, bytes, rows, stride uint64
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
		t.access = append(t.access, rowAccess{hierarchy.Write, r.address(m.To) + m.At, m.Bytes, m.Rows, m.ToStride})
		if m.From == "" {
			t.moves = append(t.moves, func() { fill(to, m) })
			continue
		}
		from, err := r.rows(m.From, m.Offset, m.Bytes, m.Rows, m.OfStride)
		if err != nil {
			return nil, fmt.Errorf("transfer.moves[%d]: from: %w", i, err)
		}
		t.access = append(t.access, rowAccess{hierarchy.Read, r.address(m.From) + m.Offset, m.Bytes, m.Rows, m.OfStride})
		t.moves = append(t.moves, func() {
			for row := range m.Rows {
				copy(to[row*m.ToStride:][:m.Bytes], from[row*m.OfStride:])
			}
		})
	}
	return t, nil
}

// rows returns the bytes of a buffer from the first row to the end of the last one.
func (r *resources) rows(buffer string, at, bytes, rows, stride uint64) ([]byte, error) {
	all := r.bytesOf(buffer)
	size, err := span(rows, bytes, stride)
	if err != nil {
		return nil, err
	}
	if have := uint64(len(all)); at > have || size > have-at {
		return nil, fmt.Errorf("found %d bytes from byte %d on: want them within the %d bytes of %s", size, at, have, buffer)
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

// indirectBytes is the size of the arguments of an indirect dispatch: three numbers of workgroups.
const indirectBytes = 12

// indirect reads the workgroups of a launch when it begins; nil where they are known before. addr is where they are.
func (r *resources) indirect(at *config.IndirectAt) (read func() [3]uint32, addr uint64, err error) {
	if at == nil {
		return nil, 0, nil
	}
	b, err := r.rows(at.Buffer, at.Offset, indirectBytes, 1, indirectBytes)
	if err != nil {
		return nil, 0, fmt.Errorf("indirect: %w", err)
	}
	return func() (n [3]uint32) {
		for i := range n {
			n[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		return n
	}, r.address(at.Buffer) + at.Offset, nil
}

// timeOnly is embedded by works without workgroups: they take time and count as no launch.
type timeOnly struct{}

func (timeOnly) Prepare() (bool, error)                              { return true, nil }
func (timeOnly) Arguments() (addr, bytes uint64)                     { return 0, 0 }
func (timeOnly) Kernel() *cu.KernelLaunch                            { return nil }
func (timeOnly) Graph() *graph.Run                                   { return nil }
func (timeOnly) Workgroups() (uint64, bool)                          { return 0, false }
func (timeOnly) Count(c *account.Counts, _ scheduler.WorkgroupRange) { c.Launches = 0 }

// functional moves the bytes.
func (x *transfer) functional(*functionalRunner, scheduler.WorkgroupRange, bool) (*account.Counts, error) {
	for _, move := range x.moves {
		move()
	}
	return &account.Counts{Transferred: x.bytes}, nil
}

// timed moves the bytes and lets the time of that pass.
func (x *transfer) timed(t *timing, _ string, p scheduler.WorkgroupRange, follows bool) (*account.Counts, error) {
	c, err := x.functional(nil, p, false)
	c.Cycles, c.LaunchCycles = t.passTransfer(x.bytes, follows), t.transferCost(follows)
	return c, err
}

func (x *transfer) StartConcurrent(l *concurrent.QueuedLaunch, at concurrent.LaunchStart) error {
	x.watchMoves(l.Footprint)
	for _, move := range x.moves {
		move()
	}
	l.PassTransfer(at, x.bytes)
	return nil
}

// watchMoves adds the rows that a transfer reads and writes to a footprint.
func (x *transfer) watchMoves(f *mem.Footprint) {
	for i := range x.access {
		a := &x.access[i]
		for row := uint64(0); f != nil && row < a.rows; row++ {
			f.Add(a.kind, a.addr+row*a.stride, a.bytes)
		}
	}
}

// A hostCopy is a copy between host and device: buffers hold their data from the start, only time passes.
type hostCopy struct {
	timeOnly
	fixed      int     // cycles
	rate       float64 // bytes of a cycle
	staged     float64 // the same of the host's own copy; 0: none
	bytes      int64
	fromDevice bool
}

func newHostCopy(h *scheduler.HostSpec, c *config.CopyCall) *hostCopy {
	n := &hostCopy{fixed: h.ToDeviceCycles, rate: h.ToDeviceBytes, bytes: c.Bytes, fromDevice: c.FromDevice}
	if c.FromDevice {
		n.fixed, n.rate = h.FromDeviceCycles, h.FromDeviceBytes
	}
	if c.Bytes <= int64(h.SmallCopyBytes) {
		n.fixed, n.rate = h.SmallCopyCycles, math.Inf(1)
		return n
	}
	if c.Bytes < int64(h.StagedBelow) {
		n.staged = h.StagedBytes
	}
	return n
}

func (h *hostCopy) functional(*functionalRunner, scheduler.WorkgroupRange, bool) (*account.Counts, error) {
	c := &account.Counts{}
	h.countBytes(c)
	return c, nil
}

// countBytes counts the bytes by their direction.
func (h *hostCopy) countBytes(c *account.Counts) {
	if h.fromDevice {
		c.FromDevice = uint64(h.bytes)
	} else {
		c.ToDevice = uint64(h.bytes)
	}
}

func (h *hostCopy) timed(t *timing, _ string, _ scheduler.WorkgroupRange, _ bool) (*account.Counts, error) {
	c := t.idle(h.cycles())
	h.countBytes(c)
	return c, nil
}

func (h *hostCopy) cycles() uint64 {
	cycles := uint64(h.fixed) + uint64(math.Ceil(float64(h.bytes)/h.rate))
	if h.staged > 0 {
		cycles += uint64(math.Ceil(float64(h.bytes) / h.staged))
	}
	return cycles
}

func (h *hostCopy) StartConcurrent(l *concurrent.QueuedLaunch, at concurrent.LaunchStart) error {
	l.PassCycles(at, h.cycles())
	return nil
}

// A hostWait is a wait of the host for all launches before it. They have ended when it begins, so only its own time passes.
type hostWait struct {
	timeOnly
	cycles uint64
}

func (*hostWait) functional(*functionalRunner, scheduler.WorkgroupRange, bool) (*account.Counts, error) {
	return &account.Counts{}, nil
}

func (w *hostWait) timed(t *timing, _ string, _ scheduler.WorkgroupRange, _ bool) (*account.Counts, error) {
	return t.idle(w.cycles), nil
}
