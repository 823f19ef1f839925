kernel void imageints(read_only image2d_t in, write_only image2d_t out, read_only image2d_array_t list, sampler_t s) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  uint4 x = read_imageui(in, s, p);
  int4 y = read_imagei(list, s, (int4)(p, 1, 0));
  write_imageui(out, p, x + as_uint4(y) + (uint)get_image_array_size(list));
}
