// Lloyd's algorithm for k-means: assign gives each point the nearest centroid, update moves each centroid to the mean of
// its points. Points are stored feature by feature.
#define FEATURES 4
#define GROUP 128

kernel void assign(global const float *restrict points, constant float4 *centroids, global int *restrict membership, int n, int k)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    const float4 p = (float4)(points[i], points[n + i], points[2 * n + i], points[3 * n + i]);
    int nearest = 0;
    float least = FLT_MAX;
    for (int c = 0; c < k; c++) {
        const float4 d = p - centroids[c];
        const float distance = dot(d, d);
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    membership[i] = nearest;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void update(global const float *restrict points, global float4 *restrict centroids, global const int *restrict membership, int n)
{
    local float4 sums[GROUP];
    local int counts[GROUP];
    const int lane = get_local_id(0), cluster = get_group_id(0);

    float4 sum = (float4)(0.0f);
    int count = 0;
    for (int i = lane; i < n; i += GROUP)
        if (membership[i] == cluster) {
            sum += (float4)(points[i], points[n + i], points[2 * n + i], points[3 * n + i]);
            count++;
        }
    sums[lane] = sum;
    counts[lane] = count;
    for (int width = GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) {
            sums[lane] += sums[lane + width];
            counts[lane] += counts[lane + width];
        }
    }
    if (lane == 0 && counts[0] > 0)
        centroids[cluster] = sums[0] / (float)counts[0];
}
