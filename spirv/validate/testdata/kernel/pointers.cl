kernel void pointers(global int *a, global int *b, global long *out, int n) {
  global int *p = n > 3 ? a : b;
  global int *end = p + n;
  long s = 0;
  while (p < end) { s += *p++; if (p == b + 2) p++; }
  global int *list[2] = {a, b};
  out[0] = s + (end - a) + list[n & 1][0];
  global int **q = &list[0];
  out[1] = (size_t)*q;
}
