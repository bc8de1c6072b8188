import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { startDirectHost } from '#support/hosts/directHost'
import { assert, suite } from '#support/runner/suite'
import { baselineJpeg } from '../../unit/formats/motionPhoto/sampleJpeg'
import {
  clip,
  description,
  motion,
  primary,
  video,
  withXmp,
} from '../../unit/formats/motionPhoto/samplePhones'
import { formOf, post, refused } from './requests'

// What requests with a photo take of the machine, and leave on it: nothing, however they end.

const test = suite('photos on the machine', { timeoutMs: 60_000 })

const photo = Buffer.concat([withXmp(baselineJpeg, description(motion, primary + video(clip.length))), clip])

test('no temporary file is left, however a request ends', async () => {
  const host = await startDirectHost()
  try {
    const left = async () => readdir(join(host.dataDir, 'work')).catch(() => [])
    const send = (path: string, file: Uint8Array, init: RequestInit = {}) =>
      post(host, path, formOf(file), init)
    await (await send('/inspect', photo)).text()
    assert.equal(await left(), [], 'after a verdict')
    await (await send('/repair', photo)).arrayBuffer()
    assert.equal(await left(), [], 'after a photo')
    await (await send('/repair', photo)).body?.cancel()
    assert.equal(await left(), [], 'after a client that left')
    await send('/repair', clip)
    assert.equal(await left(), [], 'after a refusal by the first bytes')
    await send('/repair', baselineJpeg)
    assert.equal(await left(), [], 'after a refusal')
    await send('/inspect', photo, { signal: AbortSignal.abort() }).catch(() => undefined)
    assert.equal(await left(), [], 'after an abort')
  } finally {
    await host.stop()
  }
})

/** A ZIP of a megabyte that names its stored file so often, each time as one without a byte. */
function manyNames(count: number): Buffer {
  const stored = new Uint8Array(2 ** 20)
  const zip = Buffer.from(zipSync({ 'a.JPG': [baselineJpeg, { level: 9 }], 'a.MOV': [stored, { level: 0 }] }))
  const endAt = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const end = Buffer.from(zip.subarray(endAt))
  const record = Buffer.from(zip.subarray(zip.lastIndexOf('PK\x01\x02', undefined, 'latin1'), endAt))
  record.writeUInt32LE(0, 24)
  end.writeUInt16LE(2 + count, 10)
  end.writeUInt32LE(end.readUInt32LE(12) + count * record.length, 12)
  return Buffer.concat([zip.subarray(0, endAt), ...Array<Buffer>(count).fill(record), end])
}

test('a stored file that is named again and again is not taken into memory each time', async () => {
  const host = await startDirectHost()
  try {
    await refused(post(host, '/inspect', formOf(manyNames(64))), 413, /larger than 67108864 bytes/)
  } finally {
    await host.stop()
  }
})

test.run()
