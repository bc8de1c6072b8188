import { readFile } from 'node:fs/promises'
import { asciiBytes } from '@lantern-room/base/bytes'
import { normalizeClip } from '@lantern-room/mp4/clip'
import type { FormatErrorCode } from '@lantern-room/mp4/source'
import { readNow } from '@lantern-room/mp4/source'
import { assembleLivePhoto } from '#internal/formats/livePhoto/livePhoto'
import type { Inspection } from '#internal/formats/motionPhoto/inspect'
import { inspectFile } from '#internal/formats/photoFile/inspectFile'
import { assert, suite } from '../../../support/runner/suite'
import { mayThrowFormatError, thrownFormatError } from '../../../support/values/failures'
import { baselineJpeg } from '../motionPhoto/sampleJpeg'
import { sampleParts } from '../motionPhoto/sampleParts'
import { ID, movie, still, zipOf } from './sampleLivePhoto'

const test = suite('a Live Photo in a ZIP')

const { clip } = sampleParts
const files = [
  { name: '__MACOSX/._IMG_1.JPG', bytes: asciiBytes('residue') },
  { name: 'IMG_1_MP.jpg', bytes: baselineJpeg },
  { name: 'IMG_1.JPG', bytes: still },
  { name: 'IMG_1.MOV', bytes: movie },
]
const inspect = (zip: Uint8Array) => readNow(inspectFile({ size: zip.length }), zip)
const appleOf = ({ galleries }: Inspection) => galleries.find(({ gallery }) => gallery === 'apple')

test('is recognised by Apple alone, and its moment is right', () => {
  const zip = zipOf(...files)
  const found = inspect(zip)
  const right = { gallery: 'apple', recognised: 'yes', plays: true, timestamp: 'right', problems: [] }
  assert.equal(appleOf(found), right)
  for (const { gallery, recognised, problems } of found.galleries)
    if (gallery !== 'apple') assert.equal([recognised, problems[0]?.code], ['no', 'live-photo'], gallery)
  assert.equal(found.pair, { identifier: ID, movieIdentifier: ID, stillTimeUs: 100_000 })
  assert.is(found.photo.size, zip.length)
  assert.is(found.photo.exif?.dateTimeOriginal, '2026:03:04 05:06:07')
})

const other = assembleLivePhoto({ ...sampleParts, identifier: 'OTHER' })
const verdicts: readonly [string, Uint8Array, Uint8Array, string, string][] = [
  ['two of different identifiers', still, other.movie, 'no', 'apple-identifier'],
  ['a photo without a MakerNote', baselineJpeg, movie, 'no', 'apple-photo'],
  ['a video of a motion photo', still, clip, 'no', 'apple-video apple-still-time'],
]
for (const [what, photo, video, recognised, codes] of verdicts) {
  test(`${what}: ${codes}`, () => {
    const verdict = appleOf(inspect(zipOf({ name: 'a.jpg', bytes: photo }, { name: 'a.mov', bytes: video })))
    const found = verdict?.problems.map(({ code }) => code).join(' ')
    assert.equal([verdict?.recognised, found], [recognised, codes])
  })
}

const refusal = (zip: Uint8Array, code: FormatErrorCode = 'no-live-photo') =>
  thrownFormatError(() => inspect(zip), code).detail

test('a ZIP without a pair, a compressed and a damaged one are refused with the reason', () => {
  assert.match(refusal(zipOf({ name: 'a.jpg', bytes: still })), /no photo .* with a video/)
  assert.match(refusal(zipOf(...files).subarray(0, -30)), /damaged/)
  assert.match(
    refusal(zipOf({ name: 'a.jpg', bytes: asciiBytes('no') }, { name: 'a.mov', bytes: movie })),
    /photo is neither/,
  )
  const packed = zipOf(...files)
  const at = Buffer.from(packed).lastIndexOf('PK\x01\x02', undefined, 'latin1')
  packed[at + 10] = 8
  assert.match(refusal(packed, 'compressed'), /zip -0/)
})

test('no truncation and no changed byte of the directory makes it throw otherwise', () => {
  const zip = zipOf(...files.slice(2))
  const directory = Buffer.from(zip).indexOf('PK\x01\x02', undefined, 'latin1')
  for (let at = directory; at < zip.length; at++) {
    const broken = zip.slice()
    broken[at] = (broken[at] ?? 0) ^ 0xff
    for (const bytes of [broken, zip.subarray(0, at)]) mayThrowFormatError(() => inspect(bytes))
  }
})

test('a video whose entry is hev1 is not played by Apple', async () => {
  const hev1 = new Uint8Array(await readFile('tests/fixtures/media/hev1.mp4'))
  const pair = assembleLivePhoto({ ...sampleParts, clip: normalizeClip(hev1), identifier: ID })
  const zip = zipOf({ name: 'IMG_1.JPG', bytes: pair.still }, { name: 'IMG_1.MOV', bytes: pair.movie })
  const apple = appleOf(inspect(zip))
  assert.equal([apple?.recognised, apple?.plays], ['yes', false])
  assert.equal(
    apple?.problems.map(({ code }) => code),
    ['clip-hev1'],
  )
})

test.run()
