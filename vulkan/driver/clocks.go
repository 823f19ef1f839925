package driver

import (
	"golang.org/x/sys/unix"

	"spvsim/vulkan/vk"
)

// clocks are the host's clocks that timestamps can be compared with.
var clocks = map[vk.TimeDomainKHR]int32{
	vk.TimeDomainClockMonotonicKhr: unix.CLOCK_MONOTONIC, vk.TimeDomainClockMonotonicRawKhr: unix.CLOCK_MONOTONIC_RAW,
}

// GetPhysicalDeviceCalibrateableTimeDomainsKHR is vkGetPhysicalDeviceCalibrateableTimeDomainsKHR.
func GetPhysicalDeviceCalibrateableTimeDomainsKHR(_ vk.PhysicalDevice, count *uint32, out *vk.TimeDomainKHR) vk.Result {
	return enumerate(count, out, []vk.TimeDomainKHR{vk.TimeDomainDeviceKhr, vk.TimeDomainClockMonotonicKhr, vk.TimeDomainClockMonotonicRawKhr})
}

// GetCalibratedTimestampsKHR is vkGetCalibratedTimestampsKHR. The device's clock stands while no work runs: simulated time has nothing to
// do with the host's, and the deviation says only how far apart the host's were read.
func GetCalibratedTimestampsKHR(h vk.Device, count uint32, infos *vk.CalibratedTimestampInfoKHR, out *uint64, deviation *uint64) vk.Result {
	d := get[*device_](uint64(h))
	to := items(out, count)
	first, last := now(unix.CLOCK_MONOTONIC), uint64(0)
	for i, info := range items(infos, count) {
		if info.TimeDomain == vk.TimeDomainDeviceKhr {
			to[i] = d.clock.Load()
			continue
		}
		clock, ok := clocks[info.TimeDomain]
		if !ok {
			fail(vk.ErrorUnknown, "time domain %d", info.TimeDomain)
		}
		to[i] = now(clock)
	}
	last = now(unix.CLOCK_MONOTONIC)
	*deviation = last - first + 1
	return d.result()
}

// now is a clock of the host in nanoseconds.
func now(clock int32) uint64 {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		fail(vk.ErrorUnknown, "%v", err)
	}
	return uint64(t.Nano())
}
