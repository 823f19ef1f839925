package driver

import (
	"testing"

	"golang.org/x/sys/unix"

	"spvsim/vulkan/vk"
)

// stamps reads the times of domains, and their maximum deviation.
func stamps(d *logicalDevice, domains ...vk.TimeDomainKHR) (times []uint64, deviation uint64, result vk.Result) {
	infos := make([]vk.CalibratedTimestampInfoKHR, len(domains))
	for i := range domains {
		infos[i].TimeDomain = domains[i]
	}
	times = make([]uint64, len(domains))
	result = GetCalibratedTimestampsKHR(vk.Device(d.handle), uint32(len(domains)), &infos[0], &times[0], &deviation)
	return times, deviation, result
}

// The host's clocks are read within the deviation of each other; the device's counts its work, and not the host's time
// unless SPVSIM_CLOCK says so.
func TestCalibratedTimestamps(t *testing.T) {
	d := open(t)
	d.clock.Store(12345)
	list := []vk.TimeDomainKHR{vk.TimeDomainDeviceKhr}
	for range 100 {
		list = append(list, vk.TimeDomainClockMonotonicKhr, vk.TimeDomainClockMonotonicRawKhr)
	}
	before := now(unix.CLOCK_MONOTONIC)
	got, deviation, result := stamps(d, append(list, vk.TimeDomainDeviceKhr)...)
	after := now(unix.CLOCK_MONOTONIC)
	last := len(got) - 1
	if result != vk.Success || got[0] != 12345 || got[last] != 12345 {
		t.Errorf("result %d, the device's clock is %d and %d", result, got[0], got[last])
	}
	for i := 3; i < last; i++ {
		if got[i] < got[i-2] || i%2 == 1 && (got[i] < before || got[i] > after) {
			t.Errorf("time %d is %d after %d, and between %d and %d", i, got[i], got[i-2], before, after)
		}
	}
	if apart := got[last-2] - got[1]; deviation <= apart || deviation > after-before+1 {
		t.Errorf("a deviation of %d ns: times are %d apart, and all were read within %d", deviation, apart, after-before)
	}
	if err := misused(func() { stamps(d, vk.TimeDomainKHR(99)) }); err == nil {
		t.Error("a domain that is none has a time")
	}
}

// An idle device's clock continues with the host's where its work ended: it never goes back, stops while work runs, and
// is ahead of the host by the work's simulated time at most.
func TestIdleClock(t *testing.T) {
	var none *idleClock
	none.beginWork(7)
	none.endWork()
	if got := none.cycles(7); got != 0 {
		t.Errorf("without one, %d cycles pass", got)
	}
	const mhz = 1500
	c := newIdleClock(mhz)
	idle := func(worked uint64) (least, got, most uint64) { // the device's clock, and the host's around it
		least = (now(unix.CLOCK_MONOTONIC) - c.hostStart) * mhz / 1000
		got = worked + c.cycles(worked)
		return least, got, (now(unix.CLOCK_MONOTONIC) - c.hostStart) * mhz / 1000
	}
	if least, got, most := idle(0); got < least || got > most {
		t.Errorf("cycle %d, the host's is between %d and %d", got, least, most)
	}
	c.beginWork(0)
	first := c.cycles(0)
	for now(unix.CLOCK_MONOTONIC) < c.hostStart+first/mhz*1000+100_000 { // let some host time pass
	}
	if got := c.cycles(1000); got != first {
		t.Errorf("while work runs, cycles that nothing ran in go from %d to %d", first, got)
	}
	c.endWork()
	if least, got, most := idle(10); got < least || got > most {
		t.Errorf("after work, cycle %d, the host's is between %d and %d", got, least, most)
	}
	const ahead = 1 << 40 // cycles: some minutes
	if got := c.cycles(ahead); got != first {
		t.Errorf("a device that is ahead of the host passes %d cycles idle, want the %d before its work", got, first)
	}
}
