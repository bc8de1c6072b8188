import { concatBytes } from '@lantern-room/base/bytes'
import * as fc from 'fast-check'
import {
  createFrameReader,
  type Decoded,
  decodeRequest,
  encodeRequest,
  MAX_BODY,
} from '#internal/protocol/scaffolding/wire/frames'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { rejection } from '#support/values/failures'
import { hex, toHex } from '#support/values/hex'
import { exchanges } from '../hosted'

const test = suite('frame reader')

test('the reader finds every request at any number of splits', async () => {
  const bytes = concatBytes(exchanges.map(({ request }) => request))
  const expected = exchanges.map(({ request }) => toHex(request))
  assert.equal(await readAll([...bytes].map((byte) => Uint8Array.of(byte))), expected)
  await assertProperty(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      const pieces = at.slice(1).map((end, index) => bytes.slice(at[index], end))
      assert.equal(await readAll(pieces), expected)
    }),
  )
})

test('the reader takes the largest frame byte by byte in reasonable time', async () => {
  const body = new Uint8Array(MAX_BODY).fill(7)
  const bytes = encodeRequest({ kind: 'c:ping', body })
  let calls = 0
  const read = createFrameReader(
    { read: async () => bytes.slice(calls, ++calls) },
    (held): Decoded<Uint8Array> | undefined =>
      decodeRequest(held) && { value: held.slice(), length: held.length },
  )
  assert.equal(toHex((await read()) ?? hex('')), toHex(bytes))
  assert.is(calls, bytes.length)
})

test('a stream that ends between frames ends the reader; within a frame it is an error', async () => {
  const { request } = exchanges[0] ?? { request: hex('') }
  for (let length = 0; length <= request.length; length++) {
    const [near, far] = streamPair()
    const read = createFrameReader(far, decodeRequest)
    await near.write(request.slice(0, length))
    void near.end()
    const isWhole = length === request.length
    if (isWhole) assert.is((await read())?.kind, 'c:ping')
    if (isWhole || length === 0) assert.is(await read(), undefined)
    else assert.match(String(await rejection(read())), 'The stream ended within a frame.', `${length} bytes`)
  }
})

async function readAll(pieces: readonly Uint8Array[]): Promise<string[]> {
  const [near, far] = streamPair()
  for (const piece of pieces) await near.write(piece)
  void near.end()
  const read = createFrameReader(far, decodeRequest)
  const frames: string[] = []
  for (let frame = await read(); frame; frame = await read()) {
    frames.push(toHex(encodeRequest(frame)))
  }
  return frames
}

test.run()
