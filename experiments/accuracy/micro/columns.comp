#version 450

// Windows of size x size points of a picture of many channels as columns, padded by one point: a lane for each point of a window of each
// place in a row of the result, places next to each other in neighbouring lanes.
layout(local_size_x = 512) in;

layout(set = 0, binding = 0) readonly buffer In { float picture[]; };
layout(set = 0, binding = 1) writeonly buffer Out { float columns[]; };
layout(push_constant) uniform Push { uint width, height, size, outWidth, channels; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= outWidth * size * size) {
        return;
    }
    uint row = gl_WorkGroupID.y;
    uint channel = gl_WorkGroupID.z;
    uint kx = i / (outWidth * size);
    uint ky = (i - kx * outWidth * size) / outWidth;
    uint column = i % outWidth;
    uint x = column + kx - 1;
    uint y = row + ky - 1;
    uint to = (row * outWidth + column) * channels * size * size + channel * size * size + ky * size + kx;
    columns[to] = x < width && y < height ? picture[(channel * height + y) * width + x] : 0.0;
}
