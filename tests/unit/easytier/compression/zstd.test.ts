import { execFileSync } from 'node:child_process'
import { decodeZstd } from '#internal/easytier/compression/zstd'
import { everyPacket, hexOf, type Json, readVectors, unhex } from '#support/network/easytierVectors'
import { zstdReady } from '#support/network/zstdReady'
import { findProgram } from '#support/process/findProgram'
import { assert, suite } from '#support/runner/suite'
import { noise, text, withBitChanged } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'

const test = suite('easytier: zstd', { timeoutMs: 120_000 })

const LIMIT = 65_536

test.before(zstdReady)

const compressed = everyPacket().flatMap(({ packet }) => packet.compressed ?? [])

test('every recorded compressed payload comes out as it went in', () => {
  assert.ok(compressed.length > 30, `${compressed.length} frames`)
  for (const { zstd_frame, plaintext } of compressed)
    equalBytes(decodeZstd(unhex(zstd_frame), LIMIT) ?? new Uint8Array(0), unhex(plaintext))
})

test('a frame that is cut anywhere, or lengthened, does not open', () => {
  for (const { zstd_frame } of compressed.slice(0, 12)) {
    const frame = unhex(zstd_frame)
    for (let length = 0; length < frame.length; length++)
      assert.is(decodeZstd(frame.subarray(0, length), LIMIT), undefined)
    assert.is(decodeZstd(unhex(`${zstd_frame}00`), LIMIT), undefined)
  }
})

test('a frame with any bit changed opens to something within the limit or does not open, and does not take long', () => {
  const startedAt = performance.now()
  let opened = 0
  let tried = 0
  const short = compressed.filter(({ zstd_frame }) => zstd_frame.length < 900)
  for (const { zstd_frame, plaintext } of short.slice(0, 20)) {
    const frame = unhex(zstd_frame)
    const limit = plaintext.length / 2
    for (let bit = 0; bit < frame.length * 8; bit++) {
      const plain = decodeZstd(withBitChanged(frame, bit), limit)
      tried++
      if (plain) opened++
      assert.ok((plain?.length ?? 0) <= limit)
    }
  }
  assert.ok(tried > 5000, `${tried} tried`)
  assert.ok(opened < tried, 'some do not open')
  assert.ok(performance.now() - startedAt < 200_000)
})

/** One block that repeats a byte, in a frame that says how long it is (in 4 bytes), or does not. */
const repeated = (size: number, claimed: string) => {
  const header = (size << 3) | 3
  const block = [header & 255, (header >> 8) & 255, header >> 16, 7]
  return Uint8Array.from([...unhex(`28b52ffd${claimed}`), ...block])
}

test('a frame that says more than the limit is refused before anything is allocated', () => {
  assert.is(decodeZstd(unhex('28b52ffda0000001000b000800'), 65_535), undefined)
  // 4 GiB, and 2^64 - 1 bytes
  assert.is(decodeZstd(unhex('28b52ffda0ffffffff0b000800'), LIMIT), undefined)
  assert.is(decodeZstd(unhex('28b52ffde0ffffffffffffffff0b000800'), LIMIT), undefined)
})

test('a frame that does not say how much it holds grows to the limit and no further', () => {
  const unknown = '0058'
  assert.is(decodeZstd(repeated(LIMIT, unknown), LIMIT)?.length, LIMIT)
  assert.is(decodeZstd(repeated(LIMIT + 1, unknown), LIMIT), undefined)
  assert.is(decodeZstd(repeated(131_072, unknown), 131_071), undefined)
})

test('a frame that holds another length than it says does not open', () => {
  assert.is(decodeZstd(repeated(10, '200a'), 10)?.length, 10)
  assert.is(decodeZstd(repeated(10, '200a'), 9), undefined)
  assert.is(decodeZstd(repeated(9, '200a'), 100), undefined)
  assert.is(decodeZstd(repeated(11, '200a'), 100), undefined)
})

test('what this decoder leaves out is refused: dictionaries, skippable frames, a second frame', () => {
  assert.is(decodeZstd(unhex('28b52ffd21010a53000007'), LIMIT), undefined)
  assert.is(decodeZstd(unhex('502a4d1804000000aabbccdd'), LIMIT), undefined)
  const one = hexOf(repeated(10, '200a'))
  assert.is(decodeZstd(unhex(one + one), LIMIT), undefined)
})

/**
 * 16 bytes, then a block of 200 sequences, each of which repeats 65,539 bytes for two bytes of input: a decoder that
 * trusts them is kept busy long after its memory is full.
 */
test('a few bytes that mean endless repetitions end at the limit at once', () => {
  // no literals; 200 sequences; one symbol each for literals (0), distance (one of the last), match (65,539 + 16 bits)
  const block = [...unhex('0080c854000034'), ...new Uint8Array(400), 1]
  const header = (block.length << 3) | 5
  const raw = [16 << 3, 0, 0, ...noise(16)]
  const bomb = Uint8Array.from([...unhex('28b52ffd0058'), ...raw, header & 255, header >> 8, 0, ...block])
  const startedAt = performance.now()
  for (let i = 0; i < 100; i++) assert.is(decodeZstd(bomb, LIMIT), undefined)
  // A decoder that trusts its lengths takes a tenth of a second for each.
  assert.ok(performance.now() - startedAt < 2000, `${performance.now() - startedAt} ms`)
})

const zstd = findProgram('zstd')
const withProgram = test.skipUnless(zstd, 'zstd is not installed')

const sources: Readonly<Record<string, Uint8Array>> = {
  prose: text('In the room two players meet, and they play until the room is closed. '.repeat(900)),
  code: text(decodeZstd.toString().repeat(60)),
  noise: noise(70_000),
  zeros: new Uint8Array(70_000),
  json: text(JSON.stringify(readVectors<Json>('transports')).repeat(3)),
}
for (const [name, source] of Object.entries(sources))
  withProgram(`what the program makes of ${name} at any level and size comes out as it went in`, () => {
    for (const size of [1, 7, 40, 256, 1200, 65_000]) {
      const plain = source.subarray(0, size)
      for (const level of ['--fast=5', '-3', '-19'])
        decodesFrame(plain, [level, `--stream-size=${plain.length}`])
      decodesFrame(plain, ['-3'])
    }
  })

/** Compresses by the real program, and decompresses by ours. */
function decodesFrame(plain: Uint8Array, options: readonly string[]): void {
  const frame = new Uint8Array(execFileSync(zstd ?? 'zstd', ['-c', '-q', ...options], { input: plain }))
  equalBytes(decodeZstd(frame, LIMIT) ?? new Uint8Array(0), plain, `${plain.length} ${options}`)
  assert.is(decodeZstd(frame, plain.length - 1), undefined)
}

test.run()
