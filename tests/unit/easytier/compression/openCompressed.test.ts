import * as assert from 'uvu/assert'
import { openCompressed } from '#core/easytier/compression/openCompressed'
import { everyPacket, unhex } from '#support/network/easytierVectors'
import { suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

const test = suite('easytier: compressed payloads')

const compressed = everyPacket().flatMap(({ packet }) => packet.compressed ?? [])

test('every recorded compressed payload opens to what was sent', () => {
  assert.ok(compressed.length > 30, `${compressed.length} payloads`)
  for (const { zstd_frame, plaintext } of compressed)
    equalBytes(
      openCompressed(unhex(`${zstd_frame}01`), plaintext.length / 2) ?? new Uint8Array(0),
      unhex(plaintext),
    )
})

test('a payload with another marker, another length or no frame does not open', () => {
  const [frame] = compressed
  assert.ok(frame)
  const size = frame.plaintext.length / 2
  const bytes = frame.zstd_frame
  assert.ok(openCompressed(unhex(`${bytes}01`), size))
  assert.is(openCompressed(unhex(`${bytes}02`), size), undefined)
  assert.is(openCompressed(unhex(bytes), size), undefined)
  assert.is(openCompressed(unhex(`${bytes}01`), size - 1), undefined)
  assert.is(openCompressed(unhex(`${bytes}01`), size + 1), undefined)
  assert.is(openCompressed(unhex(`${bytes}01`), 0xffffffff), undefined)
  assert.is(openCompressed(new Uint8Array(0), 0), undefined)
  assert.is(openCompressed(Uint8Array.of(1), 0), undefined)
})

test.run()
