package config

import (
	"testing"

	"spvsim/internal/suite"
)

// Every preset has the firmware costs of RDNA 3, in time: 23 us for a dispatch, converted to the machine's clock, and
// 300 cycles for up to 128 launches that start together (rdna3-rx7900xtx.yaml has the measurements).
func TestFirmwareOfPresets(t *testing.T) {
	for _, name := range Presets() {
		m := suite.Must(LoadMachine(Request{Machine: name}))(t)
		q := &m.Scheduler
		if want := 23 * m.ClockMHz; q.FirmwareDispatch != want || q.FirmwareCycles != 300 || q.FirmwareLaunches != 128 {
			t.Errorf("%s: firmware takes %d cycles for a dispatch, and %d for %d launches: want %d, and 300 for 128",
				name, q.FirmwareDispatch, q.FirmwareCycles, q.FirmwareLaunches, want)
		}
	}
}
