import { concatBytes } from '@lantern-room/base/bytes'
import sharp from 'sharp'
import { joinTiles, tileOf } from '#internal/formats/jpeg/filmstrip'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

const test = suite('filmstrip')
const maxTiles = 60

type Look = { readonly width: number; readonly height: number; readonly chromaSubsampling: string }
const USUAL: Look = { width: 160, height: 90, chromaSubsampling: '4:2:0' }

/** A picture whose content tells its number. */
async function picture(number: number, { width, height, chromaSubsampling }: Look = USUAL) {
  const length = width * height * 3
  const pixels = Uint8Array.from({ length }, (_, at) => (at * (number + 3)) >> (number % 5))
  const jpeg = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 70, optimiseCoding: false, chromaSubsampling })
    .toBuffer()
  return new Uint8Array(jpeg)
}

const pictures = (count: number, look?: Look) =>
  Promise.all(Array.from({ length: count }, (_, number) => picture(number, look)))

function join(tiles: readonly Uint8Array[], frames = tiles.length * 5, interval = 5) {
  const joined = joinTiles(concatBytes(tiles), { frames, interval, maxTiles })
  if (!joined) throw new Error('The tiles were not joined.')
  return joined
}

test('every tile of a strip is the picture that was put in, byte for byte', async () => {
  for (const look of [
    USUAL,
    { width: 90, height: 160, chromaSubsampling: '4:2:0' },
    { width: 33, height: 17, chromaSubsampling: '4:4:4' },
    { width: 1, height: 1, chromaSubsampling: '4:2:0' },
  ]) {
    const tiles = await pictures(19, look)
    const { jpeg, strip } = join(tiles)
    for (const [index, tile] of tiles.entries())
      equalBytes(tileOf(jpeg, strip, index) ?? new Uint8Array(), tile)
    assert.is(tileOf(jpeg, strip, 19), undefined)
  }
})

test('a strip is one picture with its tiles below each other', async () => {
  const tiles = await pictures(11)
  const { jpeg, strip } = join(tiles)
  assert.equal(strip, { tileWidth: 160, tileHeight: 90, rowHeight: 96, tiles: 11, interval: 5 })
  const { data, info } = await sharp(jpeg, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true })
  assert.equal([info.width, info.height], [160, 11 * 96])
  for (const [index, tile] of tiles.entries()) {
    const alone = await sharp(tile).raw().toBuffer()
    // The rows at the edges are mixed with the colour of their neighbours when they are shown.
    const rows = (all: Buffer, top: number) => all.subarray((top + 2) * 480, (top + 88) * 480)
    equalBytes(rows(data, index * 96), rows(alone, 0), `tile ${index}`)
  }
})

test('pictures after the last frame are left out', async () => {
  const tiles = await pictures(4)
  assert.is(join(tiles, 16).strip.tiles, 4)
  assert.is(join(tiles, 15).strip.tiles, 3)
  assert.is(join(tiles, 1).strip.tiles, 1)
})

test('too many pictures are thinned out evenly', async () => {
  const tiles = await pictures(maxTiles + 1)
  const { jpeg, strip } = join(tiles)
  assert.equal([strip.tiles, strip.interval], [31, 10])
  equalBytes(tileOf(jpeg, strip, 30) ?? new Uint8Array(), tiles[60] ?? new Uint8Array())
})

test('pictures that differ in size or tables, are cut, or are none cannot be joined', async () => {
  const [first = new Uint8Array(), second = new Uint8Array()] = await pictures(2)
  const preview = { frames: 60, interval: 5, maxTiles }
  const other = new Uint8Array(await sharp(first).jpeg({ quality: 30, optimiseCoding: false }).toBuffer())
  const grey = new Uint8Array(await sharp(first).toColourspace('b-w').jpeg().toBuffer())
  const progressive = new Uint8Array(await sharp(first).jpeg({ progressive: true }).toBuffer())
  const smaller = await picture(1, { ...USUAL, height: 80 })
  assert.is(joinTiles(new Uint8Array(), preview), undefined)
  for (const bad of [other, smaller, Uint8Array.of(1, 2)])
    assert.is(joinTiles(concatBytes([first, bad]), preview), undefined)
  for (const alone of [grey, progressive]) assert.is(joinTiles(alone, preview), undefined)
  const two = concatBytes([first, second])
  for (let end = first.length + 1; end < two.length; end += 7)
    assert.is(joinTiles(two.subarray(0, end), preview), undefined, `cut after ${end} bytes`)
})

test('what is no strip has no tiles', async () => {
  const [tile = new Uint8Array()] = await pictures(1)
  const { strip, jpeg } = join([tile])
  assert.is(tileOf(tile, strip, 0), undefined)
  assert.is(tileOf(new Uint8Array(), strip, 0), undefined)
  assert.is(tileOf(jpeg.subarray(0, jpeg.length - 1), strip, 0), undefined)
})

test.run()
