// Package measure runs jobs on a Vulkan device of this computer: it checks their expectations on the device's buffers, and times their
// launches by the device's timestamps. Read on in this order:
//
//	needs    what a job needs and a device lacks
//	memory   the job's buffers and images on the device
//	work     the job's launches as commands of the device
//	times    repetitions, and what is printed of them
//	clocks   the device's clocks, as the system reports them
//	measure  a measurement from its beginning to its end
package measure
