package opencl

import "spvsim/spirv"

var mathRows, geometricRows = map[spirv.OpenCLstd]Row{}, map[spirv.OpenCLstd]Row{}
