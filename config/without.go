package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// withouts maps the name of a cost to the machine settings that remove it.
//
// launches: what the host, a queue or a command stream spends on a launch before its first workgroup may be placed, and
// the least time of a launch. The cost of placing a wave (dispatcher.launch_latency) and that of a graph's scheduler
// for each payload stay: they are work of the machine during a launch.
var withouts = map[string][]string{
	"launches": {
		"dispatcher.kernel_launch_cycles=0", "dispatcher.following_launch_cycles=0", "dispatcher.launch_floor_cycles=0",
		"front_end.packet_cycles=0", "front_end.launch_cycles=0",
		"scheduler.firmware_dispatch_cycles=0", "scheduler.pass_launch_cycles=0",
	},
}

// WithoutNames lists the names of the costs that Without removes.
func WithoutNames() []string { return slices.Sorted(maps.Keys(withouts)) }

// WithoutSettings returns the settings (path=value) that remove costs.
func WithoutSettings(names []string) (settings []string, err error) {
	for _, name := range names {
		list, ok := withouts[name]
		if !ok {
			return nil, fmt.Errorf("found %q: want one of %s%s", name, strings.Join(WithoutNames(), ", "), hint(name, WithoutNames()))
		}
		settings = append(settings, list...)
	}
	return settings, nil
}
