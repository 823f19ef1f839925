package device

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
)

// open opens Mesa's software device, or skips.
func open(t *testing.T) *Device {
	t.Helper()
	i, err := Open()
	if errors.Is(err, ErrLoader) {
		t.Skip("no Vulkan loader (Debian package libvulkan1)")
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := i.Find("llvmpipe")
	if err != nil {
		t.Skip("no software device (Debian package mesa-vulkan-drivers)")
	}
	d := suite.Must(p.Open(time.Now().Add(time.Minute)))(t)
	t.Cleanup(func() { d.Close(); i.Close() })
	return d
}

const doubles = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %gid
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %factor SpecId 3
OpDecorate %array ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%u0 = OpConstant %uint 0
%factor = OpSpecConstant %uint 2
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%p_in3 = OpTypePointer Input %uint3
%p_in = OpTypePointer Input %uint
%p_block = OpTypePointer Uniform %block
%p_word = OpTypePointer Uniform %uint
%gid = OpVariable %p_in3 Input
%data = OpVariable %p_block Uniform
%main = OpFunction %void None %fn
%entry = OpLabel
%ip = OpAccessChain %p_in %gid %u0
%i = OpLoad %uint %ip
%p = OpAccessChain %p_word %data %u0 %i
%v = OpLoad %uint %p
%w = OpIMul %uint %v %factor
OpStore %p %w
OpReturn
OpFunctionEnd
`

// Bytes go to the device and come back, a shader changes them, and times pass.
func TestDispatch(t *testing.T) {
	d := open(t)
	b := suite.Must(d.NewBuffer(16))(t)
	suite.OK(t, d.Upload(b, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}))
	m := suite.Must(asm.Assemble([]byte(doubles), "doubles.spvasm"))(t)
	m.Version = 0x10000
	p := suite.Must(d.NewPipeline(&Shader{Words: m.Words(), Entry: "main", Constants: []Constant{{3, 5, 4}}, Bindings: []Binding{{Binding: 1, Kind: StorageBuffer, Count: 1}}}))(t)
	sets := suite.Must(d.NewSets(p, []Descriptor{{Binding: 1, Buffer: b, Bytes: 16}}))(t)
	stamps := suite.Must(d.NewTimestamps(2))(t)
	suite.OK(t, d.Do(func(c *Commands) error {
		c.Reset(stamps)
		c.Barrier()
		c.Write(stamps, 0)
		c.Dispatch(p, sets, nil, &Grid{Groups: [3]uint32{1, 1, 1}})
		c.Barrier()
		c.Write(stamps, 1)
		return nil
	}))
	got := suite.Must(d.Download(b, 16))(t)
	if want := []byte{5, 0, 0, 0, 10, 0, 0, 0, 15, 0, 0, 0, 20, 0, 0, 0}; !bytes.Equal(got, want) {
		t.Errorf("found % x: want % x", got, want)
	}
	if times := suite.Must(stamps.Nanoseconds(2))(t); times[0] != 0 || !(times[1] > 0) {
		t.Errorf("times %v: want 0 and more", times)
	}
}

func TestNeeds(t *testing.T) {
	d := open(t)
	none := d.Missing(&Need{Version: 0x10300, Capabilities: []string{"Shader", "GroupNonUniformBallot"}, Extensions: []string{"SPV_KHR_storage_buffer_storage_class"}})
	if len(none) > 0 {
		t.Errorf("lacks %q: want nothing", none)
	}
	all := strings.Join(d.Missing(&Need{Version: 0x10900, Capabilities: []string{"ShaderEnqueueAMDX", "Groups", "NoSuchCapability"}, Extensions: []string{"SPV_AMD_gcn_shader"}}), "; ")
	want := "SPIR-V 1.9; capability ShaderEnqueueAMDX (the feature shaderEnqueue); capability Groups; capability NoSuchCapability; extension SPV_AMD_gcn_shader (VK_AMD_gcn_shader)"
	if all != want {
		t.Errorf("found %s\nwant %s", all, want)
	}
	if list := d.Exceeds(&Workgroup{Size: [3]uint32{1, 1, 1}, PushBytes: 64}); len(list) > 0 {
		t.Errorf("exceeds %q: want nothing", list)
	}
	if list := d.Exceeds(&Workgroup{Size: [3]uint32{1 << 20, 1, 1}, SharedBytes: 1 << 30, PushBytes: 1 << 20}); len(list) != 4 {
		t.Errorf("exceeds %q: want four limits", list)
	}
}

func TestFind(t *testing.T) {
	d := open(t)
	i := d.instance
	for name, want := range map[string]string{"99": "found number 99", "no such device": "found 0 with"} {
		if _, err := i.Find(name); !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", name, err, want)
		}
	}
	if p, err := i.Find("0"); err != nil || p != i.Devices[0] {
		t.Errorf("0 is %v, %v", p, err)
	}
}

// layers runs a test of this package in a process under the validation layers, and returns what they print.
func layers(t *testing.T, test string) string {
	t.Helper()
	c := exec.Command(suite.Must(os.Executable())(t), "-test.run", "^"+test+"$", "-test.v")
	c.Env = append(os.Environ(), "SPVSIM_UNDER_LAYERS=1", "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation", "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		if strings.Contains(string(out), "VK_ERROR_LAYER_NOT_PRESENT") || strings.Contains(string(out), "--- SKIP") {
			t.Skip("no validation layers (Debian package vulkan-validationlayers)")
		}
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestHazard copies twice to the same bytes without a barrier, under the layers.
func TestHazard(t *testing.T) {
	d := open(t)
	if os.Getenv("SPVSIM_UNDER_LAYERS") == "" {
		return // TestLayers runs it
	}
	a, b := suite.Must(d.NewBuffer(64))(t), suite.Must(d.NewBuffer(64))(t)
	suite.OK(t, d.Do(func(c *Commands) error {
		c.Copy(a, b, 0, 0, 64)
		c.Copy(a, b, 0, 0, 64)
		return nil
	}))
}

// The layers find nothing in a dispatch, and a hazard where there is one.
func TestLayers(t *testing.T) {
	open(t)
	if out := layers(t, "TestDispatch"); strings.Contains(out, "VUID-") || strings.Contains(out, "SYNC-HAZARD") {
		t.Error(out)
	}
	if out := layers(t, "TestHazard"); !strings.Contains(out, "SYNC-HAZARD-WRITE") {
		t.Errorf("no hazard is found:\n%s", out)
	}
}
