package judge

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // driver/radv.c
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"spvsim/spirv/validate"
)

//go:embed driver/radv.c
var source []byte

// manifests are the paths of RADV's manifest, for the loader.
var manifests = []string{"/usr/share/vulkan/icd.d/radeon_icd.x86_64.json", "/usr/share/vulkan/icd.d/radeon_icd.json", "/etc/vulkan/icd.d/radeon_icd.x86_64.json"}

// shim gives newer Mesas (26) a chip, in place of RADV_FORCE_FAMILY (Debian: mesa-drm-shim). shimmed has its chips by family;
// for fiji, one of the same ISA.
const shim = "/usr/lib/x86_64-linux-gnu/libamdgpu_noop_drm_shim.so"

var shimChips = map[string]string{"fiji": "polaris10", "navi21": "navi21", "gfx1100": "navi31"}

// compileTimeout bounds the compilation of a module: Mesa's compiler loops for minutes on some.
const compileTimeout = 60 * time.Second

// A Driver compiles with the RADV of this system, or of the system under root.
// answers, unless empty, is a folder that keeps what it has answered.
type Driver struct{ program, manifest, root, answers string }

// Open builds driver/radv.c, once for each user and version. The error is ErrAbsent if something is not installed.
var Open = sync.OnceValues(func() (*Driver, error) {
	m, err := manifestIn("")
	if err != nil {
		return nil, err
	}
	program, err := build()
	return &Driver{program: program, manifest: m}, err
})

// manifestIn returns the driver's manifest in the system under a folder; "": this system.
func manifestIn(root string) (string, error) {
	for _, m := range manifests {
		if _, err := os.Stat(filepath.Join(root, m)); err == nil {
			return m, nil
		}
	}
	return "", fmt.Errorf("%w: there is no %s (Debian: mesa-vulkan-drivers)", ErrAbsent, filepath.Join(root, manifests[0]))
}

// build compiles driver/radv.c into the user's cache.
func build() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "spvsim")
	path := filepath.Join(folder, fmt.Sprintf("radv-%x", sha256.Sum256(source))[:24])
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("judge: %w", err)
	}
	made, err := os.CreateTemp(folder, "radv-new-")
	if err != nil {
		return "", fmt.Errorf("judge: %w", err)
	}
	made.Close()
	defer os.Remove(made.Name())
	c := exec.Command("cc", "-O1", "-x", "c", "-o", made.Name(), "-", "-lvulkan")
	c.Stdin = bytes.NewReader(source)
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: a C compiler and the Vulkan loader's headers are needed (Debian: gcc libc6-dev libvulkan-dev): %v\n%s", ErrAbsent, err, out)
	}
	return path, os.Rename(made.Name(), path)
}

// A Request has the parameters of a compilation.
type Request struct {
	Module         *validate.Module
	Entry          string
	Specialization map[uint32]uint64 // SpecId -> bits of the value
	Family         string            // as RADV_FORCE_FAMILY names it
	WaveSize       int
}

// Compile compiles a module with the driver.
func (d *Driver) Compile(r *Request) (*Code, error) {
	text, err := layout(r)
	if err != nil {
		return nil, err
	}
	out, err := d.answer(r.Family, r.Module.Raw.Encode(binary.LittleEndian), text)
	if err != nil {
		return nil, err
	}
	return parse(out)
}

// refusal begins the file of a module that the driver refuses.
const refusal = "refused: "

// answer returns what the driver prints for a module and its layout, from the folder of answers if it is there.
func (d *Driver) answer(family string, module []byte, layout string) ([]byte, error) {
	if d.answers == "" {
		return d.ask(family, module, layout)
	}
	sum := sha256.Sum256(slices.Concat(module, source, []byte(d.root+"\n"+family+"\n"+layout)))
	file := filepath.Join(d.answers, hex.EncodeToString(sum[:20]))
	if out, err := os.ReadFile(file); err == nil {
		if why, refused := strings.CutPrefix(string(out), refusal); refused {
			return nil, fmt.Errorf("%w: %s", ErrRefused, why)
		}
		return out, nil
	}
	out, err := d.ask(family, module, layout)
	kept := out
	if errors.Is(err, ErrRefused) {
		kept = []byte(refusal + strings.TrimPrefix(err.Error(), ErrRefused.Error()+": "))
	} else if err != nil {
		return nil, err
	}
	return out, errors.Join(err, os.WriteFile(file, kept, 0o644))
}

// ask lets the driver compile a module.
func (d *Driver) ask(family string, module []byte, layout string) ([]byte, error) {
	folder := ""
	if d.root != "" {
		folder = filepath.Join(d.root, "tmp")
	}
	file, err := os.CreateTemp(folder, "spvsim-judge-*.spv")
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(module)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	return d.query(family, "module "+strings.TrimPrefix(file.Name(), d.root)+"\n"+layout)
}

func (d *Driver) query(family, request string) ([]byte, error) {
	ctx, done := context.WithTimeout(context.Background(), compileTimeout)
	defer done()
	c := exec.CommandContext(ctx, d.program)
	if d.root != "" {
		setRoot(c, d.root)
	}
	c.Env = append(os.Environ(), "RADV_FORCE_FAMILY="+family, "VK_ICD_FILENAMES="+d.manifest, "VK_DRIVER_FILES="+d.manifest, "MESA_SHADER_CACHE_DISABLE=true")
	if _, err := os.Stat(filepath.Join(d.root, shim)); err == nil {
		c.Env = append(c.Env, "LD_PRELOAD="+shim, "AMDGPU_GPU_ID="+shimChips[family])
	}
	c.Stdin = bytes.NewReader([]byte(request))
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: it compiles for longer than %v", ErrRefused, compileTimeout)
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		return nil, fmt.Errorf("%w: it has no device for %s", ErrAbsent, family)
	}
	return nil, fmt.Errorf("%w: %v: %s", ErrRefused, err, bytes.TrimSpace(said.Bytes()))
}
