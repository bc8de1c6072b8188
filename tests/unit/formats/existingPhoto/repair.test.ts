import { readFile } from 'node:fs/promises'
import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { normalizeClip } from '@lantern-room/mp4/clip'
import { bytesOfParts, bytesSource, readNow } from '@lantern-room/mp4/source'
import { encodeTiff } from '#internal/formats/exif/tiff'
import { planRepair, type Repair } from '#internal/formats/existingPhoto/repair'
import { encodeSegment } from '#internal/formats/jpeg/jpeg'
import { inspect } from '#internal/formats/motionPhoto/inspect'
import { readMotionPhoto } from '#internal/formats/motionPhoto/read'
import { assembleMotionPhoto } from '#internal/formats/newPhoto/assemble'
import { MOTION_PHOTO_PROFILES, type MotionPhotoProfile } from '#internal/formats/profiles/profile'
import { assert, suite } from '../../../support/runner/suite'
import { collect } from '../../../support/values/collect'
import { equalBytes } from '../../../support/values/equalBytes'
import { isFormatError } from '../../../support/values/failures'
import { baselineJpeg, comment, withSegments } from '../motionPhoto/sampleJpeg'
import { sampleParts } from '../motionPhoto/sampleParts'
import {
  clip,
  description,
  gainMap,
  item,
  motion,
  phones,
  primary,
  video,
  withDirectory,
  withMoment,
  withXmp,
} from '../motionPhoto/samplePhones'

const test = suite('repair')

async function mend(file: Uint8Array, profile: MotionPhotoProfile = 'universal') {
  const repair = readNow(planRepair({ size: file.length }, profile), file)
  const bytes = concatBytes(await collect(bytesOfParts(repair.parts, bytesSource(file))))
  assert.is(bytes.length, repair.size)
  return { ...repair, bytes }
}

function recognisedBy({ after }: Repair): string {
  return after.galleries
    .filter(({ recognised }) => recognised === 'yes')
    .map(({ gallery }) => gallery)
    .join(' ')
}

/** Everything of an image from its first table on: what decides about its pixels. */
function scanData(file: Uint8Array): Uint8Array {
  const photo = readMotionPhoto(file)
  const table = photo?.segments.find(({ marker }) => marker === 0xdb)
  return file.subarray(table?.start, photo?.primaryLength)
}

function clipOf(file: Uint8Array): Uint8Array {
  const found = readMotionPhoto(file)?.clip
  return file.subarray(found?.offset, (found?.offset ?? 0) + (found?.length ?? 0))
}

const ALL = 'google samsung xiaomi oppo vivo android'
const expected: Readonly<Record<string, string>> = {
  'OPPO: a length that is 131 too short, two videos, a block between them': 'google xiaomi oppo vivo android',
  'a second video right after the first': 'google xiaomi oppo vivo android',
  'Huawei: a text of 60 bytes after the clip': 'google xiaomi oppo vivo android',
}
for (const [name, file] of Object.entries(phones)) {
  test(`${name}: mended for ${expected[name] ?? ALL}`, async () => {
    const before = file.slice()
    const mended = await mend(file)
    assert.is(recognisedBy(mended), expected[name] ?? ALL)
    equalBytes(scanData(mended.bytes), scanData(file), 'the picture')
    equalBytes(clipOf(mended.bytes), clip, 'the clip')
    equalBytes(file, before, 'the input')
    equalBytes((await mend(mended.bytes)).bytes, mended.bytes, 'nothing is left to mend')
  })
}

for (const profile of MOTION_PHOTO_PROFILES) {
  test(`a whole ${profile} file comes out as it is`, async () => {
    const file = assembleMotionPhoto({ ...sampleParts, profile })
    equalBytes((await mend(file, profile)).bytes, file)
  })
}

test('hev1 becomes hvc1 where the entry has all parameter sets, and nothing else changes', async () => {
  const hev1 = normalizeClip(new Uint8Array(await readFile('tests/fixtures/media/hev1.mp4')))
  const file = assembleMotionPhoto({ ...sampleParts, profile: 'universal', clip: hev1 })
  const told = (bytes: Uint8Array) => {
    const { galleries } = readNow(inspect({ size: bytes.length }), bytes)
    const { problems } = galleries.find(({ gallery }) => gallery === 'apple') ?? {}
    return problems?.find(({ code }) => code === 'clip-hev1')
  }
  assert.match(told(file)?.repair ?? '', 'hvc1')
  const { bytes } = await mend(file)
  assert.is(bytes.length, file.length)
  assert.is(told(bytes), undefined)
  const wanted = Buffer.from(file)
  wanted.write('hvc1', wanted.indexOf('hev1'))
  const lists = [32, 33, 34].map((type) => wanted.indexOf(Buffer.of(type, 0, 1, 0), wanted.indexOf('hvcC')))
  for (const at of lists) wanted[at] = 0x80 | Number(wanted[at])
  equalBytes(bytes, wanted)
  equalBytes((await mend(bytes)).bytes, bytes)

  // The set of pictures becomes a message: it is missing then.
  const lacking = Buffer.from(file)
  lacking[Number(lists[2]) + 5] = 39 << 1
  assert.is(told(lacking)?.repair, undefined)
  assert.match(told(lacking)?.detail ?? '', /anew/)
  equalBytes((await mend(lacking)).bytes, lacking)
})

test("a photo is mended for Huawei by a tail, which takes the place of Samsung's trailer or of a wrong tail", async () => {
  const huawei = assembleMotionPhoto({ ...sampleParts, profile: 'huawei' })
  for (const file of [
    assembleMotionPhoto({ ...sampleParts, profile: 'universal' }),
    assembleMotionPhoto({ ...sampleParts, profile: 'google' }),
    concatBytes([huawei.subarray(0, -15), asciiBytes('9'), huawei.subarray(-14)]),
  ]) {
    const mended = await mend(file, 'huawei')
    assert.match(recognisedBy(mended), /\bhuawei\b/)
    equalBytes(mended.bytes.subarray(-60), huawei.subarray(-60))
    equalBytes(clipOf(mended.bytes), clip)
    equalBytes(scanData(mended.bytes), scanData(file))
  }
})

test('a phone with a gain map keeps it, and its MPF index leads to it', async () => {
  const twoImages = encodeTiff([[{ tag: 0xb002, bytes: new Uint8Array(32) }]])
  const index = encodeSegment(0xe2, concatBytes([asciiBytes('MPF\0'), twoImages]))
  const picture = withXmp(
    withSegments(baselineJpeg, index),
    description(motion, primary + item('image/jpeg', 'GainMap', gainMap.length) + video(clip.length)),
  )
  const tiffAt = Buffer.from(picture).indexOf('MPF\0') + 4
  const view = new DataView(picture.buffer, picture.byteOffset)
  view.setUint32(tiffAt + 26 + 4, picture.length, true)
  view.setUint32(tiffAt + 26 + 16 + 4, gainMap.length, true)
  view.setUint32(tiffAt + 26 + 16 + 8, picture.length - tiffAt, true)
  const { bytes } = await mend(concatBytes([picture, gainMap, clip]))
  const photo = readMotionPhoto(bytes)
  const newTiffAt = Buffer.from(bytes).indexOf('MPF\0') + 4
  assert.is(photo?.mpf?.[0]?.size, photo?.primaryLength)
  const second = photo?.mpf?.[1]
  const at = newTiffAt + (second?.offset ?? 0)
  equalBytes(bytes.subarray(at, at + (second?.size ?? 0)), gainMap)
  const items = photo?.xmp?.items.map(({ semantic, length, padding }) => `${semantic} ${length} ${padding}`)
  assert.equal(items, ['Primary 0 24', `GainMap ${gainMap.length} 24`, `MotionPhoto ${clip.length + 83} 0`])
})

test("Xiaomi's tag moves from IFD0 to ExifIFD, and the rest of EXIF stays", async () => {
  const tiff = encodeTiff([
    [
      { tag: 0x0110, ascii: 'Phone 9' },
      { tag: 0x8769, ifd: [{ tag: 0x9003, ascii: '2024:05:06 07:08:09' }] },
      { tag: 0x8897, byteValues: [1] },
    ],
    [
      { tag: 0x0201, blob: baselineJpeg },
      { tag: 0x0202, long: baselineJpeg.length },
    ],
  ])
  const exif = encodeSegment(0xe1, concatBytes([asciiBytes('Exif\0\0'), tiff]))
  const picture = withXmp(
    withSegments(baselineJpeg, exif, comment),
    description(motion, primary + video(clip.length)),
  )
  const photo = readMotionPhoto((await mend(concatBytes([picture, clip]))).bytes)
  const { xiaomiMark, dateTimeOriginal, userComment, thumbnail } = photo?.exif ?? {}
  assert.equal(
    { xiaomiMark, dateTimeOriginal, userComment },
    { xiaomiMark: 'ExifIFD', dateTimeOriginal: '2024:05:06 07:08:09', userComment: 'oplus_8388608' },
  )
  equalBytes(thumbnail ?? new Uint8Array(), baselineJpeg)
})

test('the moment of the picture moves into the clip, and stays where it is right', async () => {
  const mended = async (us: number) =>
    readMotionPhoto((await mend(withMoment(us))).bytes)?.xmp?.presentationTimestampUs
  assert.is(await mended(66_667), 66_667)
  assert.is(await mended(9_000_000), 100_000)
})

test('a photo whose marks are gone is marked again', async () => {
  const mended = await mend(concatBytes([baselineJpeg, clip]))
  assert.is(recognisedBy(mended), ALL)
  equalBytes(clipOf(mended.bytes), clip)
})

const refused: Record<string, readonly [Uint8Array, RegExp]> = {
  'a photo that lost its clip': [
    withDirectory(video(9)),
    /google: The file has no video.*samsung: The file has no video/,
  ],
  'a picture that is cut': [
    concatBytes([withDirectory(video(clip.length)).subarray(0, -2), clip]),
    /picture is cut/,
  ],
  'a directory with more after the video': [
    concatBytes([
      withDirectory(video(clip.length + gainMap.length) + item('image/jpeg', 'Depth', gainMap.length)),
      clip,
      gainMap,
    ]),
    /more after the video/,
  ],
  'XMP without a description': [
    concatBytes([
      withXmp(
        baselineJpeg,
        `<GCamera:MotionPhoto>1</GCamera:MotionPhoto><GCamera:MicroVideo>1</GCamera:MicroVideo>`,
      ),
      clip,
    ]),
    /XMP/,
  ],
  'XMP without room': [
    concatBytes([withXmp(baselineJpeg, description(motion) + ' '.repeat(64_500)), clip]),
    /no room/,
  ],
}
for (const [name, [file, detail]] of Object.entries(refused)) {
  test(`refused: ${name}`, () => {
    const repair = () => readNow(planRepair({ size: file.length }, 'universal'), file)
    assert.throws(repair, isFormatError('irreparable', detail))
  })
}

test('a picture of thousands of segments is read in few ranges, and becomes few parts', () => {
  const photo = assembleMotionPhoto({ ...sampleParts, profile: 'google' })
  const segments = Array<Uint8Array>(2000).fill(encodeSegment(0xfe, new Uint8Array()))
  const file = concatBytes([photo.subarray(0, 2), ...segments, photo.subarray(2)])
  const reading = planRepair({ size: file.length }, 'legacy')
  let step = reading.next()
  let ranges = 0
  for (; !step.done; ranges += 1) step = reading.next(file.subarray(step.value.start, step.value.end))
  assert.ok(ranges < 4 * segments.length, `${ranges} ranges`)
  assert.ok(step.value.parts.length < 20, `${step.value.parts.length} parts`)
})

test.run()
