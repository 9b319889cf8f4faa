/* Bits that a plane has in common with others: four of them are counted together. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "masks.h"

#if defined(__GNUC__) || defined(__clang__)
#define fetch(address) __builtin_prefetch(address)
#else
#define fetch(address) ((void)(address))
#endif
static inline void fetch_words(const uint64_t *words, size_t n) {
    for (size_t k = 0; k < n; k += 8) {
        fetch(words + k);
    }
}

#if defined(__AVX512VPOPCNTDQ__)
static inline __m512i common(__m512i plane, __m512i other) {
    return _mm512_popcnt_epi64(_mm512_and_si512(plane, other));
}
static inline void common_of_four(const uint64_t *plane, const uint64_t *others, size_t apart, size_t n, int64_t *counts) {
    __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
    size_t k = 0;
    for (; k + 8 <= n; k += 8) {
        const __m512i mine = _mm512_loadu_si512(plane + k);
        a = _mm512_add_epi64(a, common(mine, _mm512_loadu_si512(others + k)));
        b = _mm512_add_epi64(b, common(mine, _mm512_loadu_si512(others + apart + k)));
        c = _mm512_add_epi64(c, common(mine, _mm512_loadu_si512(others + 2 * apart + k)));
        d = _mm512_add_epi64(d, common(mine, _mm512_loadu_si512(others + 3 * apart + k)));
    }
    if (k < n) {
        const __mmask8 there = (__mmask8)((1u << (n - k)) - 1);
        const __m512i mine = _mm512_maskz_loadu_epi64(there, plane + k);
        a = _mm512_add_epi64(a, common(mine, _mm512_maskz_loadu_epi64(there, others + k)));
        b = _mm512_add_epi64(b, common(mine, _mm512_maskz_loadu_epi64(there, others + apart + k)));
        c = _mm512_add_epi64(c, common(mine, _mm512_maskz_loadu_epi64(there, others + 2 * apart + k)));
        d = _mm512_add_epi64(d, common(mine, _mm512_maskz_loadu_epi64(there, others + 3 * apart + k)));
    }
    a = _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    c = _mm512_add_epi64(_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
    const __m256i ab = _mm256_add_epi64(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    const __m256i cd = _mm256_add_epi64(_mm512_castsi512_si256(c), _mm512_extracti64x4_epi64(c, 1));
    const __m256i sum = _mm256_add_epi64(_mm256_permute2x128_si256(ab, cd, 0x20), _mm256_permute2x128_si256(ab, cd, 0x31));
    _mm256_storeu_si256((__m256i *)counts, sum);
}
#elif defined(__AVX2__)
static inline __m256i common(__m256i plane, const uint64_t *other) {
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i both = _mm256_and_si256(plane, _mm256_loadu_si256((const __m256i *)other));
    const __m256i of_bytes = _mm256_add_epi8(_mm256_shuffle_epi8(bits, _mm256_and_si256(both, low)),
                                             _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(both, 4), low)));
    return _mm256_sad_epu8(of_bytes, _mm256_setzero_si256());
}
static inline void common_of_four(const uint64_t *plane, const uint64_t *others, size_t apart, size_t n, int64_t *counts) {
    __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
    size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        const __m256i mine = _mm256_loadu_si256((const __m256i *)(plane + k));
        a = _mm256_add_epi64(a, common(mine, others + k));
        b = _mm256_add_epi64(b, common(mine, others + apart + k));
        c = _mm256_add_epi64(c, common(mine, others + 2 * apart + k));
        d = _mm256_add_epi64(d, common(mine, others + 3 * apart + k));
    }
    a = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    c = _mm256_add_epi64(_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    const __m256i sum = _mm256_add_epi64(_mm256_permute2x128_si256(a, c, 0x20), _mm256_permute2x128_si256(a, c, 0x31));
    _mm256_storeu_si256((__m256i *)counts, sum);
    for (; k < n; ++k) {
        for (int j = 0; j < 4; ++j) {
            counts[j] += popcount(plane[k] & others[j * apart + k]);
        }
    }
}
#else
static inline void common_of_four(const uint64_t *plane, const uint64_t *others, size_t apart, size_t n, int64_t *counts) {
    int64_t a = 0, b = 0, c = 0, d = 0;
    for (size_t k = 0; k < n; ++k) {
        a += popcount(plane[k] & others[k]);
        b += popcount(plane[k] & others[apart + k]);
        c += popcount(plane[k] & others[2 * apart + k]);
        d += popcount(plane[k] & others[3 * apart + k]);
    }
    counts[0] = a, counts[1] = b, counts[2] = c, counts[3] = d;
}
#endif
