#version 450
// Each invocation says where it stands; three dimensions.
layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer Out { uvec4 seen[]; };
layout(push_constant) uniform Push { uvec3 base; uint width; uint height; };
void main() {
    uvec3 at = gl_GlobalInvocationID - base * gl_WorkGroupSize;
    uint i = (at.z * height + at.y) * width + at.x;
    seen[i] = uvec4(gl_GlobalInvocationID, gl_LocalInvocationIndex + 100 * (gl_WorkGroupID.x + 10 * gl_WorkGroupID.y + 100 * gl_WorkGroupID.z));
}
