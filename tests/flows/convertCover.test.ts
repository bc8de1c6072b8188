import sharp from 'sharp'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import { B_FRAMES, X264 } from '#support/media/containers'
import { mediaFolderOfSuite } from '#support/media/media'
import { createMediaTools, type Prepared } from '#support/media/mediaTools'
import { detail, difference, frameOf, pictureOf } from '#support/media/pixels'
import { assert, suite } from '#support/runner/suite'

// The cover comes from the original and must be the picture that the preview showed; `prepareWindow` tries that in every container.

const test = suite('covers', { timeoutMs: 120_000 })
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

test('the last frame has a cover, and so has the very end', async () => {
  const made = await tools.prepare(await makeCoded(media, 'last.mp4', [48, 24], B_FRAMES))
  for (const cover of [(made.frames - 1) / 30, made.frames / 30]) {
    assert.equal(await readNumbers((await tools.shoot(made, { cover })).path), [47])
  }
})

test('pictures that begin late: the first stands as cover, too', async () => {
  const late = ['-f', 'lavfi', '-i', 'sine=d=3', '-vf', 'setpts=PTS+1/TB', '-fps_mode', 'passthrough']
  const made = await tools.prepare(
    await makeCoded(media, 'late.mp4', [60], [...late, ...X264, '-c:a', 'aac']),
  )
  for (const [frame, number] of [
    [0, 0],
    [30, 0],
    [31, 1],
    [75, 45],
  ] as const) {
    assert.equal(await readNumbers((await tools.shoot(made, { cover: frame / 30 })).path), [number])
  }
})

/** With as few steps as `maxiter` says: by itself the filter takes half a second for a picture. */
async function busy(name: string, size: string): Promise<Prepared> {
  const scene = `mandelbrot=s=${size}:r=10:start_scale=0.2:end_scale=0.1:end_pts=10:maxiter=300,scale=out_color_matrix=bt709`
  const upload = await media.make(name, [
    ...'-f lavfi -t 0.3'.split(' '),
    ...['-i', scene],
    ...X264,
    ...'-crf 12 -colorspace bt709'.split(' '),
  ])
  return tools.prepare(upload)
}

test('the cover is as large as the original, sharper than the preview, and the same picture', async () => {
  const made = await busy('large.mp4', '1600x900')
  const shot = await tools.shoot(made, { cover: 0.2 })
  const cover = await pictureOf(shot.path)
  assert.equal([cover.width, cover.height], [1600, 900])
  const original = await frameOf(made.upload, 2)
  assert.ok((await difference(cover, original)) < 2.5, 'it is the original')
  const preview = await frameOf(made.path, 6)
  assert.equal([preview.width, preview.height], [1280, 720])
  assert.ok((await difference(cover, preview)) < 6, 'and the moment of the preview')
  const blown = await pictureOf(
    await sharp(preview.rgb, { raw: { width: 1280, height: 720, channels: 3 } })
      .resize(1600, 900)
      .png()
      .toBuffer(),
  )
  assert.ok(detail(cover) > 1.15 * detail(blown), `${detail(cover)} and ${detail(blown)}`)
})

test('the EXIF thumbnail is small and shows the cover', async () => {
  for (const [size, expected] of [
    ['240x400', [192, 320]],
    ['640x32', [320, 16]],
    ['64x48', [64, 48]],
  ] as const) {
    const made = await busy(`thumbnail${size}.mp4`, size)
    const shot = await tools.shoot(made, { cover: 0.3 })
    const thumbnail = await pictureOf(shot.thumbnail)
    assert.equal([thumbnail.width, thumbnail.height], expected)
    assert.ok((await difference(thumbnail, await pictureOf(shot.path))) < 6, size)
  }
})

test('pictures that are nothing but noise still fit into a motion photo', async () => {
  // The first one's thumbnail is as noisy as itself, and would not fit into the EXIF; the second is a large file.
  for (const [size, longest] of [
    ['320x320', 160],
    ['1280x720', 320],
  ] as const) {
    const noise = `nullsrc=s=${size}:r=10:d=0.2,geq=lum=random(1)*255:cb=random(2)*255:cr=random(3)*255`
    const upload = await media.make('noise.mp4', ['-f', 'lavfi', '-i', noise, ...X264, '-qp', '10'])
    const shot = await tools.shoot(await tools.prepare(upload), { cover: 0.1 })
    const cover = await pictureOf(shot.path)
    assert.is(`${cover.width}x${cover.height}`, size)
    const thumbnail = await pictureOf(shot.thumbnail)
    assert.is(Math.max(thumbnail.width, thumbnail.height), longest)
    const mirrored = await pictureOf(await sharp(shot.thumbnail).flop().png().toBuffer())
    const [off, wrong] = [await difference(thumbnail, cover), await difference(mirrored, cover)]
    assert.ok(off < 0.8 * wrong, `it is of the cover: ${off}, and ${wrong} when mirrored`)
  }
})

test('an original that cannot be entered is replaced by the preview', async () => {
  const upload = await makeCoded(media, 'gone.mp4', [60], [...X264, '-g', '30'])
  const made = await tools.prepare(upload)
  await media.patch(upload, 'gone.mp4', (bytes) => bytes.subarray(0, 300))
  const shot = await tools.shoot(made, { cover: 1 })
  assert.equal(await readNumbers(shot.path), [30])
})

test.run()
