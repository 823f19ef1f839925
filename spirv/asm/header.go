package asm

import (
	"fmt"
	"strconv"
	"strings"
)

// generators lists the tools by the number in the generator word's high half, from the registry of SPIR-V generators.
var generators = [...]string{
	"Khronos", "LunarG", "Valve", "Codeplay", "NVIDIA", "ARM",
	"Khronos LLVM/SPIR-V Translator", "Khronos SPIR-V Tools Assembler",
	"Khronos Glslang Reference Front End", "Qualcomm", "AMD", "Intel",
	"Imagination", "Google Shaderc over Glslang", "Google spiregg",
	"Google rspirv", "X-LEGEND Mesa-IR/SPIR-V Translator",
	"Khronos SPIR-V Tools Linker", "Wine VKD3D Shader Compiler",
	"Tellusim Clay Shader Compiler",
	"W3C WebGPU Group WHLSL Shader Translator", "Google Clspv",
	"Google MLIR SPIR-V Serializer", "Google Tint Compiler",
	"Google ANGLE Shader Compiler", "Netease Games Messiah Shader Compiler",
	"Xenia Xenia Emulator Microcode Translator",
	"Embark Studios Rust GPU Compiler Backend", "gfx-rs community Naga",
	"Mikkosoft Productions MSP Shader Compiler",
	"SpvGenTwo community SpvGenTwo SPIR-V IR Tools", "Google Skia SkSL",
	"TornadoVM SPIRV Beehive Toolkit", "DragonJoker ShaderWriter",
	"Rayan Hatout SPIRVSmith", "Saarland University Shady",
	"Taichi Graphics Taichi",
}

func generatorName(tool uint32) string {
	if int(tool) < len(generators) {
		return generators[tool]
	}
	return fmt.Sprintf("Unknown(%d)", tool)
}

// header holds the declarations of comments before the first instruction.
type header struct {
	version   uint32 // 0 if not declared
	generator uint32
	bound     uint32
}

func parseHeader(comments []string) header {
	var h header
	for _, c := range comments {
		key, value, _ := strings.Cut(c, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "Version":
			h.version = parseVersion(value)
		case "Generator":
			h.generator = parseGenerator(value)
		case "Bound":
			n, _ := strconv.ParseUint(value, 10, 32)
			h.bound = uint32(n)
		}
	}
	return h
}

// parseVersion reads 1.0 to 1.6; anything else is a comment like others.
func parseVersion(s string) uint32 {
	if len(s) == 3 && s[:2] == "1." && '0' <= s[2] && s[2] <= '6' {
		return 1<<16 | uint32(s[2]-'0')<<8
	}
	return 0
}

func parseGenerator(s string) uint32 {
	i := strings.LastIndex(s, "; ")
	if i < 0 {
		return 0
	}
	misc, err := strconv.ParseUint(s[i+2:], 10, 16)
	if err != nil {
		return 0
	}
	tool, unknown := s[:i], uint64(0)
	if number, ok := strings.CutPrefix(tool, "Unknown("); ok {
		unknown, _ = strconv.ParseUint(strings.TrimSuffix(number, ")"), 10, 16)
	}
	for i, name := range generators {
		if name == tool {
			unknown = uint64(i)
		}
	}
	return uint32(unknown)<<16 | uint32(misc)
}
