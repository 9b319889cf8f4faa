/* The highest level of x86-64 that processor and system support: 2, 3 (AVX2), or 4 (AVX-512 with VPOPCNTDQ). */
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#include <stdint.h>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static void ask(uint32_t leaf, uint32_t *found) { __cpuidex((int *)found, (int)leaf, 0); }
static uint64_t enabled(void) { return _xgetbv(0); }
#else
#include <cpuid.h>
static void ask(uint32_t leaf, uint32_t *found) {
    __cpuid_count(leaf, 0, found[0], found[1], found[2], found[3]);
}
static uint64_t enabled(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}
#endif

static int has(uint32_t bits, uint32_t wanted) { return (bits & wanted) == wanted; }

static int level(void) {
    uint32_t most[4], one[4], seven[4], extended[4];
    ask(0, most);
    ask(1, one);
    ask(0x80000001u, extended);
    /* FMA, MOVBE, OSXSAVE, AVX, F16C; LZCNT */
    if (most[0] < 7 || !has(one[2], 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29) ||
        !has(extended[2], 1u << 5) || (enabled() & 6) != 6) {
        return 2;
    }
    ask(7, seven);
    if (!has(seven[1], 1u << 3 | 1u << 5 | 1u << 8)) { /* BMI1, AVX2, BMI2 */
        return 2;
    }
    /* AVX512F, DQ, CD, BW, VL; VPOPCNTDQ */
    if (!has(seven[1], 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31) || !has(seven[2], 1u << 14) ||
        (enabled() & 0xE6) != 0xE6) {
        return 3;
    }
    return 4;
}
#else
static int level(void) { return 0; }
#endif
