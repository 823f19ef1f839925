kernel void doubles(global double *a, double x) {
  size_t i = get_global_id(0);
  double y = a[i];
  a[i] = fma(y, x, sqrt(y)) / (x + 1.0) + pow(y, x) + sin(y) + (double)(int)y + convert_double_rtz((long)y);
}
