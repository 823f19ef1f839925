package measure

import (
	"context"
	"fmt"
	"io/fs"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"spvsim/internal/files"
	"spvsim/vulkan/device"
)

// Clocks are a device's clocks and state, as far as the system reports.
type Clocks struct {
	CoreMHz, MemoryMHz int     // 0: unknown
	Watts              float64 // 0: unknown
	State              string  // of power management; empty: unknown
	Display            bool    // a display is attached
}

// vendors of devices (PCI).
const (
	vendorAMD    = 0x1002
	vendorNVIDIA = 0x10de
)

// readClocks asks the system for the device's clocks now.
func readClocks(ctx context.Context, p *device.Physical) Clocks {
	switch p.Vendor() {
	case vendorNVIDIA:
		return nvidiaClocks(ctx)
	case vendorAMD:
		return amdClocks(files.OS(), "/sys/class/drm", p.DeviceID())
	}
	return Clocks{}
}

// nvidiaClocks asks nvidia-smi, which comes with the driver, for the first GPU.
func nvidiaClocks(ctx context.Context) (c Clocks) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--id=0", "--query-gpu=clocks.sm,clocks.mem,power.draw,pstate,display_active", "--format=csv,noheader,nounits").Output()
	if err != nil {
		return c
	}
	return parseNVIDIA(string(out))
}

func parseNVIDIA(line string) (c Clocks) {
	cells := strings.Split(strings.TrimSpace(line), ", ")
	if len(cells) != 5 {
		return c
	}
	c.CoreMHz, _ = strconv.Atoi(cells[0])
	c.MemoryMHz, _ = strconv.Atoi(cells[1])
	c.Watts, _ = strconv.ParseFloat(cells[2], 64)
	c.State, c.Display = cells[3], cells[4] == "Enabled"
	return c
}

// activeClock is the marked line of a list of clocks of the Linux driver amdgpu: "1: 1400Mhz *".
var activeClock = regexp.MustCompile(`(?m)^\d+: (\d+)M[Hh]z \*`)

// amdClocks reads the files of amdgpu of the card with that device id.
func amdClocks(fsys fs.FS, drm string, id uint32) (c Clocks) {
	for card := range 16 {
		dir := path.Join(drm, fmt.Sprintf("card%d", card))
		read := func(name string) string {
			data, _ := fs.ReadFile(fsys, path.Join(dir, "device", name))
			return strings.TrimSpace(string(data))
		}
		if found, err := strconv.ParseUint(strings.TrimPrefix(read("device"), "0x"), 16, 32); err != nil || uint32(found) != id {
			continue
		}
		clock := func(name string) (mhz int) {
			if m := activeClock.FindStringSubmatch(read(name)); m != nil {
				mhz, _ = strconv.Atoi(m[1])
			}
			return mhz
		}
		c.CoreMHz, c.MemoryMHz = clock("pp_dpm_sclk"), clock("pp_dpm_mclk")
		c.State = read("power_dpm_force_performance_level")
		return c
	}
	return c
}

// String words the clocks; empty: nothing is known.
func (c Clocks) String() string {
	var words []string
	if c.CoreMHz > 0 {
		words = append(words, fmt.Sprintf("core %d MHz", c.CoreMHz))
	}
	if c.MemoryMHz > 0 {
		words = append(words, fmt.Sprintf("memory %d MHz", c.MemoryMHz))
	}
	if c.Watts > 0 {
		words = append(words, fmt.Sprintf("%.0f W", c.Watts))
	}
	if c.State != "" {
		words = append(words, "state "+c.State)
	}
	return strings.Join(words, ", ")
}
