import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { asciiBytes, concatBytes } from '#core/bytes'
import { assembleMotionPhoto } from '#core/media/motionPhoto/assemble'
import { encodeSegment } from '#core/media/motionPhoto/jpeg'
import { MOTION_PHOTO_PROFILES } from '#core/media/motionPhoto/profile'
import { readMotionPhoto } from '#core/media/motionPhoto/read'
import { CLIP_BLOCK_HEADER, encodeSamsungTrailer } from '#core/media/motionPhoto/samsung'
import { encodeBox } from '#core/media/mp4/boxes'
import { normalizeClip } from '#core/media/mp4/normalizeClip'
import { suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { equalBytes } from '#support/values/equalBytes'
import { hex } from '../hex'
import { buildMp4, fastStart } from '../mp4/sampleMp4'
import { baselineJpeg, jfif, progressiveJpeg, withSegments } from './sampleJpeg'

const test = suite('motion photo reader')

const clip = normalizeClip(buildMp4(fastStart))
const parts = {
  cover: progressiveJpeg,
  thumbnail: baselineJpeg,
  clip,
  presentationTimestampUs: 100_000,
  takenAt: { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7, offsetMinutes: 60 },
  software: 'Lantern Room 1.2.3',
}

for (const profile of MOTION_PHOTO_PROFILES) {
  const file = assembleMotionPhoto({ ...parts, profile })

  test(`${profile}: what was written is read`, () => {
    const photo = readMotionPhoto(file)
    const end = (photo?.clip?.offset ?? 0) + (photo?.clip?.length ?? 0)
    equalBytes(file.subarray(photo?.clip?.offset, end), clip)
    equalBytes(photo?.exif?.thumbnail ?? new Uint8Array(), baselineJpeg)
    assert.is(photo?.primaryLength, (photo?.clip?.offset ?? 0) - (profile === 'google' ? 0 : 24))
    assert.equal([photo?.frame?.width, photo?.frame?.height], [16, 8])
    assert.is(photo?.xmp?.presentationTimestampUs, 100_000)
    assert.is(photo?.exif?.dateTime, '2026:03:04 05:06:07')
    assert.is(photo?.exif?.orientation, 1)
    assert.is(photo?.exif?.xiaomiMark, profile === 'google' ? undefined : 'ExifIFD')
    assert.is(photo?.samsung?.blocks.length, profile === 'google' ? undefined : 2)
  })

  test(`${profile}: no truncation throws or finds a clip that is not there`, () => {
    const whole = readMotionPhoto(file)
    for (let length = 0; length < file.length; length++) {
      const photo = readMotionPhoto(file.subarray(0, length))
      const end = (photo?.clip?.offset ?? 0) + (photo?.clip?.length ?? 0)
      assert.ok(end <= length, `${length} bytes`)
      if (photo?.clip) assert.is(photo.clip.offset, whole?.clip?.offset, `${length} bytes`)
    }
  })

  test(`${profile}: no byte changed anywhere makes it throw`, () => {
    const change = fc.tuple(fc.nat({ max: file.length - 1 }), fc.integer({ min: 0, max: 255 }))
    assertProperty(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const broken = file.slice()
        for (const [at, byte] of changes) broken[at] = byte
        const photo = readMotionPhoto(broken)
        assert.ok((photo?.clip?.offset ?? 0) + (photo?.clip?.length ?? 0) <= broken.length)
      }),
      { numRuns: 500 },
    )
  })
}

test('no bytes at all make it throw', () => {
  assertProperty(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      readMotionPhoto(bytes)
      readMotionPhoto(concatBytes([hex('ffd8'), bytes]))
      readMotionPhoto(concatBytes([hex('ffd8'), bytes, asciiBytes('SEFT')]))
    }),
  )
})

function withXmp(jpeg: Uint8Array, packet: string): Uint8Array {
  const mark = 'http://ns.adobe.com/xap/1.0/\0'
  return withSegments(jpeg, encodeSegment(0xe1, asciiBytes(mark + packet)))
}

function description(attributes: string, directory = ''): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"
      xmlns:Container="http://ns.google.com/photos/1.0/container/"
      xmlns:Item="http://ns.google.com/photos/1.0/container/item/" ${attributes}>
      <Container:Directory><rdf:Seq>${directory}</rdf:Seq></Container:Directory>
    </rdf:Description></rdf:RDF></x:xmpmeta>`
}

function item(mime: string, semantic: string, length: number, padding?: number): string {
  const attribute = padding === undefined ? '' : ` Item:Padding="${padding}"`
  return `<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="${mime}" Item:Semantic="${semantic}" Item:Length="${length}"${attribute}/></rdf:li>`
}

function clipOf(file: Uint8Array): Uint8Array | undefined {
  const found = readMotionPhoto(file)?.clip
  return found && file.subarray(found.offset, found.offset + found.length)
}

const motion = 'GCamera:MotionPhoto="1" GCamera:MotionPhotoVersion="1"'
const primary = item('image/jpeg', 'Primary', 0)
const video = (length: number) => item('video/mp4', 'MotionPhoto', length)
const gainMap = withSegments(baselineJpeg, jfif)
const privateBlock = asciiBytes('\x00\x00\x11\x87lighthousetele')
const secondVideo = concatBytes([
  hex('00000010 66747970 6d703432 00000000'),
  encodeBox('mdat', asciiBytes('short')),
])

const phones: Record<string, Uint8Array> = {
  'Pixel: a container directory, the clip at the end': concatBytes([
    withXmp(baselineJpeg, description(motion, primary + video(clip.length))),
    clip,
  ]),
  'Pixel with a gain map before the clip': concatBytes([
    withXmp(
      baselineJpeg,
      description(motion, primary + item('image/jpeg', 'GainMap', gainMap.length) + video(clip.length)),
    ),
    gainMap,
    clip,
  ]),
  'old Pixel and Xiaomi: MicroVideo alone': concatBytes([
    withXmp(baselineJpeg, description(`GCamera:MicroVideo="1" GCamera:MicroVideoOffset="${clip.length}"`)),
    clip,
  ]),
  'old Samsung: a trailer alone': concatBytes([
    baselineJpeg,
    CLIP_BLOCK_HEADER,
    clip,
    encodeSamsungTrailer(clip.length, 0),
  ]),
  'new Samsung: a directory whose length counts the trailer': concatBytes([
    withXmp(
      baselineJpeg,
      description(motion, item('image/jpeg', 'Primary', 0, 24) + video(clip.length + 75)),
    ),
    CLIP_BLOCK_HEADER,
    clip,
    encodeSamsungTrailer(clip.length, 0),
  ]),
  'OPPO: a length that is 131 too short, two videos, a block between them': concatBytes([
    withXmp(
      baselineJpeg,
      description(
        motion,
        primary +
          item('image/jpeg', 'GainMap', gainMap.length) +
          video(clip.length + privateBlock.length + secondVideo.length - 131),
      ),
    ),
    gainMap,
    clip,
    privateBlock,
    secondVideo,
  ]),
  'a length that leads nowhere, and a padding that leads to the clip': concatBytes([
    withXmp(
      baselineJpeg,
      description(motion, item('image/jpeg', 'Primary', 0, 24) + item('video/mp4', 'MotionPhoto', 7)),
    ),
    CLIP_BLOCK_HEADER,
    clip,
  ]),
  'a second video right after the first': concatBytes([
    withXmp(baselineJpeg, description(motion, primary + video(clip.length + secondVideo.length))),
    clip,
    secondVideo,
  ]),
  'Huawei: a text of 60 bytes after the clip': concatBytes([
    withXmp(baselineJpeg, description(motion, primary + video(clip.length + 60))),
    clip,
    asciiBytes('v3_f10              0:0                 LIVE_1234           '),
  ]),
  'a mark and no directory, the clip right after the image': concatBytes([
    withXmp(baselineJpeg, description(motion)),
    clip,
  ]),
  'motion photo XMP in the second packet': concatBytes([
    withXmp(
      withXmp(baselineJpeg, description(motion, primary + video(clip.length))),
      description('dc:title="x"'),
    ),
    clip,
  ]),
}
for (const [name, file] of Object.entries(phones)) {
  test(name, () => equalBytes(clipOf(file) ?? new Uint8Array(), clip))
}

const none: Record<string, Uint8Array> = {
  'a photo': withSegments(baselineJpeg, jfif),
  'a photo with other XMP': withXmp(baselineJpeg, description('dc:title="x"')),
  'an MP4 after a photo, without a mark': concatBytes([baselineJpeg, clip]),
  'an MP4': clip,
  'a photo with a Samsung trailer of something else': concatBytes([
    baselineJpeg,
    hex('0000 010a 02000000 6162 31'),
    hex('53454648 6b000000 01000000 0000 010a 0b000000 0b000000 18000000 53454654'),
  ]),
}
for (const [name, file] of Object.entries(none)) {
  test(`no motion photo: ${name}`, () => assert.is(readMotionPhoto(file), undefined))
}

test('a photo that lost its clip is still marked, and has none', () => {
  const photo = readMotionPhoto(withXmp(baselineJpeg, description(motion, primary + video(clip.length))))
  assert.is(photo?.xmp?.motionPhoto, 1)
  assert.is(photo?.clip, undefined)
})

test('a cover that is cut does not hide the clip', () => {
  const start = withXmp(baselineJpeg, description(motion, primary + video(clip.length)))
  const file = concatBytes([start.subarray(0, -2), clip])
  assert.is(readMotionPhoto(file)?.primaryLength, undefined)
  equalBytes(clipOf(file) ?? new Uint8Array(), clip)
})

test.run()
