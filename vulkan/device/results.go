package device

import (
	"errors"
	"fmt"

	"spvsim/vulkan/vk"
)

// Failures that callers tell apart.
var (
	ErrLost    = errors.New("the device was lost")
	ErrTimeout = errors.New("the device did not end in time")
	ErrMemory  = errors.New("not enough memory")
)

// results are the words of results.
var results = map[vk.Result]error{
	vk.ErrorOutOfHostMemory:      fmt.Errorf("%w of the host (VK_ERROR_OUT_OF_HOST_MEMORY)", ErrMemory),
	vk.ErrorOutOfDeviceMemory:    fmt.Errorf("%w of the device (VK_ERROR_OUT_OF_DEVICE_MEMORY)", ErrMemory),
	vk.ErrorDeviceLost:           fmt.Errorf("%w (VK_ERROR_DEVICE_LOST)", ErrLost),
	vk.Timeout:                   fmt.Errorf("%w (VK_TIMEOUT)", ErrTimeout),
	vk.ErrorInitializationFailed: errors.New("the driver did not start (VK_ERROR_INITIALIZATION_FAILED)"),
	vk.ErrorIncompatibleDriver:   errors.New("the loader finds no driver (VK_ERROR_INCOMPATIBLE_DRIVER): want one with its manifest in share/vulkan/icd.d (Debian: mesa-vulkan-drivers)"),
	vk.ErrorFeatureNotPresent:    errors.New("the device lacks a feature (VK_ERROR_FEATURE_NOT_PRESENT)"),
	vk.ErrorExtensionNotPresent:  errors.New("the device lacks an extension (VK_ERROR_EXTENSION_NOT_PRESENT)"),
	vk.ErrorFormatNotSupported:   errors.New("the device lacks a texel format (VK_ERROR_FORMAT_NOT_SUPPORTED)"),
	vk.ErrorOutOfPoolMemory:      errors.New("too many descriptors (VK_ERROR_OUT_OF_POOL_MEMORY)"),
	vk.ErrorUnknown:              errors.New("the driver failed (VK_ERROR_UNKNOWN)"),
}

// resultError words a result that is not Success.
func resultError(r vk.Result) error {
	if err := results[r]; err != nil {
		return err
	}
	return fmt.Errorf("the driver failed (VkResult %d)", r)
}

// call is nil where a command succeeded, and names it otherwise.
func call(name string, r vk.Result) error {
	if r == vk.Success {
		return nil
	}
	return fmt.Errorf("%s: %w", name, resultError(r))
}
