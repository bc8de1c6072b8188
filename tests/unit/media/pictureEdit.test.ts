import {
  checkCrop,
  cropRect,
  editFilters,
  parseCrop,
  parseRotation,
  type Rotation,
  scaledEditFilters,
  turnedOrientation,
  uprightFilters,
} from '#internal/media/pictureEdit'
import { assert, suite } from '#support/runner/suite'
import { thrownRefusal } from '#support/values/failures'

const test = suite('crop and rotation')

const source = { width: 1920, height: 1080 }

function crop(text: string) {
  const parsed = parseCrop(text)
  if (!parsed) throw new Error(`${text} is no crop`)
  return parsed
}

test('a crop is a ratio, or pixels with or without a corner', () => {
  assert.equal(parseCrop('9:16'), { kind: 'ratio', width: 9, height: 16 })
  assert.equal(parseCrop('1.85:1'), { kind: 'ratio', width: 1.85, height: 1 })
  assert.equal(parseCrop('720x480'), { kind: 'pixels', width: 720, height: 480, corner: undefined })
  assert.equal(parseCrop('720x480+10+20'), {
    kind: 'pixels',
    width: 720,
    height: 480,
    corner: { x: 10, y: 20 },
  })
  for (const text of ['', '1', '0:1', '1:0', '1:1:1', '-1:1', '1x', '5x5+1', '5x5+-1+1', '100000x1', 'a:b'])
    assert.is(parseCrop(text), undefined, text)
})

test('it leaves even pixels, of a smaller picture the same part', () => {
  const small = { width: 1280, height: 720 }
  const cases: readonly [string, typeof source, object][] = [
    ['1:1', source, { width: 1080, height: 1080, x: 420, y: 0 }],
    ['9:16', source, { width: 608, height: 1080, x: 656, y: 0 }],
    ['16:9', small, { width: 1280, height: 720, x: 0, y: 0 }],
    ['960x540+480+270', small, { width: 640, height: 360, x: 320, y: 180 }],
    ['1920x1080', small, { width: 1280, height: 720, x: 0, y: 0 }],
    ['101x101+1819+979', source, { width: 102, height: 102, x: 1818, y: 978 }],
  ]
  for (const [text, size, rect] of cases) assert.equal(cropRect(crop(text), source, size), rect, text)
})

test('outside of the picture, or too small, it is refused', () => {
  for (const text of ['1921x10', '100x100+1900+0', '100x100+0+1000', '15x100', '1:100']) {
    const { detail } = thrownRefusal(() => checkCrop(crop(text), { ...source, height: 1080 }), 'out-of-range')
    assert.ok(detail.includes('1920x1080'), text)
  }
  checkCrop(crop('1920x1080+0+0'), source)
  checkCrop(undefined, source)
})

test('the filters crop first, then turn', () => {
  assert.equal(editFilters({ crop: crop('1:1'), rotate: 90 }, source, source), [
    'crop=1080:1080:420:0',
    'transpose=clock',
  ])
  assert.equal(editFilters({ crop: undefined, rotate: 180 }, source, source), ['hflip', 'vflip'])
  assert.equal(editFilters({ crop: undefined, rotate: 0 }, source, source), [])
  assert.equal(scaledEditFilters({ crop: undefined, rotate: 270 }, source), ['transpose=cclock'])
  assert.equal(scaledEditFilters({ crop: crop('1:1'), rotate: 0 }, source), [
    "crop='max(2,2*round(iw*0.5625/2))':'max(2,2*round(ih*1/2))':iw*0.21875:ih*0",
  ])
})

test('a rotation is one of four', () => {
  assert.equal(['0', '90', '180', '270'].map(parseRotation), [0, 90, 180, 270])
  assert.equal(['45', '', '-90'].map(parseRotation), [undefined, undefined, undefined])
})

/** Where the corners of a picture go by filters: of the numbers 1 2 above 3 4. */
function turned(filters: readonly string[]): string {
  const moves: Readonly<Record<string, string>> = {
    hflip: '2143',
    vflip: '3412',
    'transpose=clock': '3142',
    'transpose=cclock': '2413',
    'transpose=clock_flip': '4231',
    'transpose=cclock_flip': '1324',
  }
  return filters.reduce(
    (now, filter) => [...(moves[filter] ?? '')].map((place) => now[Number(place) - 1]).join(''),
    '1234',
  )
}

test('an orientation that is turned shows what the filters would', () => {
  for (let orientation = 1; orientation <= 8; orientation++) {
    for (const rotate of [0, 90, 180, 270] satisfies Rotation[]) {
      const filters = [
        ...uprightFilters(orientation),
        ...editFilters({ crop: undefined, rotate }, source, source),
      ]
      const shown = turned(uprightFilters(turnedOrientation(orientation, rotate)))
      assert.is(shown, turned(filters), `${orientation}, ${rotate}`)
    }
  }
})

test.run()
