package scheduler

import "spvsim/cu"

// A placer puts workgroups of several programs on compute units, at the rates of
// the dispatcher.
type placer struct {
	cluster  *cu.Cluster
	engines  []engine
	full     []bool // by engine and node: nothing of it fits until something is given back
	nodes    int
	turn     int
	groupGap uint64
	waveGap  uint64
	latency  uint64
	from     *engine
	now      uint64
	start    func(int) uint64
}

func newPlacer(s *Spec, c *cu.Cluster, nodes int) placer {
	p := placer{cluster: c, nodes: nodes, groupGap: gap(s.WorkgroupsPerCycle), waveGap: gap(s.WavesPerCycle),
		latency: uint64(s.LaunchLatency), full: make([]bool, s.Engines*nodes)}
	for i := range s.Engines {
		p.engines = append(p.engines, engine{first: i * s.Units, units: s.Units})
	}
	return p
}

// freed: something was given back on an engine.
func (p *placer) freed(engine int) { clear(p.full[engine*p.nodes : (engine+1)*p.nodes]) }

// find looks for a compute unit with room for a workgroup of a node, on the
// engines first to first+n-1. Where only rates are in the way, at is from when
// they allow it.
func (p *placer) find(now uint64, n *Node, first, engines int) (unit *cu.ComputeUnit, at uint64) {
	at = cu.Never
	for range engines {
		i := first
		if engines > 1 {
			i = p.turn
			if p.turn++; p.turn == len(p.engines) {
				p.turn = 0
			}
		}
		e := &p.engines[i]
		switch {
		case p.full[i*p.nodes+n.id]:
		case e.opensAt() > now:
			at = min(at, e.opensAt())
		default:
			if u := p.unit(e, n); u != nil {
				p.from, p.now = e, now
				return u, now
			}
			p.full[i*p.nodes+n.id] = true
		}
	}
	return nil, at
}

func (p *placer) unit(e *engine, n *Node) *cu.ComputeUnit {
	for range e.units {
		u := p.cluster.Units[e.first+e.nextUnit]
		if e.nextUnit++; e.nextUnit == e.units {
			e.nextUnit = 0
		}
		if u.Fits(n.Launch.Need) {
			return u
		}
	}
	return nil
}

// put places a workgroup on the unit that find found.
func (p *placer) put(now uint64, u *cu.ComputeUnit, n *Node, wg *cu.Workgroup) {
	p.from.groupAt = max(p.from.groupAt, now<<fraction) + p.groupGap
	u.Place(now, n.Launch, wg, p.start)
}

// startWave books the start of a wave on the engine that is being given a workgroup.
func (p *placer) startWave(int) uint64 {
	at := max(p.from.waveAt, p.now<<fraction)
	p.from.waveAt = at + p.waveGap
	return at>>fraction + p.latency
}
