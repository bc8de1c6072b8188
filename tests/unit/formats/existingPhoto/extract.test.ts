import { asciiBytes, concatBytes, viewOf } from '@lantern-room/base/bytes'
import { encodeBox } from '@lantern-room/mp4/boxes'
import type { FormatErrorCode } from '@lantern-room/mp4/source'
import { bytesOfParts, bytesSource, type Reading, readFrom, readNow } from '@lantern-room/mp4/source'
import { withIdentifier } from '#internal/formats/exif/makerNote'
import { patchExif } from '#internal/formats/exif/patchExif'
import { encodeTiff } from '#internal/formats/exif/tiff'
import { type Extracted, extractClip, extractStill } from '#internal/formats/existingPhoto/extract'
import { encodeSegment } from '#internal/formats/jpeg/jpeg'
import { gainMapAmong, otherPictures } from '#internal/formats/motionPhoto/otherPictures'
import { readPhoto } from '#internal/formats/motionPhoto/read'
import { CLIP_BLOCK_HEADER, encodeSamsungTrailer } from '#internal/formats/motionPhoto/samsung'
import { assembleMotionPhoto } from '#internal/formats/newPhoto/assemble'
import { MOTION_PHOTO_PROFILES } from '#internal/formats/profiles/profile'
import { assert, suite } from '../../../support/runner/suite'
import { collect } from '../../../support/values/collect'
import { equalBytes } from '../../../support/values/equalBytes'
import { rejectedFormatError } from '../../../support/values/failures'
import { heicOf } from '../motionPhoto/sampleHeic'
import { baselineJpeg, progressiveJpeg, withSegments } from '../motionPhoto/sampleJpeg'
import { sampleParts } from '../motionPhoto/sampleParts'
import {
  clip,
  description,
  gainMap,
  item,
  motion,
  phones,
  video,
  withDirectory,
} from '../motionPhoto/samplePhones'

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
  await refused(still, extractClip, 'no-video', /without a video/)
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
  await refused(still, extractClip, 'no-video', /without a video/)
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

const numbers = (attributes: string) =>
  encodeSegment(0xe1, asciiBytes(`http://ns.adobe.com/xap/1.0/\0<x hdrgm:${attributes}/>`))
const bright = withSegments(gainMap, numbers('GainMapMax="2"'))
const depth = withSegments(baselineJpeg, numbers('Version="1"'), encodeSegment(0xfe, asciiBytes('depth')))

/** The pictures that the MPF index of a file lists, where it says that they lie. */
function indexed(file: Buffer): Uint8Array[] {
  const { mpf = [] } = readNow(readPhoto({ size: file.length }), new Uint8Array(file)) ?? {}
  const headerAt = file.indexOf('MPF\0') + 4
  return mpf.slice(1).map(({ offset, size }) => file.subarray(headerAt + offset, headerAt + offset + size))
}

test('a depth map stays before the gain map, and both are found by the directory and by the index', async () => {
  const items = item('image/jpeg', 'Depth', depth.length) + item('image/jpeg', 'GainMap', bright.length)
  const tiff = encodeTiff([
    [
      { tag: 0xb000, bytes: asciiBytes('0100') },
      { tag: 0xb001, long: 3 },
      { tag: 0xb002, bytes: new Uint8Array(48) },
    ],
  ])
  const index = encodeSegment(0xe2, concatBytes([asciiBytes('MPF\0'), tiff]))
  const picture = Buffer.from(withSegments(withDirectory(items + video(clip.length + 7), 5), index))
  const entries = picture.indexOf('MPF\0') + 4 + tiff.length - 48
  const headerAt = picture.indexOf('MPF\0') + 4
  const places = [0, picture.length, picture.length + depth.length].map((at) => (at ? at - headerAt : 0))
  for (const [i, size] of [picture.length, depth.length, bright.length].entries()) {
    picture.writeUInt32LE(size, entries + 16 * i + 4)
    picture.writeUInt32LE(places[i] ?? 0, entries + 16 * i + 8)
  }
  const file = concatBytes([picture, depth, bright, CLIP_BLOCK_HEADER, clip, asciiBytes('unknown')])
  const still = Buffer.from(await extract(file, extractStill))
  const photo = readNow(readPhoto({ size: still.length }), new Uint8Array(still))
  const end = photo?.primaryLength ?? 0
  equalBytes(still.subarray(end), concatBytes([depth, bright, asciiBytes('unknown')]))
  const [first, second] = indexed(still)
  equalBytes(first ?? still, depth)
  equalBytes(second ?? still, bright)
  const listed = /<Container:Directory>.*?<\/Container:Directory>/s.exec(still.toString('latin1'))?.[0] ?? ''
  assert.equal(
    [...listed.matchAll(/Semantic="(\w+)"/g)].map(([, name]) => name),
    ['Primary', 'Depth', 'GainMap'],
  )
  assert.equal(
    [...listed.matchAll(/Padding="(\w+)"/g)].map(([, bytes]) => bytes),
    ['0'],
  )
})

test('a gain map is known by what it says of itself, whatever the order and the directory', () => {
  const apples = withSegments(gainMap, numbers('x HDRGainMap:HDRGainMapVersion="65536"'))
  const iso = withSegments(
    gainMap,
    encodeSegment(0xe2, concatBytes([asciiBytes('urn:iso:std:iso:ts:21496:-1\0'), new Uint8Array(60)])),
  )
  for (const map of [bright, apples, iso])
    for (const others of [
      [depth, map],
      [map, depth],
      [depth, depth, map],
    ]) {
      const file = concatBytes([baselineJpeg, ...others])
      const photo = readNow(readPhoto({ size: file.length }), file)
      const pictures =
        photo && readNow(otherPictures({ size: file.length }, photo, { segments: [] }, []), file)
      const found = gainMapAmong(pictures ?? [])
      equalBytes(file.subarray(found?.start, found?.end), map)
    }
  const listed = concatBytes([baselineJpeg, depth, gainMap])
  const photo = readNow(readPhoto({ size: listed.length }), listed)
  const items = ['Primary', 'Depth', 'GainMap'].map((semantic, i) => ({
    mime: 'image/jpeg',
    semantic,
    length: [0, depth.length, gainMap.length][i],
    padding: 0,
  }))
  const all = photo && readNow(otherPictures({ size: listed.length }, photo, { segments: [] }, items), listed)
  assert.is(gainMapAmong(all ?? [])?.start, listed.length - gainMap.length)
})

/** A block of Samsung's, behind its type, the length of its name and the name. */
function block(type: number, name: string, content: Uint8Array): Uint8Array {
  const head = new Uint8Array(8)
  viewOf(head).setUint16(2, type, true)
  viewOf(head).setUint32(4, name.length, true)
  return concatBytes([head, asciiBytes(name), content])
}

/** Blocks with the directory that lists them. */
function samsungTrailer(blocks: readonly Uint8Array[]): Uint8Array {
  const rows = blocks.map((bytes, i) => {
    const row = new Uint8Array(12)
    row.set(bytes.subarray(2, 4), 2)
    viewOf(row).setUint32(
      4,
      blocks.slice(i).reduce((sum, { length }) => sum + length, 0),
      true,
    )
    viewOf(row).setUint32(8, bytes.length, true)
    return row
  })
  const head = Uint8Array.of(0x53, 0x45, 0x46, 0x48, 0x6a, 0, 0, 0, rows.length, 0, 0, 0)
  const length = Uint8Array.of(12 + 12 * rows.length, 0, 0, 0)
  return concatBytes([...blocks, head, ...rows, length, asciiBytes('SEFT')])
}

const time = block(0x0a01, 'Image_UTC_Data', asciiBytes('1700000000000'))
const country = block(0x0aa1, 'MCC_Data', asciiBytes('262'))
const shot = block(0x0ab0, 'DualShot_Meta_Info', asciiBytes('depth ftyp with a word of a video'))
const ofClip = [
  block(0x0a30, 'MotionPhoto_Data', clip),
  block(0x0a31, 'MotionPhoto_Version', asciiBytes('mpv3')),
  block(0x0a33, 'MotionPhoto_AutoPlay', asciiBytes('1')),
]

test("Samsung's other blocks stay byte by byte, with a directory of their own", async () => {
  for (const blocks of [
    [time, ...ofClip, country, shot],
    [...ofClip, shot, time, country],
    [country, shot, time, ...ofClip],
  ]) {
    const items = item('image/jpeg', 'GainMap', bright.length) + video(clip.length)
    const file = concatBytes([withDirectory(items, 24), bright, samsungTrailer(blocks)])
    const still = await extract(file, extractStill)
    const kept = blocks.filter((one) => !ofClip.includes(one))
    const photo = readNow(readPhoto({ size: still.length }), new Uint8Array(still))
    equalBytes(still.subarray(photo?.primaryLength), concatBytes([bright, samsungTrailer(kept)]))
    assert.is(photo?.samsung?.blocks.length, 3)
    assert.is(Buffer.from(still).includes('MotionPhoto'), false)
  }
})

test("Samsung's other blocks of a HEIC stay in a box of their own", async () => {
  const tail = encodeBox('sefd', samsungTrailer([time, ...ofClip.slice(1), shot]))
  const file = heicOf({ xmp: description(motion), movie: clip, itemsIn: 'file', tail })
  const still = await extract(file, extractStill)
  const box = encodeBox('sefd', samsungTrailer([time, shot]))
  equalBytes(still.subarray(-box.length), box)
  assert.is(still.length, file.length - 8 - clip.length - tail.length + box.length)
})

test('what no program knows behind a clip stays, and a second or a cut video goes', async () => {
  const trailer = asciiBytes('vivo{"a":1}')
  const second = clip.subarray(0, clip.length)
  const two = concatBytes([withDirectory(video(clip.length)), clip, trailer, second, trailer])
  const still = await extract(two, extractStill)
  const photo = readNow(readPhoto({ size: still.length }), new Uint8Array(still))
  equalBytes(still.subarray(photo?.primaryLength), concatBytes([trailer, trailer]))
  const cut = concatBytes([withDirectory(video(clip.length)), trailer, clip.subarray(0, 60)])
  const left = await extract(cut, extractStill)
  equalBytes(left.subarray(-trailer.length), trailer)
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
  await refused(withDirectory(video(clip.length)), extractClip, 'no-video', /its video is gone/)
  const whole = phones['Pixel: a container directory, the clip at the end'] ?? new Uint8Array()
  const cut = Buffer.concat([whole.subarray(0, whole.length - clip.length - 2), clip])
  await refused(cut, extractStill, 'damaged', /cut or damaged/)
  equalBytes(await extract(cut, extractClip), clip)
})

async function refused(
  file: Uint8Array,
  extraction: Extraction,
  code: FormatErrorCode,
  detail: RegExp,
): Promise<void> {
  assert.match((await rejectedFormatError(extract(file, extraction), code)).detail, detail)
}

test.run()
