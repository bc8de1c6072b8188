import fc from 'fast-check'
import { fitsLevel31, previewSize } from '#internal/media/preview/previewArgs'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('preview size')

const table: readonly [shown: string, preview: string][] = [
  ['1920x1080', '1280x720'],
  ['1080x1920', '720x1280'],
  ['3840x2160', '1280x720'],
  ['1280x720', '1280x720'],
  ['720x1280', '720x1280'],
  ['641x359', '642x360'],
  ['4000x3000', '1104x828'],
  ['3000x4000', '828x1104'],
  ['960x960', '960x960'],
  ['961x961', '960x960'],
  ['8000x400', '2704x136'],
  ['400x8000', '136x2704'],
  ['10x2000', '10x2000'],
  ['100000x1', '2704x2'],
  ['1x1', '2x2'],
  ['2x2', '2x2'],
  ['1x2', '2x2'],
]
for (const [shown, preview] of table) {
  test(`${shown} is shown at ${preview}`, () => assert.equal(previewSize(size(shown), 'fit'), size(preview)))
}

test('source keeps the size and rounds it up to even', () => {
  assert.equal(previewSize(size('4001x2999'), 'source'), size('4002x3000'))
  assert.equal(previewSize(size('1x1'), 'source'), size('2x2'))
})

test('level 3.1 ends at 3600 macroblocks and at sides of 2704', () => {
  // A part of a macroblock is a macroblock.
  const sizes = ['1280x720', '1282x720', '1280x722', '2704x336', '2706x16', '16x2706']
  const fitting = sizes.filter((text) => fitsLevel31(size(text)))
  assert.equal(fitting, ['1280x720', '2704x336'])
})

test('whatever the size: even, within the level, not larger than the source, the aspect kept, no larger one fits', () => {
  const side = fc.integer({ min: 1, max: 20_000 })
  assertProperty(
    fc.property(side, side, (width, height) => {
      const made = previewSize({ width, height }, 'fit')
      assert.ok(fitsLevel31(made))
      assert.ok(made.width % 2 === 0 && made.height % 2 === 0 && made.width >= 2 && made.height >= 2)
      assert.ok(made.width <= width + 1 && made.height <= height + 1)
      const long = width >= height ? made.width : made.height
      const short = width >= height ? made.height : made.width
      const ratio = Math.min(width, height) / Math.max(width, height)
      assert.ok(Math.abs(short - long * ratio) <= 2, `${width}x${height} became ${made.width}x${made.height}`)
      const isWhole = made.width >= width && made.height >= height
      const larger = 2 * Math.round(((long + 2) * ratio) / 2)
      const grown =
        width >= height ? { width: long + 2, height: larger } : { width: larger, height: long + 2 }
      assert.ok(isWhole || !fitsLevel31(grown) || long + 2 > Math.max(width, height) + 1)
    }),
    { numRuns: 300 },
  )
})

function size(text: string): { width: number; height: number } {
  const [width = 0, height = 0] = text.split('x').map(Number)
  return { width, height }
}

test.run()
