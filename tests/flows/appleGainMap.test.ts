import { readFile } from 'node:fs/promises'
import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { headerOf } from '@lantern-room/formats/gainMap'
import { encodeSegment } from '@lantern-room/formats/pictures'
import { uint32s } from '@lantern-room/mp4/boxes'
import { piecesOfParts } from '@lantern-room/mp4/source'
import sharp from 'sharp'
import { encodeMakerNote, withIdentifier } from '#internal/formats/exif/makerNote'
import { patchExif } from '#internal/formats/exif/patchExif'
import { readExif } from '#internal/formats/exif/readExif'
import { encodeEntry } from '#internal/formats/exif/tiff'
import { APP1 } from '#internal/formats/jpeg/jpeg'
import { changeHeader } from '#internal/formats/motionPhoto/imageHeader'
import { XMP_MARK } from '#internal/formats/xmp/xmp'
import { exiftool } from '#support/media/exiftool'
import { heicFile } from '#support/media/heicFile'
import { livePair, PHONE_TAGS } from '#support/media/livePair'
import { ffmpeg, film, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { mustRunProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'

// Apple's gain maps, as iPhones leave them in JPEG and HEIC, become those of Ultra HDR, before exiftool and sharp.

const test = suite("Apple's gain maps", { timeoutMs: 240_000 })

const media = await mediaFolderOfSuite()
const { photo: plain, movie } = await livePair(media, 'IMG', await media.make('a.mp4', film('160x120', 2)))

/** Grey values in bars of 16 pixels. */
const VALUES = [0, 16, 64, 128, 200, 255]
const size = { width: VALUES.length * 16, height: 32 }
const bars = Buffer.alloc(size.width * size.height).map((_, i) => VALUES[(i % size.width) >> 4] ?? 0)
const jpeg = await sharp(bars, { raw: { ...size, channels: 1 } })
  .jpeg({ quality: 100 })
  .toBuffer()

const VERSION = '<x HDRGainMap:HDRGainMapVersion="65536"/>'

/** The photo with Apple's two fractions for maps in its MakerNote, and another JPEG behind it. */
async function photoWith(name: string, numbers: readonly [number, number] | [], xmp: string, map = jpeg) {
  const entry = (tag: number, value: number) => encodeEntry({ tag, type: 10, count: 1, value }, false)
  const places = [entry(0x0021, 44), entry(0x0030, 52), uint32s(0, ...numbers.flatMap((n) => [n * 1e6, 1e6]))]
  const note = concatBytes([asciiBytes('Apple iOS\0\0\x01MM\0\x02'), ...places])
  const packet = encodeSegment(APP1, concatBytes([XMP_MARK, asciiBytes(xmp)]))
  const other = concatBytes([map.subarray(0, 2), packet, map.subarray(2)])
  const photo = await readFile(plain)
  const header = headerOf(photo)
  const { exif = new Uint8Array() } = header.metadata
  const id = readExif(exif)?.contentIdentifier ?? ''
  const makerNote = (numbers.length > 0 && withIdentifier(note, id)) || encodeMakerNote(id)
  const changed = patchExif(exif, { isXiaomi: false, comment: undefined, makerNote })
  const parts = changeHeader(header, photo.length, { exif: changed, xmp: undefined, mpf: other.length }) ?? []
  return media.write(name, concatBytes([...piecesOfParts(parts, photo), other]))
}

async function make(photo: string, items: string, pictures: number): Promise<string> {
  const out = `${photo}_MP.jpg`
  await mustRunProgram([photo, movie, '-qfo', out])
  const names = ['LensModel', 'DirectoryItemSemantic', 'NumberOfImages'].map((name) => `-${name}`)
  const tags = (await exiftool('-s3', ...names, out)).toString()
  assert.is(tags, `${PHONE_TAGS.LensModel}\n${items}\n${pictures}\n`, photo)
  return out
}

/** The factors that the map's numbers and bars give, against Apple's rule. */
async function assertGains(photo: string, headroom: number): Promise<void> {
  const map = await exiftool('-b', '-MPImage2', await make(photo, 'Primary, GainMap, MotionPhoto', 2))
  const names = ['GainMapMax', 'GainMapMin', 'Gamma', 'OffsetSDR', 'OffsetHDR'].map((name) => `-${name}`)
  const numbers = await exiftool('-s3', ...names, await media.write('map.jpg', map))
  const [max = 0, ...others] = numbers.toString().trim().split('\n').map(Number)
  assert.equal(others, [0, 1, 0, 0])
  const { data, info } = await sharp(map).greyscale().raw().toBuffer({ resolveWithObject: true })
  assert.is(info.width, size.width)
  for (const [bar, value] of VALUES.entries()) {
    const gain = 2 ** ((max * (data[16 * info.width + bar * 16 + 8] ?? 0)) / 255)
    const light = value / 255 < 0.081 ? value / 255 / 4.5 : ((value / 255 + 0.099) / 1.099) ** (1 / 0.45)
    const apples = 1 + (headroom - 1) * light
    assert.ok(Math.abs(gain / apples - 1) < 0.02, `${value}: ${gain}, not ${apples}`)
  }
}

test('of a JPEG, by the MakerNote or by what the map says', async () => {
  await assertGains(await photoWith('note.jpg', [1.01, 0.5], VERSION), 2 ** 2.1515)
  await assertGains(await photoWith('dim.jpg', [0.5, 0.5], VERSION), 2 ** 1.5505)
  const said = `${VERSION}<HDRGainMap:HDRGainMapHeadroom>6.5</HDRGainMap:HDRGainMapHeadroom>`
  await assertGains(await photoWith('said.jpg', [], said), 6.5)
})

test('without numbers, light, or a whole map, and for a preview, the photo has none', async () => {
  const cut = Buffer.concat([jpeg.subarray(0, -300), jpeg.subarray(-2)])
  for (const photo of [
    await photoWith('no numbers.jpg', [], VERSION),
    await photoWith('no light.jpg', [1, 9], VERSION),
    await photoWith('damaged.jpg', [1.01, 0.5], VERSION, cut),
    await photoWith('preview.jpg', [1.01, 0.5], ''),
  ])
    await make(photo, 'Primary, MotionPhoto', 1)
})

test.skipUnless(...withEncoder('libx265'))('of a HEIC', async () => {
  const encode = (format: string) => {
    const input = ['-f', 'jpeg_pipe', '-i', 'pipe:0', '-vf', 'scale=out_range=pc', '-pix_fmt', format]
    const options = 'log-level=none:keyint=1:lossless=1'
    return ffmpeg([...input, '-c:v', 'libx265', '-x265-params', options, '-f', 'hevc', 'pipe:1'], jpeg)
  }
  const auxiliary = { stream: await encode('gray'), kind: 'urn:com:apple:photo:2020:aux:hdrgainmap' }
  const file = heicFile({ streams: [await encode('yuv420p')], tile: size, auxiliary })
  const heic = await media.write('IMG_2.HEIC', file)
  const noted = await photoWith('noted.jpg', [1.01, 0.005], VERSION)
  const tags = ['-EXIF:all', '-MakerNotes', '-XMP:all', '-XMP-HDRGainMap:HDRGainMapVersion=65536']
  await exiftool('-q', '-overwrite_original', '-tagsFromFile', noted, ...tags, heic)
  await assertGains(heic, 2 ** 2.65)
})

test.run()
