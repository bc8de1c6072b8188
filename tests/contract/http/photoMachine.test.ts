import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
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
import { formOf, post } from './requests'

// What requests with a photo leave on the machine: nothing, however they end.

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

test.run()
