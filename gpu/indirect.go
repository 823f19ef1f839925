package gpu

import (
	"encoding/binary"
	"fmt"

	"spvsim/config"
	"spvsim/mem"
	"spvsim/scheduler/graph"
)

// What a dispatch of a graph reads from memory when it begins, as the API's indirect dispatches do.

// infoBytes is the size of a VkDispatchGraphInfoAMDX and of a VkDispatchGraphCountInfoAMDX.
const infoBytes = 24

// Bounds of what infos in buffers may ask for; a job file has the same.
const (
	maxInfos    = 1 << 16
	maxPayloads = 1 << 24
)

// A graphInfo is a VkDispatchGraphInfoAMDX in memory.
type graphInfo struct {
	node, count     uint32
	address, stride uint64
}

// readInfo decodes the bytes of an info.
func readInfo(b []byte) graphInfo {
	return graphInfo{
		node: binary.LittleEndian.Uint32(b), count: binary.LittleEndian.Uint32(b[4:]),
		address: binary.LittleEndian.Uint64(b[8:]), stride: binary.LittleEndian.Uint64(b[16:]),
	}
}

// An infoList is the place of infos: a VkDispatchGraphCountInfoAMDX.
type infoList struct {
	count           uint32
	address, stride uint64
}

// readInfoList decodes the bytes of a count info.
func readInfoList(b []byte) infoList {
	return infoList{count: binary.LittleEndian.Uint32(b), address: binary.LittleEndian.Uint64(b[8:]), stride: binary.LittleEndian.Uint64(b[16:])}
}

// span returns the bytes of count elements of size bytes, stride bytes apart. It returns an error if no memory is as large.
func span(count, size, stride uint64) (uint64, error) {
	if count == 0 {
		return 0, nil
	}
	if count > 1 && stride > (1<<40)/(count-1) {
		return 0, fmt.Errorf("found %d elements, %d bytes apart: want at most 2^40 bytes, as no memory is larger", count, stride)
	}
	return (count-1)*stride + size, nil
}

// readMemory returns the bytes at a device address, all of one buffer.
func readMemory(s *mem.Store, address, bytes uint64) ([]byte, error) {
	if bytes == 0 {
		return nil, nil
	}
	b := s.Find(address)
	if b == nil {
		return nil, fmt.Errorf("found address %#x: want one in a buffer", address)
	}
	at := address - b.Addr
	if at > b.Size || bytes > b.Size-at {
		return nil, fmt.Errorf("found address %#x, %d bytes from byte %d on: want them within the %d bytes of buffer %q", address, bytes, at, b.Size, b.Name)
	}
	return b.Bytes[at : at+bytes], nil
}

// readInfos reads the infos of an indirect dispatch, through a count info or not.
func readInfos(s *mem.Store, buffer *mem.Buffer, at *config.InfosAt) ([]graphInfo, error) {
	list := infoList{at.Count, buffer.Addr + at.Offset, at.Stride}
	if at.Counted {
		var err error
		if list, err = countInfo(s, buffer.Addr+at.Offset); err != nil {
			return nil, err
		}
	}
	return list.read(s)
}

func countInfo(s *mem.Store, address uint64) (list infoList, err error) {
	b, err := readMemory(s, address, infoBytes)
	if err != nil {
		return list, fmt.Errorf("count info: %w", err)
	}
	return readInfoList(b), nil
}

func (list infoList) read(s *mem.Store) ([]graphInfo, error) {
	if list.count > maxInfos {
		return nil, fmt.Errorf("found %d infos: want at most %d", list.count, maxInfos)
	}
	bytes, err := span(uint64(list.count), infoBytes, list.stride)
	if err != nil {
		return nil, fmt.Errorf("infos: %w", err)
	}
	data, err := readMemory(s, list.address, bytes)
	if err != nil {
		return nil, fmt.Errorf("infos: %w", err)
	}
	infos := make([]graphInfo, list.count)
	for i := range infos {
		infos[i] = readInfo(data[uint64(i)*list.stride:])
	}
	return infos, nil
}

// A graphEntry is an entry of a dispatch: known, or read from memory when the dispatch begins.
type graphEntry struct {
	graph.Entry
	resolve func() ([]graph.Entry, error) // nil: ready
}

// resolveEntries lists the entries of a dispatch that begins now.
func resolveEntries(entries []graphEntry) (list []graph.Entry, err error) {
	for i := range entries {
		e := &entries[i]
		if e.resolve == nil {
			list = append(list, e.Entry)
			continue
		}
		read, err := e.resolve()
		if err != nil {
			return nil, fmt.Errorf("%w: %w[%d]: %w", graph.ErrFault, errGraph, i, err)
		}
		list = append(list, read...)
	}
	return list, nil
}

// fromBuffer returns an entry whose payloads lie in a buffer, which an earlier step may write. Without a count, payloads fill the buffer.
func (r *runner) fromBuffer(n *graph.Node, d *config.PayloadDispatch) (graphEntry, error) {
	b := r.resources.buffers[r.resources.find(d.Buffer)]
	size, stride := uint64(n.PayloadBytes()), uint64(d.Stride)
	if d.Stride < 0 {
		stride = size
	}
	count := d.Count
	if !d.HasCount && stride > 0 && d.Offset < b.Size {
		count = (b.Size - d.Offset) / stride
	}
	bytes, err := span(count, size, stride)
	if err == nil && d.Offset+bytes > b.Size {
		err = fmt.Errorf("found %d payloads of %d bytes, %d bytes apart, from byte %d on: want them within the %d bytes of buffer %q", count, size, stride, d.Offset, b.Size, b.Name)
	}
	e := graphEntry{Entry: graph.Entry{Node: n, Count: count, Stride: int(stride)}}
	e.resolve = func() ([]graph.Entry, error) {
		now := e.Entry
		now.Data = append([]byte(nil), b.Bytes[d.Offset:d.Offset+bytes]...) // a copy, as the graph may write the buffer
		return []graph.Entry{now}, nil
	}
	return e, err
}

// indirect returns an entry that buffers describe.
func (r *runner) indirect(g *graph.Graph, at *config.InfosAt) graphEntry {
	return graphEntry{resolve: func() (list []graph.Entry, err error) {
		infos, err := readInfos(r.machine.Store, r.resources.buffers[r.resources.find(at.Buffer)], at)
		if err != nil {
			return nil, err
		}
		return infoEntries(infos, g, r.machine.Store)
	}}
}

func (list infoList) entries(g *graph.Graph, s *mem.Store) ([]graph.Entry, error) {
	infos, err := list.read(s)
	if err != nil {
		return nil, err
	}
	return infoEntries(infos, g, s)
}

func infoEntries(infos []graphInfo, g *graph.Graph, s *mem.Store) (list []graph.Entry, err error) {
	for i, info := range infos {
		e, err := info.entry(g, s)
		if err != nil {
			return nil, fmt.Errorf("info %d: %w", i, err)
		}
		list = append(list, e)
	}
	return list, nil
}

// entry reads the payloads of an info. Its node is the place in the job's nodes.
func (info *graphInfo) entry(g *graph.Graph, s *mem.Store) (e graph.Entry, err error) {
	if uint64(info.node) >= uint64(len(g.Nodes)) {
		return e, fmt.Errorf("found node %d: want less than %d, the number of nodes of the graph", info.node, len(g.Nodes))
	}
	n := g.Nodes[info.node]
	if err := n.Dispatchable(); err != nil {
		return e, err
	}
	if info.count > maxPayloads {
		return e, fmt.Errorf("node %v: found %d payloads: want at most %d", n, info.count, maxPayloads)
	}
	bytes := uint64(0)
	if size := uint64(n.PayloadBytes()); size > 0 { // else no payload is read
		if bytes, err = span(uint64(info.count), size, info.stride); err != nil {
			return e, fmt.Errorf("node %v: payloads: %w", n, err)
		}
	}
	data, err := readMemory(s, info.address, bytes)
	if err != nil {
		return e, fmt.Errorf("node %v: payloads: %w", n, err)
	}
	stride := info.stride
	if bytes == 0 {
		stride = 0
	}
	return graph.Entry{Node: n, Count: uint64(info.count), Data: append([]byte(nil), data...), Stride: int(stride)}, nil
}
