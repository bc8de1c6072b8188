import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { ByteStream } from '@lantern-room/base/bytes'
import { streamDuplex } from '#internal/adapters/tls/streamDuplex'
import { readAll } from '#support/network/byteStreams'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'

const test = suite('A stream of bytes as a duplex of Node', { timeoutMs: 10_000 })

const TOTAL = 2_000_000

for (const turns of [0, 1, 2, 3])
  test(`small pieces reach a reader that pauses, and resumes ${turns} turns later`, async () => {
    const duplex = streamDuplex(piecesOf(1000, TOTAL / 1000))
    for (let received = 0; received < TOTAL; ) {
      await filled(duplex, TOTAL - received)
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      const bytes: Buffer | null = duplex.read()
      received += bytes?.length ?? 0
    }
    duplex.destroy()
  })

/** Lets it read ahead as far as it does by itself. */
async function filled(duplex: Duplex, left: number): Promise<void> {
  while (duplex.readableLength < Math.min(left, 256 * 1024)) {
    duplex.read(0)
    await setImmediate()
  }
}

test('several writes of one turn are one write of the stream', async () => {
  const [near, far] = streamPair()
  const sizes: number[] = []
  const duplex = streamDuplex({
    ...near,
    write(bytes) {
      sizes.push(bytes.length)
      return near.write(bytes)
    },
  })
  duplex.cork()
  for (const size of [10, 20, 30]) duplex.write(new Uint8Array(size))
  duplex.uncork()
  duplex.end()
  assert.equal([(await readAll(far)).length, sizes], [60, [60]])
  await near.closed
})

/** A stream that delivers so many pieces at once, and then stays open. */
function piecesOf(size: number, count: number): ByteStream {
  const [near] = streamPair()
  let left = count
  return {
    ...near,
    async read() {
      if (left === 0) return new Promise(() => {})
      left -= 1
      return new Uint8Array(size)
    },
  }
}

test.run()
