package driver

import (
	"golang.org/x/sys/unix"

	"spvsim/vulkan/vk"
)

// clocks are the host's clocks that timestamps can be compared with.
var clocks = map[vk.TimeDomainKHR]int32{
	vk.TimeDomainClockMonotonicKhr: unix.CLOCK_MONOTONIC, vk.TimeDomainClockMonotonicRawKhr: unix.CLOCK_MONOTONIC_RAW,
}

func GetPhysicalDeviceCalibrateableTimeDomainsKHR(_ vk.PhysicalDevice, count *uint32, out *vk.TimeDomainKHR) vk.Result {
	return enumerate(count, out, []vk.TimeDomainKHR{vk.TimeDomainDeviceKhr, vk.TimeDomainClockMonotonicKhr, vk.TimeDomainClockMonotonicRawKhr})
}

// GetCalibratedTimestampsKHR is vkGetCalibratedTimestampsKHR. The device's clock stops while no work runs, unless
// SPVSIM_CLOCK is host. Simulated time is otherwise unrelated to the host's, so the deviation is only the time between
// the readings of the host's clocks.
func GetCalibratedTimestampsKHR(h vk.Device, count uint32, infos *vk.CalibratedTimestampInfoKHR, out *uint64, deviation *uint64) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	to := items(out, count)
	first, last := now(unix.CLOCK_MONOTONIC), uint64(0)
	for i, info := range items(infos, count) {
		if info.TimeDomain == vk.TimeDomainDeviceKhr {
			to[i] = d.now()
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

// An idleClock advances a device's time with the host's while nothing runs. Simulating takes the host longer than the
// work takes the device: after work, the device's clock continues at the host's present time, so that one calibration
// of both holds for all later timestamps, as on hardware.
type idleClock struct {
	mhz        uint64
	hostStart  uint64 // nanoseconds of the host
	idleCycles uint64 // idle cycles until the last work began
	working    bool
}

func newIdleClock(mhz int) *idleClock {
	return &idleClock{mhz: uint64(mhz), hostStart: now(unix.CLOCK_MONOTONIC)}
}

// A risingClock shows each reading at a later time than the one before, and the first above 0, because OpenCL's Mesa
// driver takes a timestamp of 0 for none. It advances by one step where no cycles have passed, as in functional mode.
type risingClock struct {
	step, last uint64
}

// newRisingClock returns a clock whose step is at least a nanosecond, the unit of OpenCL's profiling events.
func newRisingClock(mhz int) *risingClock {
	return &risingClock{step: uint64((mhz + nanosecondsAMHz - 1) / nanosecondsAMHz)}
}

// shown returns what a reading shows at a cycle.
func (c *risingClock) shown(cycle uint64) uint64 {
	if c == nil {
		return cycle
	}
	c.last = max(c.last, cycle) + c.step
	return c.last
}

// cycles returns the idle cycles so far, given those that work took. A device that is ahead of the host waits for it.
func (c *idleClock) cycles(worked uint64) uint64 {
	if c == nil {
		return 0
	}
	if c.working {
		return c.idleCycles
	}
	host := now(unix.CLOCK_MONOTONIC) - c.hostStart
	return max(c.idleCycles+worked, host/1000*c.mhz+host%1000*c.mhz/1000) - worked
}

// beginWork and end mark the start and the end of work.
func (c *idleClock) beginWork(worked uint64) {
	if c != nil {
		c.idleCycles, c.working = c.cycles(worked), true
	}
}

func (c *idleClock) endWork() {
	if c != nil {
		c.working = false
	}
}

// now is the device's clock, as timestamps are of it.
func (d *logicalDevice) now() uint64 {
	worked := d.clock.Load()
	return d.rising.shown(worked + d.idle.cycles(worked))
}

// nanoseconds returns the simulated time of all work so far.
func (d *logicalDevice) nanoseconds() uint64 {
	return d.clock.Load() * 1000 / uint64(d.physical.machine.ClockMHz)
}
