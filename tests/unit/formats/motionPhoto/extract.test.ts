import { asciiBytes, concatBytes } from '#core/bytes'
import { withIdentifier } from '#core/formats/exif/makerNote'
import { patchExif } from '#core/formats/exif/patchExif'
import { encodeSegment } from '#core/formats/jpeg/jpeg'
import { assembleMotionPhoto } from '#core/formats/motionPhoto/assemble'
import { type Extracted, extractClip, extractStill } from '#core/formats/motionPhoto/extract'
import { readPhoto } from '#core/formats/motionPhoto/read'
import { CLIP_BLOCK_HEADER, encodeSamsungTrailer } from '#core/formats/motionPhoto/samsung'
import { MOTION_PHOTO_PROFILES } from '#core/formats/profiles/profile'
import { bytesSource } from '#core/formats/source/byteSource'
import { bytesOfParts } from '#core/formats/source/fileParts'
import { type Reading, readFrom, readNow } from '#core/formats/source/reading'
import { assert, suite } from '../../../support/runner/suite'
import { collect } from '../../../support/values/collect'
import { equalBytes } from '../../../support/values/equalBytes'
import { rejectedRefusal } from '../../../support/values/failures'
import { heicOf } from './sampleHeic'
import { progressiveJpeg, withSegments } from './sampleJpeg'
import { sampleParts } from './sampleParts'
import { clip, description, gainMap, motion, phones, video, withDirectory } from './samplePhones'

const test = suite('extract')

type Extraction = (file: { readonly size: number }) => Reading<Extracted>

async function extract(file: Uint8Array, extraction: Extraction): Promise<Uint8Array> {
  const source = bytesSource(file)
  const { parts } = await readFrom(extraction(source), source)
  return Buffer.concat(await collect(bytesOfParts(parts, source)))
}

test('the still has the same pixels and time, and nothing of a motion photo', async () => {
  const file = assembleMotionPhoto({ ...sampleParts, profile: 'legacy' })
  const still = await extract(file, extractStill)
  const photo = readNow(readPhoto({ size: still.length }), still)
  assert.equal([photo?.primaryLength, photo?.xmp], [still.length, undefined])
  const { xiaomiMark, userComment, dateTimeOriginal } = photo?.exif ?? {}
  assert.equal([xiaomiMark, userComment, dateTimeOriginal], [undefined, undefined, '2026:03:04 05:06:07'])
  const tables = photo?.segments.find(({ marker }) => marker === 0xdb)?.start
  equalBytes(still.subarray(tables), progressiveJpeg.subarray(2))
  await refused(still, extractClip, /without a video/)
})

test('the still has no bytes of a mark, an index or a trailer in it, but its gain map', async () => {
  for (const profile of MOTION_PHOTO_PROFILES) {
    const file = assembleMotionPhoto({ ...sampleParts, gainMap, profile })
    const still = Buffer.from(await extract(file, extractStill))
    for (const mark of [
      'oplus',
      'ns.vivo',
      'MotionPhoto',
      'MicroVideo',
      'SEFT',
      'LIVE_',
      'ftypmp42',
      '\x97\x88',
    ])
      assert.is(still.includes(mark, 0, 'latin1'), false, `${profile}: ${mark}`)
    const photo = readNow(readPhoto({ size: still.length }), still)
    const [first, second] = photo?.mpf ?? []
    assert.equal([first?.size, second?.size], [photo?.primaryLength, gainMap.length])
    equalBytes(still.subarray(still.indexOf('MPF\0') + 4 + (second?.offset ?? 0)), gainMap)
    const plain = await extract(assembleMotionPhoto({ ...sampleParts, profile }), extractStill)
    assert.is(Buffer.from(plain).includes('MPF\0'), false, 'an index of one picture')
  }
})

test('the still of a HEIC ends before its motion photo box, and has no marks', async () => {
  const file = heicOf({ xmp: description(motion), movie: clip, itemsIn: 'file' })
  const still = await extract(file, extractStill)
  assert.is(still.length, file.length - clip.length - 8)
  assert.is(Buffer.from(still).includes('MotionPhoto'), false)
  await refused(still, extractClip, /without a video/)
  equalBytes(await extract(file, extractClip), clip)
})

test('the still of an old Samsung HEIC ends before the block of its clip', async () => {
  const whole = heicOf({ xmp: description(''), movie: clip, itemsIn: 'file' })
  const picture = whole.subarray(0, whole.length - clip.length - 8)
  const file = Buffer.concat([picture, CLIP_BLOCK_HEADER, clip, encodeSamsungTrailer(clip.length, 0)])
  assert.is((await extract(file, extractStill)).length, picture.length)
  equalBytes(await extract(file, extractClip), clip)
})

test('a gain map that only the MPF index lists stays, right after the picture', async () => {
  const file = Buffer.from(assembleMotionPhoto({ ...sampleParts, gainMap, profile: 'google' }))
  file.write('Unknown', file.indexOf('"GainMap"') + 1)
  const still = Buffer.from(await extract(file, extractStill))
  const photo = readNow(readPhoto({ size: still.length }), still)
  const [first, second] = photo?.mpf ?? []
  assert.equal([first?.size, second?.size], [photo?.primaryLength, gainMap.length])
  equalBytes(still.subarray(photo?.primaryLength), gainMap)
  equalBytes(still.subarray(still.indexOf('MPF\0') + 4 + (second?.offset ?? 0)), gainMap)
  assert.ok(still.includes('hdrgm:Version'))
})

test("an iPhone's photo that was joined with its video loses the identifier, and no other note", async () => {
  const empty = asciiBytes('Apple iOS\0\0\x01MM\0\x01\0\x01\0\x09\0\0\0\x01\0\0\0\x0e\0\0\0\0')
  const makerNote = withIdentifier(empty, 'A-UUID') ?? empty
  const exif = patchExif(undefined, { isXiaomi: false, comment: 'mine', makerNote })
  const segment = encodeSegment(0xe1, concatBytes([asciiBytes('Exif\0\0'), exif ?? new Uint8Array()]))
  const file = concatBytes([withSegments(withDirectory(video(clip.length)), segment), clip])
  const still = Buffer.from(await extract(file, extractStill))
  const kept = readNow(readPhoto({ size: still.length }), still)?.exif
  assert.equal([kept?.contentIdentifier, kept?.userComment], [undefined, 'mine'])
  assert.equal([still.includes('A-UUID'), still.includes('MM\0\x01\0\x01\0\x09', 0, 'latin1')], [false, true])
})

test('what is not there cannot be taken out', async () => {
  await refused(withDirectory(video(clip.length)), extractClip, /its video is gone/)
  const whole = phones['Pixel: a container directory, the clip at the end'] ?? new Uint8Array()
  const cut = Buffer.concat([whole.subarray(0, whole.length - clip.length - 2), clip])
  await refused(cut, extractStill, /cut or damaged/)
  equalBytes(await extract(cut, extractClip), clip)
})

async function refused(file: Uint8Array, extraction: Extraction, detail: RegExp): Promise<void> {
  assert.match((await rejectedRefusal(extract(file, extraction), 'unprocessable')).detail, detail)
}

test.run()
