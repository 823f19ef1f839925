package driver

import (
	"fmt"
	"slices"
	"time"

	"spvsim/vulkan/vk"
)

// once holds the texts that were reported: each is reported once, and a bounded number in all, as a program may repeat
// a mistake in every frame.
type once map[string]bool

// next returns the message to report for a text; ok is false if there is none.
func (o once) next(text string, most int, what string) (say string, ok bool) {
	if o[text] || len(o) > most {
		return "", false
	}
	o[text] = true
	if len(o) > most {
		text = "more " + what + " are not listed"
	}
	return text, true
}

// mostWarnings bounds the different warnings of a kind that a device reports.
const mostWarnings = 10

// warn reports a violation of the API that the device executes all the same, since it has one meaning here. state is
// held.
func (d *logicalDevice) warn(command, format string, args ...any) {
	if d.observers.warned[format] == nil {
		d.observers.warned[format] = once{}
	}
	if text, ok := d.observers.warned[format].next(fmt.Sprintf(format, args...), mostWarnings, "warnings of this kind"); ok {
		report(command, misuse{text: "warning: " + text})
	}
}

// waitNotice is the host time after which a wait that nothing submitted can end is reported.
var waitNotice = 5 * time.Second

// reportEndlessWait reports a wait that nothing submitted can end, while the wait continues: another thread may still end it. The
// result ends the watch.
func (d *logicalDevice) reportEndlessWait() (end func()) {
	t := time.AfterFunc(waitNotice, func() {
		state.Lock()
		defer state.Unlock()
		switch {
		case d.lost != nil || d.worker.runs():
		case len(d.worker.pending) > 0:
			d.warn("wait", "a call has waited for %v, and no submission can begin: those that are pending wait for semaphores or events that nothing submitted signals", waitNotice)
		default:
			d.warn("wait", "a call has waited for %v, and no work is submitted: nothing signals the fence or semaphore, or writes the query", waitNotice)
		}
	})
	return func() { t.Stop() }
}

// destroy removes an object. Submitted work that uses it continues with its data.
func destroy[T any](h vk.Device, command string, handle uint64) (x T, ok bool) {
	o := objects[handle]
	if x, ok = removeObject[T](handle); ok {
		if d, there := lookUp[*logicalDevice](uint64(h)); there {
			d.freeing(command, o)
		}
	}
	return x, ok
}

// Commands that only end an object.
var (
	DestroyDebugUtilsMessengerEXT    = destroyer[*messenger, vk.Instance, vk.DebugUtilsMessengerEXT]("vkDestroyDebugUtilsMessengerEXT")
	DestroyPrivateDataSlot           = destroyer[*privateSlot, vk.Device, vk.PrivateDataSlot]("vkDestroyPrivateDataSlot")
	DestroyDescriptorSetLayout       = destroyer[*setLayout, vk.Device, vk.DescriptorSetLayout]("vkDestroyDescriptorSetLayout")
	DestroyIndirectCommandsLayoutEXT = destroyer[*indirectLayout, vk.Device, vk.IndirectCommandsLayoutEXT]("vkDestroyIndirectCommandsLayoutEXT")
	DestroyIndirectExecutionSetEXT   = destroyer[*executionSet, vk.Device, vk.IndirectExecutionSetEXT]("vkDestroyIndirectExecutionSetEXT")
	DestroyImage                     = destroyer[*image, vk.Device, vk.Image]("vkDestroyImage")
	DestroyImageView                 = destroyer[*imageView, vk.Device, vk.ImageView]("vkDestroyImageView")
	DestroyBufferView                = destroyer[*bufferView, vk.Device, vk.BufferView]("vkDestroyBufferView")
	DestroySampler                   = destroyer[*sampler, vk.Device, vk.Sampler]("vkDestroySampler")
	DestroyBuffer                    = destroyer[*buffer, vk.Device, vk.Buffer]("vkDestroyBuffer")
	DestroyPipelineCache             = destroyer[*pipelineCache, vk.Device, vk.PipelineCache]("vkDestroyPipelineCache")
	DestroyShaderModule              = destroyer[*shaderModule, vk.Device, vk.ShaderModule]("vkDestroyShaderModule")
	DestroyPipelineLayout            = destroyer[*pipelineLayout, vk.Device, vk.PipelineLayout]("vkDestroyPipelineLayout")
	DestroyPipeline                  = destroyer[*pipeline, vk.Device, vk.Pipeline]("vkDestroyPipeline")
	DestroySemaphore                 = destroyer[*semaphore, vk.Device, vk.Semaphore]("vkDestroySemaphore")
	DestroyEvent                     = destroyer[*event, vk.Device, vk.Event]("vkDestroyEvent")
	DestroyDescriptorUpdateTemplate  = destroyer[*updateTemplate, vk.Device, vk.DescriptorUpdateTemplate]("vkDestroyDescriptorUpdateTemplate")
)

func destroyer[T any, O, H ~uint64](command string) func(O, H, *vk.AllocationCallbacks) {
	return func(owner O, h H, _ *vk.AllocationCallbacks) { destroy[T](vk.Device(owner), command, uint64(h)) }
}

// freeing warns of an object that ends while submitted work uses it.
func (d *logicalDevice) freeing(command string, o *object) {
	if d.worker.uses(o) {
		d.warn(command, "%v ends while submitted work uses it: wait for a fence of that work first", o)
	}
}

// uses reports whether submitted work that has not ended uses an object.
func (w *worker) uses(o *object) bool {
	of := func(s *submission) bool { return !s.finished && s.uses(o) }
	return slices.ContainsFunc(w.running, of) || slices.ContainsFunc(w.pending, of) ||
		slices.ContainsFunc(w.plans, func(p *plan) bool { return slices.ContainsFunc(p.submissions, of) })
}

// uses reports whether commands, or the descriptors that they read, refer to an object.
func (s *submission) uses(o *object) bool {
	return s.described[o] || slices.ContainsFunc(s.buffers, func(b *commandBuffer) bool { return b.object == o || b.used[o] })
}

// checkUsage warns about a resource that was created without a usage.
func (b *buffer) checkUsage(command string, usage vk.BufferUsageFlags, name string) {
	if b.usage&usage == 0 {
		b.device.warn(command, "%v was not created with usage VK_BUFFER_USAGE_%s_BIT", b.object, name)
	}
}

func (i *image) checkUsage(command string, usage vk.ImageUsageFlags, name string) {
	if i.usage&usage == 0 {
		i.device.warn(command, "%v was not created with usage VK_IMAGE_USAGE_%s_BIT", i.object, name)
	}
}
