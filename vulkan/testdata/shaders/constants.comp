#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const int whole = -1;
layout(constant_id = 3) const float real = 0.5;
layout(constant_id = 4) const bool flag = false;
layout(constant_id = 5) const uint size = 2;
layout(constant_id = 6) const double wide = 1.0;
layout(set = 0, binding = 0) buffer Out { float words[8]; uint ran; };
shared uint part[size * 4];
void main() {
    part[gl_LocalInvocationIndex % (size * 4)] = 1;
    atomicAdd(ran, 1);
    words[0] = float(gl_WorkGroupSize.x);
    words[1] = float(gl_WorkGroupSize.y);
    words[2] = float(whole);
    words[3] = real;
    words[4] = flag ? 1.0 : 0.0;
    words[5] = float(part.length());
    words[6] = float(wide * 3.0);
    words[7] = float(whole * 2 + int(size));
}
