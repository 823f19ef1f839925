package config

import "spvsim/mem/fixed"

// InCoreCycles returns the machine with the costs of launches and of the host, which the command processor's clock paces
// (front_end.clock_mhz), in cycles of the core's. The memory levels convert theirs themselves.
func (m *Machine) InCoreCycles() *Machine {
	own, core := m.FrontEnd.ClockMHz, m.ClockMHz
	if own == 0 || own == core {
		return m
	}
	out := *m
	f, d, s, h := &out.FrontEnd, &out.Dispatcher, &out.Scheduler, &out.Host
	for _, cycles := range []*int{
		&f.PacketCycles, &f.LaunchCycles, &f.SignalCycles, &f.SliceLow, &f.SliceMedium, &f.SliceHigh, &f.SliceRealtime, &f.FetchCycles,
		&d.KernelLaunchCycles, &d.FollowingLaunch, &d.LaunchFloor,
		&s.FirmwareCycles, &s.FirmwareDispatch, &s.PassLaunchCycles, &s.BarrierCycles,
		&h.ToDeviceCycles, &h.FromDeviceCycles, &h.SmallCopyCycles, &h.Synchronize,
	} {
		if *cycles > 0 { // and so at least 1: slices and firmware_cycles are never 0
			*cycles = max(1, int(fixed.Rescale(uint64(*cycles), uint64(core), uint64(own))))
		}
	}
	for _, rate := range []*float64{&h.ToDeviceBytes, &h.FromDeviceBytes, &h.StagedBytes} {
		*rate *= float64(own) / float64(core)
	}
	f.ClockMHz = 0
	return &out
}
