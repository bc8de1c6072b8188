import { readFile } from 'node:fs/promises'
import { tileOf } from '@lantern-room/formats/pictures'
import { makeCoded, makeCodedWebp, readNumbers } from '#support/media/codedPictures'
import { CONTAINERS, X264 } from '#support/media/containers'
import { mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { createMediaTools, type Prepared } from '#support/media/mediaTools'
import { difference, pictureOf } from '#support/media/pixels'
import { assert, suite } from '#support/runner/suite'

// Every picture bears a number, so that one can tell whether a tile or a thumbnail shows the frame that it says.

const test = suite('filmstrips and frames', { timeoutMs: 120_000 })
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

type Strip = { readonly jpeg: Uint8Array; readonly layout: NonNullable<Prepared['strip']>['layout'] }

async function stripOf({ strip }: Prepared): Promise<Strip> {
  if (!strip) throw new Error('There is no filmstrip.')
  return { jpeg: new Uint8Array(await readFile(strip.path)), layout: strip.layout }
}

/** The JPEGs of the tiles, one after the other. */
function tilesOf({ jpeg, layout }: Strip): Uint8Array[] {
  return Array.from({ length: layout.tiles }, (_, index) => {
    const tile = tileOf(jpeg, layout, index)
    if (!tile) throw new Error(`There is no tile ${index}.`)
    return tile
  })
}

/** Fails unless each tile shows the frame of the preview that it stands for. */
async function showsItsFrames(made: Prepared): Promise<Strip> {
  const strip = await stripOf(made)
  const shown = await readNumbers(made.path)
  assert.is(strip.layout.tiles, Math.ceil(made.frames / strip.layout.interval))
  const tiles = await media.write('tiles.mjpeg', Buffer.concat(tilesOf(strip)))
  assert.equal(
    await readNumbers(tiles, ['-f', 'mjpeg']),
    shown.filter((_, frame) => frame % strip.layout.interval === 0),
  )
  return strip
}

for (const name of [
  'MP4, B-frames and open groups',
  'MP4 of a variable rate',
  'WebM as a browser records it, without an index',
  'MPEG transport stream, B-frames, beginning at an hour',
]) {
  const { file = '', rate = 30, args = [], needs } = CONTAINERS[name] ?? {}
  test.skipUnless(...withEncoder(needs))(`${name}: each tile shows the frame that it says`, async () => {
    await showsItsFrames(await tools.prepare(await makeCoded(media, file, [rate * 3, rate], args)))
  })
}

test('so do the tiles of a part of a video', async () => {
  const upload = await makeCoded(media, 'part.mp4', [300, 30], [...X264, '-g', '40'])
  const made = await tools.prepare(upload, { window: { from: 4, to: 7, mustFit: true } })
  const { layout } = await showsItsFrames(made)
  assert.is(layout.tiles, 18)
})

test('so do those of a GIF and of a WebP', async () => {
  await showsItsFrames(await tools.prepare(await makeCoded(media, 'numbers.gif', [20, 10], ['-f', 'gif'])))
  const webp = await makeCodedWebp(media, 'numbers.webp', Array<number>(8).fill(200))
  await showsItsFrames(await tools.prepare(webp))
})

test('a strip of pictures of colour has the colours of the preview, also with transparency', async () => {
  for (const [name, args] of [
    ['colour.mp4', ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=30:d=1', ...X264, '-crf', '15']],
    ['portrait.mp4', ['-f', 'lavfi', '-i', 'testsrc2=s=360x640:r=30:d=1', ...X264, '-crf', '15']],
    ['holes.gif', ['-f', 'lavfi', '-i', 'color=red@0.0:s=64x48:r=10:d=1,format=rgba', '-f', 'gif']],
  ] as const) {
    const made = await tools.prepare(await media.make(name, args))
    const strip = await stripOf(made)
    const [first = new Uint8Array()] = tilesOf(strip)
    const thumbnail = await pictureOf(await tools.thumbnail(made, 0, strip.layout.tileWidth))
    const tile = await pictureOf(Buffer.from(first))
    assert.equal([tile.width, tile.height], [strip.layout.tileWidth, strip.layout.tileHeight])
    assert.ok(Math.abs(thumbnail.height - tile.height) <= 1)
    assert.ok((await difference(tile, thumbnail)) < 6, `${name}: ${await difference(tile, thumbnail)}`)
  }
})

test('without its filmstrip a preview is made as with it', async () => {
  const upload = await makeCoded(media, 'same.mp4', [40, 30], X264)
  const [withStrip, without] = [
    await tools.prepare(upload),
    await tools.prepare(upload, { makesStrip: false }),
  ]
  assert.is(without.strip, undefined)
  assert.ok(Buffer.from(await readFile(without.path)).equals(await readFile(withStrip.path)))
})

test('any frames of a preview are taken by one run, and are what each alone would be', async () => {
  const made = await tools.prepare(await makeCoded(media, 'frames.mp4', [100, 30], X264))
  const shown = await readNumbers(made.path)
  const wanted = [0, 14, 15, 44, 99]
  const together = await tools.thumbnails(made, wanted, 160)
  for (const [index, frame] of wanted.entries()) {
    const path = together[index] ?? ''
    assert.equal(await readNumbers(path), [shown[frame]], `frame ${frame}`)
    const alone = await readFile(await tools.thumbnail(made, frame, 160))
    assert.ok(alone.equals(await readFile(path)), `frame ${frame}`)
  }
})

test.run()
