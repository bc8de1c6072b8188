import type { ByteSource } from '@lantern-room/mp4/source'
import { openBundle } from '#internal/formats/livePhoto/bundleSource'
import { assert, suite } from '../../../support/runner/suite'
import { rejectedFormatError } from '../../../support/values/failures'

const test = suite('bundles of Live Photos')

test('a folder without files, with too many or too large ones is none', async () => {
  const huge: ByteSource = { size: 3e9, read: async () => new Uint8Array() }
  for (const [names, what] of [
    [['.hidden'], /no files/],
    [Array.from({ length: 101 }, (_, i) => `${i}`), /more than 100 files/],
    [['a', 'b'], /more than 4 GB/],
  ] as const) {
    const { detail } = await rejectedFormatError(openBundle(names, async () => huge))
    assert.match(detail, what)
  }
})

test.run()
