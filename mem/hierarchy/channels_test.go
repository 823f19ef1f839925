package hierarchy

import "testing"

// Addresses of a channel are its own, one after the other, whatever the number of channels.
func TestAddressesWithinChannels(t *testing.T) {
	for _, channels := range []int{1, 2, 3, 4, 6, 8, 12, 16} {
		s := tiny()
		s.Memory.Channels, s.Memory.InterleaveBytes = channels, 256
		m := &dramChannels{device: newDevice(&s.Memory)}
		seen := make([]map[uint64]bool, channels)
		const units = 240
		for unit := range uint64(units) {
			for _, at := range []uint64{0, 1, 255} {
				channel, local := m.withinChannel(unit*256 + at)
				if channel >= uint64(channels) || local&255 != at || local>>8 > units/uint64(channels) {
					t.Fatalf("%d channels: address %d is %d of channel %d", channels, unit*256+at, local, channel)
				}
				if seen[channel] == nil {
					seen[channel] = map[uint64]bool{}
				}
				if seen[channel][local] {
					t.Fatalf("%d channels: %d of channel %d is two addresses", channels, local, channel)
				}
				seen[channel][local] = true
			}
		}
		for i, s := range seen {
			if len(s) != 3*units/channels {
				t.Errorf("%d channels: %d addresses of channel %d", channels, len(s), i)
			}
		}
	}
}
