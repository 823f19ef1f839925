// Images and samplers.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t repeated = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;

kernel void copied(read_only image2d_t from, write_only image2d_t to) {
    const int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, p, read_imagef(from, nearest, p).wzyx + 1.0f);
}

kernel void sampled(read_only image2d_t from, global float4 *out, global int *sizes) {
    const int x = get_global_id(0), y = get_global_id(1);
    const float2 p = (float2)((x + 0.5f) / 8, (y + 0.5f) / 4);
    out[y * 8 + x] = read_imagef(from, repeated, p + (float2)(0.5f, -0.25f)) + read_imagef(from, nearest, (float2)(x - 1, y + 0.5f));
    sizes[0] = get_image_width(from);
    sizes[1] = get_image_height(from);
}

kernel void integers(read_only image2d_t from, write_only image2d_t to) {
    const int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, p, (read_imageui(from, p) & 63u) * 3);
}

// Samplers as arguments.
kernel void filtered(read_only image2d_t from, sampler_t s, global const float2 *at, global float4 *out) {
    const int i = get_global_id(0);
    out[i] = read_imagef(from, s, at[i]);
}

kernel void filtered_line(read_only image1d_t from, sampler_t s, global const float *at, global float4 *out) {
    const int i = get_global_id(0);
    out[i] = read_imagef(from, s, at[i]);
}

kernel void filtered_volume(read_only image3d_t from, sampler_t s, global const float4 *at, global float4 *out) {
    const int i = get_global_id(0);
    out[i] = read_imagef(from, s, at[i]);
}

kernel void filtered_layer(read_only image2d_array_t from, sampler_t s, global const float4 *at, global float4 *out) {
    const int i = get_global_id(0);
    out[i] = read_imagef(from, s, at[i]);
}

kernel void whole_texels(read_only image2d_t from, sampler_t s, global const int2 *at, global uint4 *out) {
    const int i = get_global_id(0);
    out[i] = read_imageui(from, s, at[i]) + read_imageui(from, s, convert_float2(at[i]) + 0.25f);
}

constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
constant sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;

float4 sum(read_only image2d_t from, sampler_t a, sampler_t b, float2 at) {
    return read_imagef(from, a, at) + read_imagef(from, b, at);
}

kernel void declared(read_only image2d_t from, global const float2 *at, global float4 *out) {
    const int i = get_global_id(0);
    out[i] = sum(from, smooth, mirrored, at[i]);
}

// Integers beyond a channel become the nearest that it has.
kernel void saturated(global const int4 *in, write_only image2d_t bytes, write_only image2d_t shorts, write_only image2d_t unsigned_bytes, write_only image2d_t unsigned_shorts) {
    const int2 p = (int2)(get_global_id(0), get_global_id(1));
    const int4 v = in[p.y * 8 + p.x];
    write_imagei(bytes, p, v);
    write_imagei(shorts, p, v);
    write_imageui(unsigned_bytes, p, as_uint4(v));
    write_imageui(unsigned_shorts, p, as_uint4(v));
}
