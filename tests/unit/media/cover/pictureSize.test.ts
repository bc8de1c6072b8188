import sharp from 'sharp'
import { pictureSize } from '#core/media/cover/pictureSize'
import { assert, suite } from '#support/runner/suite'

const test = suite('size of a PNG or WebP')

const picture = (channels: 3 | 4) =>
  sharp({ create: { width: 321, height: 123, channels, background: { r: 1, g: 200, b: 30, alpha: 0.5 } } })

const cases = {
  PNG: picture(4).png(),
  'WebP with losses': picture(3).webp({ quality: 50 }),
  'WebP without losses': picture(4).webp({ lossless: true }),
  'WebP with alpha': picture(4).webp({ quality: 50 }),
}

for (const [name, made] of Object.entries(cases)) {
  test(`of a ${name} it is in its first bytes`, async () => {
    const bytes = await made.toBuffer()
    assert.equal(pictureSize(bytes.subarray(0, 64)), { width: 321, height: 123 })
    assert.is(pictureSize(bytes.subarray(0, 29)), undefined)
  })
}

test('other files have none', () => {
  assert.is(pictureSize(new Uint8Array(64)), undefined)
})

test.run()
