import { asciiBytes, latin1 } from '#core/bytes'
import { isBundleName, openBundle } from '#core/formats/livePhoto/bundleSource'
import { readZip } from '#core/formats/livePhoto/readZip'
import { type ByteSource, bytesSource } from '#core/formats/source/byteSource'
import { readNow } from '#core/formats/source/reading'
import { assert, suite } from '../../../support/runner/suite'
import { rejectedRefusal } from '../../../support/values/failures'

const test = suite('bundles of Live Photos')

test('a bundle reads as a ZIP of its files, in every range, without the hidden ones', async () => {
  const texts = new Map(Object.entries({ 'a.JPG': 'the photo', 'a.MOV': 'the video', '.DS_Store': '-' }))
  const opened: string[] = []
  const source = await openBundle([...texts.keys()], async (name) => {
    opened.push(name)
    return bytesSource(asciiBytes(texts.get(name) ?? ''))
  })
  const whole = await source.read(0, source.size)
  const entries = readNow(readZip({ size: whole.length }), whole) ?? []
  const files = entries.map(({ name, start, size }) => `${name}: ${latin1(whole, start, start + size)}`)
  assert.equal(files, ['a.JPG: the photo', 'a.MOV: the video'])
  assert.equal(opened, ['a.JPG', 'a.MOV'])
  for (let start = 0; start < source.size; start += 7)
    assert.equal(await source.read(start, Math.min(source.size, start + 40)), whole.slice(start, start + 40))
})

test('a folder without files, with too many or too large ones is none', async () => {
  const huge: ByteSource = { size: 3e9, read: async () => new Uint8Array() }
  for (const [names, what] of [
    [['.hidden'], /no files/],
    [Array.from({ length: 101 }, (_, i) => `${i}`), /more than 100 files/],
    [['a', 'b'], /more than 4 GB/],
  ] as const) {
    const { detail } = await rejectedRefusal(openBundle(names, async () => huge))
    assert.match(detail, what)
  }
})

test('a bundle is known by the end of its name', () => {
  const names = ['a.pvt', '/x/a.PVT', '/x/a.pvt/', 'a.zip', '.pvt', '/x/.pvt', 'pvt']
  assert.equal(names.filter(isBundleName), ['a.pvt', '/x/a.PVT', '/x/a.pvt/'])
})

test.run()
