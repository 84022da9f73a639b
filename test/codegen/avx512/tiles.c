// The instructions of AMX for products of bf16, which machines of tests may lack, written by the operations that Intel's manual
// describes. Each thread has eight tile registers. What the manual makes an exception ends the program.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 8, ROWS = 16, BYTES = 64 };

static _Thread_local struct {
  int isConfigured;
  unsigned rows[REGISTERS], bytes[REGISTERS];
  unsigned char data[REGISTERS][ROWS][BYTES];
} tiles;

static void require(int holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "AMX: %s\n", what);
  abort();
}

static void requireTile(unsigned tile) {
  require(tiles.isConfigured, "the tile registers are not configured");
  require(tile < REGISTERS && tiles.rows[tile] && tiles.bytes[tile], "the tile register has no rows");
}

void standin_ldtilecfg(const unsigned char *config) {
  memset(&tiles, 0, sizeof tiles);
  require(config[0] == 1, "only palette 1 is known");
  for (unsigned i = 1; i < 64; ++i)
    require((i >= 16 && i < 32) || (i >= 48 && i < 56) || config[i] == 0, "a reserved byte is not 0");
  for (unsigned i = 0; i < REGISTERS; ++i) {
    tiles.bytes[i] = config[16 + 2 * i] + 256 * config[17 + 2 * i];
    tiles.rows[i] = config[48 + i];
    require(tiles.rows[i] <= ROWS && tiles.bytes[i] <= BYTES, "a tile is too large");
    require(!tiles.rows[i] == !tiles.bytes[i], "a tile has rows or bytes only");
  }
  tiles.isConfigured = 1;
}

void standin_tilerelease(void) { memset(&tiles, 0, sizeof tiles); }

void standin_tilezero(unsigned char tile) {
  requireTile(tile);
  memset(tiles.data[tile], 0, sizeof tiles.data[tile]);
}

void standin_tileloadd64(unsigned char tile, const unsigned char *from, int64_t pitch) {
  standin_tilezero(tile);
  for (unsigned row = 0; row < tiles.rows[tile]; ++row)
    memcpy(tiles.data[tile][row], from + row * pitch, tiles.bytes[tile]);
}

void standin_tilestored64(unsigned char tile, unsigned char *to, int64_t pitch) {
  requireTile(tile);
  for (unsigned row = 0; row < tiles.rows[tile]; ++row)
    memcpy(to + row * pitch, tiles.data[tile][row], tiles.bytes[tile]);
}

static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

/// Returns the bf16 at `index` of a row, as f32.
static float halfAt(const unsigned char *row, unsigned index) {
  uint32_t bits = (uint32_t)row[2 * index] << 16 | (uint32_t)row[2 * index + 1] << 24;
  float x;
  memcpy(&x, &bits, sizeof x);
  return flushed(x);
}

void standin_tdpbf16ps(unsigned char sums, unsigned char left, unsigned char right) {
  requireTile(sums), requireTile(left), requireTile(right);
  require(sums != left && sums != right && left != right, "the tile registers are not different");
  unsigned pairs = tiles.bytes[left] / 4, columns = tiles.bytes[sums] / 4;
  require(tiles.bytes[left] % 4 == 0 && tiles.bytes[right] % 4 == 0 && tiles.bytes[sums] % 4 == 0, "a row ends within a pair");
  require(tiles.rows[right] == pairs, "the rows of the right tile are not the pairs of the left one");
  require(tiles.bytes[right] == tiles.bytes[sums], "the columns of the right tile are not those of the sums");
  require(tiles.rows[left] == tiles.rows[sums], "the rows of the left tile are not those of the sums");
  for (unsigned row = 0; row < tiles.rows[sums]; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      float partial[2] = {0, 0}, sum;
      for (unsigned k = 0; k < pairs; ++k)
        for (unsigned i = 0; i < 2; ++i) {
          float x = halfAt(tiles.data[left][row], 2 * k + i), y = halfAt(tiles.data[right][k], 2 * column + i);
          partial[i] = flushed(fmaf(x, y, partial[i]));
        }
      memcpy(&sum, &tiles.data[sums][row][4 * column], sizeof sum);
      sum = flushed(flushed(sum) + flushed(partial[0] + partial[1]));
      memcpy(&tiles.data[sums][row][4 * column], &sum, sizeof sum);
    }
}
