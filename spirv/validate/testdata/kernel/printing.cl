kernel void printing(global const int *a) {
  size_t i = get_global_id(0);
  if (i == 0) printf("first %d of %s %v4hlf\n", a[i], "many", (float4)(1, 2, 3, 4));
}
