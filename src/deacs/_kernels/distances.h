/* Distances between rows of bytes: eight bytes in a word, sixteen rows at once. */
#pragma once
#include <stdint.h>

enum { ROWS = 16 };

#if defined(__AVX2__)
#include <immintrin.h>
enum { LANES = 4 };
typedef __m256i vector;
static inline vector load(const void *words) { return _mm256_loadu_si256((const vector *)words); }
static inline void store(void *words, vector v) { _mm256_storeu_si256((vector *)words, v); }
static inline vector splat(uint64_t word) { return _mm256_set1_epi64x((long long)word); }
static inline vector add(vector a, vector b) { return _mm256_add_epi64(a, b); }
static inline vector apart(vector a, vector b) { return _mm256_sad_epu8(a, b); }
static inline vector equal(vector a, vector b) { return _mm256_cmpeq_epi8(a, b); }
#elif defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
enum { LANES = 2 };
typedef __m128i vector;
static inline vector load(const void *words) { return _mm_loadu_si128((const vector *)words); }
static inline void store(void *words, vector v) { _mm_storeu_si128((vector *)words, v); }
static inline vector splat(uint64_t word) { return _mm_set1_epi64x((long long)word); }
static inline vector add(vector a, vector b) { return _mm_add_epi64(a, b); }
static inline vector apart(vector a, vector b) { return _mm_sad_epu8(a, b); }
static inline vector equal(vector a, vector b) { return _mm_cmpeq_epi8(a, b); }
#else
enum { LANES = 1 };
typedef uint64_t vector;
static inline vector load(const void *words) { return *(const uint64_t *)words; }
static inline void store(void *words, vector v) { *(uint64_t *)words = v; }
static inline vector splat(uint64_t word) { return word; }
static inline vector add(vector a, vector b) { return a + b; }
static inline vector apart(vector a, vector b) {
    uint64_t sum = 0;
    for (int k = 0; k < 64; k += 8) {
        const int gap = (int)(a >> k & 0xFF) - (int)(b >> k & 0xFF);
        sum += (uint64_t)(gap < 0 ? -gap : gap);
    }
    return sum;
}
static inline vector equal(vector a, vector b) {
    uint64_t found = 0;
    for (int k = 0; k < 64; k += 8) {
        found |= (a >> k & 0xFF) == (b >> k & 0xFF) ? (uint64_t)0xFF << k : 0;
    }
    return found;
}
#endif

/* OUT gaps[k]: the distance of rows `row` and `first` + k, less the slack of the latter. Returns a mask:
 * bit k is set if gaps[k] is below the limit.
 *
 * IN words (n_words, n_rows): the distance of two bytes is their difference in the first n_steps
 * words, and 0 or 255 in the others; slack (n_rows). */
static inline uint32_t bytes_apart(const uint64_t *words, const int64_t *slack, int64_t n_rows, int64_t n_words,
                                   int64_t n_steps, int64_t row, int64_t first, int64_t limit, int64_t *gaps) {
    uint32_t mask = 0;
    vector sums[ROWS / LANES];
    const vector ones = splat(~(uint64_t)0);
    for (int k = 0; k < ROWS / LANES; ++k) {
        sums[k] = splat(0);
    }
    for (int64_t w = 0; w < n_steps; ++w) {
        const uint64_t *at = words + w * n_rows;
        const vector mine = splat(at[row]);
        for (int k = 0; k < ROWS / LANES; ++k) {
            sums[k] = add(sums[k], apart(mine, load(at + first + LANES * k)));
        }
    }
    for (int64_t w = n_steps; w < n_words; ++w) {
        const uint64_t *at = words + w * n_rows;
        const vector mine = splat(at[row]);
        for (int k = 0; k < ROWS / LANES; ++k) {
            sums[k] = add(sums[k], apart(equal(mine, load(at + first + LANES * k)), ones));
        }
    }
    for (int k = 0; k < ROWS / LANES; ++k) {
        store(gaps + LANES * k, sums[k]);
    }
    for (int k = 0; k < ROWS; ++k) {
        gaps[k] -= slack[first + k];
        mask |= (uint32_t)(gaps[k] < limit) << k;
    }
    return mask;
}
