/* Sixty-four bytes compared with one value: bit k of the word says whether byte k is equal. */
#pragma once
#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define popcount(word) ((int64_t)__popcnt64(word))
#else
#define popcount(word) ((int64_t)__builtin_popcountll(word))
#endif

/* Eight bytes a word: the highest bit of each byte says whether it is zero, and a product moves the
   eight bits into the highest byte. */
static inline uint64_t portable_equal_mask(const uint8_t *bytes, uint8_t value) {
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu, wanted = 0x0101010101010101u * value;
    uint64_t mask = 0;
    for (int k = 0; k < 8; ++k) {
        uint64_t word;
        memcpy(&word, bytes + 8 * k, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        word ^= wanted;
        word = ~(((word & low) + low) | word | low) >> 7;
        mask |= (word * 0x0102040810204080u >> 56) << (8 * k);
    }
    return mask;
}

#if defined(__AVX512BW__)
#include <immintrin.h>
static inline uint64_t equal_mask(const uint8_t *bytes, uint8_t value) {
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(bytes), _mm512_set1_epi8((char)value));
}
#elif defined(__AVX2__)
#include <immintrin.h>
static inline uint64_t equal_mask(const uint8_t *bytes, uint8_t value) {
    const __m256i wanted = _mm256_set1_epi8((char)value);
    const __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)bytes), wanted);
    const __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(bytes + 32)), wanted);
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}
#elif defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
static inline uint64_t equal_mask(const uint8_t *bytes, uint8_t value) {
    const __m128i wanted = _mm_set1_epi8((char)value);
    uint64_t mask = 0;
    for (int k = 0; k < 4; ++k) {
        const __m128i sixteen = _mm_loadu_si128((const __m128i *)(bytes + 16 * k));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, wanted)) << (16 * k);
    }
    return mask;
}
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
static inline uint64_t equal_mask(const uint8_t *bytes, uint8_t value) {
    static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t wanted = vdupq_n_u8(value), bits = vld1q_u8(places);
    uint8x16_t parts[4];
    for (int k = 0; k < 4; ++k) {
        parts[k] = vandq_u8(vceqq_u8(vld1q_u8(bytes + 16 * k), wanted), bits);
    }
    /* Three rounds of pairwise sums leave the eight bits of each byte of the word side by side. */
    uint8x16_t sum = vpaddq_u8(vpaddq_u8(parts[0], parts[1]), vpaddq_u8(parts[2], parts[3]));
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}
#else
#define equal_mask portable_equal_mask
#endif
