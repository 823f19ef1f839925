// Twins in OpenCL C of measured kernels (../kernels/*.comp): the same work, divided alike. Buffers come in the order of their bindings there,
// then the push constants.

kernel void vectoradd(global float *restrict a, global const float *restrict b, global const float *restrict c, uint n) {
    const uint i = get_global_id(0);
    if (i < n)
        a[i] = b[i] + c[i];
}

kernel void relu(global const float *restrict a, global float *restrict o, int n) {
    const int i = get_global_id(0);
    if (i < n)
        o[i] = a[i] > 0.0f ? a[i] : 0.0f;
}

kernel void shoc_triad(global float *restrict a, global const float *restrict b, global const float *restrict c, uint n) {
    const uint i = get_global_id(0);
    if (i < n)
        a[i] = b[i] + 1.75f * c[i];
}

kernel void fir(global const float *restrict samples, global const float *restrict coefficients, global const float *restrict history, global float *restrict filtered, uint taps) {
    const uint i = get_global_id(0);
    float sum = 0.0f;
    for (uint t = 0; t < taps; t++) {
        if (i >= t)
            sum += coefficients[t] * samples[i - t];
        else
            sum += coefficients[t] * history[taps + i - t];
    }
    filtered[i] = sum;
}

kernel __attribute__((reqd_work_group_size(16, 16, 1))) void matrixtranspose(global const float4 *restrict source, global float4 *restrict target, uint n) {
    local float4 tile[64 * 16];
    const uint x = get_local_id(0), y = get_local_id(1);
    const uint blockX = (get_group_id(0) + get_group_id(1)) % get_num_groups(0), blockY = get_group_id(1), pitch = n / 4;
    const uint from = (blockY * 64 + y * 4) * pitch + blockX * 16 + x, in4 = y * 64 + x;
    tile[in4] = source[from];
    tile[in4 + 16] = source[from + pitch];
    tile[in4 + 32] = source[from + 2 * pitch];
    tile[in4 + 48] = source[from + 3 * pitch];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint out4 = x * 64 + y;
    const float4 v0 = tile[out4], v1 = tile[out4 + 16], v2 = tile[out4 + 32], v3 = tile[out4 + 48];
    const uint to = (blockX * 64 + y * 4) * pitch + blockY * 16 + x;
    target[to] = (float4)(v0.x, v1.x, v2.x, v3.x);
    target[to + pitch] = (float4)(v0.y, v1.y, v2.y, v3.y);
    target[to + 2 * pitch] = (float4)(v0.z, v1.z, v2.z, v3.z);
    target[to + 3 * pitch] = (float4)(v0.w, v1.w, v2.w, v3.w);
}

kernel __attribute__((reqd_work_group_size(16, 16, 1))) void parboil_sgemm(global const float *restrict a, global const float *restrict b, global float *restrict c, uint n) {
    local float tA[16][16], tB[16][16];
    const uint tx = get_local_id(0), ty = get_local_id(1);
    const uint row = get_group_id(1) * 16 + ty, col = get_group_id(0) * 16 + tx;
    float sum = 0.0f;
    for (uint t = 0; t < n / 16; t++) {
        tA[ty][tx] = a[row * n + t * 16 + tx];
        tB[ty][tx] = b[(t * 16 + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 16; k++)
            sum += tA[ty][k] * tB[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = 1.5f * sum + 1.2f * c[row * n + col];
}

kernel void parboil_histogram(global const uint *restrict data, global uint *restrict hist, uint n) {
    const uint i = get_global_id(0);
    if (i < n)
        atomic_inc(&hist[data[i] & 255]);
}

float normal(float d) {
    const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    const float c = 0.39894228f * exp(-0.5f * d * d) *
        (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0.0f ? 1.0f - c : c;
}

kernel void tango_blackscholes(global const float *restrict price, global const float *restrict strike, global const float *restrict years,
                               global const float *restrict volatility, global float *restrict call, global float *restrict put, uint n) {
    const float r = 0.02f;
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    const float s = price[i], x = strike[i], t = years[i], v = volatility[i], root = sqrt(t);
    const float d1 = (log(s / x) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
    const float n1 = normal(d1), n2 = normal(d2), discounted = x * exp(-r * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

kernel void nbody(global const float4 *restrict bodies, global const float4 *restrict velocities, global float4 *restrict newBodies,
                  global float4 *restrict newVelocities, global float4 *restrict scratch, uint n, float dt, float softening, uint tile) {
    const uint i = get_global_id(0), slice = get_group_id(0) * tile, lane = get_local_id(0);
    const float4 me = bodies[i];
    float3 pull = 0.0f;
    for (uint start = 0; start < n; start += tile) {
        scratch[slice + lane] = bodies[start + lane];
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint j = 0; j < tile; j++) {
            const float4 other = scratch[slice + j];
            const float3 r = other.xyz - me.xyz;
            const float inverse = 1.0f / sqrt(dot(r, r) + softening);
            pull += other.w * inverse * inverse * inverse * r;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    const float3 v = velocities[i].xyz;
    newBodies[i] = (float4)(me.xyz + v * dt + 0.5f * dt * dt * pull, me.w);
    newVelocities[i] = (float4)(v + pull * dt, velocities[i].w);
}

#define ROWS 16
#define HALOED(row, col, pitch) (((row) + 1) * ((pitch) + 2) + ((col) + 1))

kernel __attribute__((reqd_work_group_size(1, 64, 1))) void stencil2d(global const float *restrict data, global float *restrict newData, int alignment, float wCenter, float wCardinal, float wDiagonal) {
    local float sh[(ROWS + 2) * (64 + 2)];
    const int lidRow = get_local_id(0), lidCol = get_local_id(1);
    const int gRow = (int)get_group_id(0) * ROWS + lidRow, gCol = (int)get_group_id(1) * 64 + lidCol;
    const int nCols = (int)get_num_groups(1) * 64 + 2;
    const int width = nCols + (nCols % alignment == 0 ? 0 : alignment - nCols % alignment) - 2;
    for (int i = 0; i < ROWS + 2; i++)
        sh[HALOED(lidRow - 1 + i, lidCol, 64)] = data[HALOED(gRow - 1 + i, gCol, width)];
    if (lidCol == 0) {
        for (int i = 0; i < ROWS + 2; i++)
            sh[HALOED(lidRow - 1 + i, lidCol - 1, 64)] = data[HALOED(gRow - 1 + i, gCol - 1, width)];
    } else if (lidCol == 63) {
        for (int i = 0; i < ROWS + 2; i++)
            sh[HALOED(lidRow - 1 + i, lidCol + 1, 64)] = data[HALOED(gRow - 1 + i, gCol + 1, width)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < ROWS; i++) {
        const int row = lidRow + i;
        const float cardinal = sh[HALOED(row - 1, lidCol, 64)] + sh[HALOED(row + 1, lidCol, 64)] + sh[HALOED(row, lidCol + 1, 64)] + sh[HALOED(row, lidCol - 1, 64)];
        const float diagonal = sh[HALOED(row - 1, lidCol + 1, 64)] + sh[HALOED(row + 1, lidCol + 1, 64)] + sh[HALOED(row - 1, lidCol - 1, 64)] + sh[HALOED(row + 1, lidCol - 1, 64)];
        newData[HALOED(gRow + i, gCol, width)] = wCenter * sh[HALOED(row, lidCol, 64)] + wCardinal * cardinal + wDiagonal * diagonal;
    }
}

kernel void im2col(global const float *restrict inp, global float *restrict outp, uint2 inputDimensions, uint2 maskDimensions, uint2 stride, uint2 pad, uint2 dilation, uint channel, uint batch) {
    const uint tid = get_global_id(0);
    const int width = inputDimensions.x, height = inputDimensions.y, maskWidth = maskDimensions.x, maskHeight = maskDimensions.y;
    const int effKernelHeight = (maskDimensions.y - 1) * dilation.y + 1, effKernelWidth = (maskDimensions.x - 1) * dilation.x + 1;
    const int fieldHeight = (height - effKernelHeight + 2 * pad.y) / stride.y + 1, fieldWidth = (width - effKernelWidth + 2 * pad.x) / stride.x + 1;
    const int outWidth = fieldHeight * fieldWidth * batch, outHeight = maskHeight * maskWidth * channel;
    const int frame_size = width * height, picture_size = channel * frame_size, mask_size = maskWidth * maskHeight;
    const int batch_id = tid / (uint)(fieldWidth * fieldHeight), block_id = tid % (uint)(fieldWidth * fieldHeight);
    const int block_y = block_id / fieldWidth, block_x = block_id - block_y * fieldWidth;
    if (batch_id >= (int)batch)
        return;
    for (int i = 0; i < outHeight; i++) {
        const int channel_id = i / mask_size, y = i % mask_size / maskWidth, x = i % maskWidth;
        const int real_x = block_x * stride.x - pad.x + dilation.x * x, real_y = block_y * stride.y - pad.y + dilation.y * y;
        float v = 0.0f;
        if (real_x >= 0 && real_y >= 0 && real_x < width && real_y < height)
            v = inp[batch_id * picture_size + channel_id * frame_size + real_y * width + real_x];
        outp[i * outWidth + tid] = v;
    }
}

kernel void spmv(global const float *restrict val, global const float *restrict vec, global const int *restrict cols, global const int *restrict rows, global float *restrict o, int dim) {
    const int row = get_global_id(0);
    if (row < dim) {
        float t = 0.0f;
        const int start = rows[row], end = rows[row + 1];
        for (int j = start; j < end; j++)
            t += val[j] * vec[cols[j]];
        o[row] = t;
    }
}

kernel void ataxrows(global const float *restrict a, global const float *restrict x, global float *restrict tmp, uint n, uint unused) {
    const uint i = get_global_id(0);
    if (i < n)
        for (uint j = 0; j < n; j++)
            tmp[i] += a[i * n + j] * x[j];
}

kernel void ataxcolumns(global const float *restrict a, global const float *restrict tmp, global float *restrict y, uint n, uint unused) {
    const uint j = get_global_id(0);
    if (j < n)
        for (uint i = 0; i < n; i++)
            y[j] += a[i * n + j] * tmp[i];
}

kernel void bicgrows(global const float *restrict a, global const float *restrict p, global float *restrict q, int nx, int ny) {
    const int i = get_global_id(0);
    if (i < nx) {
        q[i] = 0.0f;
        for (int j = 0; j < ny; j++)
            q[i] += a[i * ny + j] * p[j];
    }
}

kernel void bicgcolumns(global const float *restrict a, global const float *restrict r, global float *restrict s, int nx, int ny) {
    const int j = get_global_id(0);
    if (j < ny) {
        s[j] = 0.0f;
        for (int i = 0; i < nx; i++)
            s[j] += a[i * ny + j] * r[i];
    }
}

kernel void convolution(global const uint *restrict source, global const float *restrict weights, global int *restrict target, uint width, uint height, uint mask) {
    const uint i = get_global_id(0), x = i % width, y = i / width;
    if (y >= height)
        return;
    const uint pitch = width + mask - 1;
    float sum = 0.0f;
    for (uint my = 0; my < mask; my++)
        for (uint mx = 0; mx < mask; mx++)
            sum += (float)source[(y + my) * pitch + x + mx] * weights[my * mask + mx];
    target[i] = (int)sum;
}

kernel void copy(global const float4 *restrict a, global float4 *restrict o) {
    const uint i = get_global_id(0);
    o[i] = a[i];
}

kernel void shortestpaths(global uint *restrict dist, global uint *restrict path, uint numNodes, uint pass) {
    const uint x = get_global_id(0), y = get_global_id(1);
    const int oldW = dist[y * numNodes + x], tempW = dist[y * numNodes + pass] + dist[pass * numNodes + x];
    if (tempW < oldW) {
        dist[y * numNodes + x] = tempW;
        path[y * numNodes + x] = pass;
    }
}

kernel void atomic_operations(global uint *restrict counter, uint adds) {
    if (get_local_id(0) % 64 == 0)
        for (uint i = 0; i < adds; i++)
            atomic_add(counter, 64);
}

kernel void fp32_throughput(global float *restrict result, float factor, float addend, uint rounds) {
    const uint i = get_global_id(0);
    float2 a = (float2)(i, (float)i + 1.0f), b = a + 2.0f;
    for (uint k = 0; k < rounds; k++) {
        a = fma(a, (float2)factor, (float2)addend);
        b = fma(b, (float2)factor, (float2)addend);
    }
    result[i] = a.x + a.y + b.x + b.y;
}

kernel void empty_kernel(void) {}

kernel void rodinia_bfs(global const int *restrict starts, global const int *restrict edges, global const int *restrict frontier, global int *restrict cost, int n) {
    const int i = get_global_id(0);
    if (i < n && frontier[i] != 0)
        for (int e = starts[i]; e < starts[i + 1]; e++) {
            const int to = edges[e];
            if (cost[to] < 0)
                cost[to] = cost[i] + 1;
        }
}

kernel __attribute__((reqd_work_group_size(16, 16, 1))) void shoc_stencil2d(global const float *restrict a, global float *restrict o, int n) {
    const int i = (int)get_global_id(1) + 1, j = (int)get_global_id(0) + 1;
    if (i < n - 1 && j < n - 1) {
        const int at = i * n + j;
        o[at] = 0.5f * a[at] + 0.1f * (a[at - n] + a[at + n] + a[at + 1] + a[at - 1]) +
            0.025f * (a[at - n - 1] + a[at - n + 1] + a[at + n - 1] + a[at + n + 1]);
    }
}

kernel void shoc_sort(global uint *restrict data, uint k, uint j) {
    const uint i = get_global_id(0), p = i ^ j;
    if (p > i) {
        const uint a = data[i], b = data[p];
        if ((a > b) == ((i & k) == 0)) {
            data[i] = b;
            data[p] = a;
        }
    }
}
