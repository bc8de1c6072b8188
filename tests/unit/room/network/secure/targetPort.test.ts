import { readTargetPort } from '#internal/room/network/secure/secureExposure'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: the port that a stream of a private room means')

for (const pieces of [[[0x63, 0xdd, 1, 2]], [[0x63], [0xdd, 1], [2]], [[0x63], [0xdd], [1], [2]]]) {
  test(`is read from ${pieces.length} pieces, and what follows stays`, async () => {
    const [near, far] = streamPair()
    for (const piece of pieces) await near.write(Uint8Array.from(piece))
    void near.end()
    const target = await readTargetPort(far)
    assert.is(target?.port, 25_565)
    const rest: number[] = []
    for (let bytes = await target?.stream.read(); bytes; bytes = await target?.stream.read())
      rest.push(...bytes)
    assert.equal(rest, [1, 2])
  })
}

test('is missing in a stream that ends before it', async () => {
  for (const bytes of [[], [0x63]]) {
    const [near, far] = streamPair()
    await near.write(Uint8Array.from(bytes))
    void near.end()
    assert.is(await readTargetPort(far), undefined)
  }
})

test.run()
