package driver
func CreateInstance() {}
func GetPhysicalDeviceFeatures2(){}
func GetPhysicalDeviceProperties2(){}
func CreateDevice() {}
func QueueSubmit() {}
func QueueSubmit2() {}
func CreateBuffer() {}
func CmdCopyImage2() {}
func CreateSampler() {}
func CreateComputePipelines() {}
