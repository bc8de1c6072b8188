import { asciiBytes, concatBytes } from '#core/bytes'
import { encodeExifSegment } from '#core/formats/exif/exif'
import { encodeMpfSegment } from '#core/formats/exif/mpf'
import { assembleMotionPhoto, type MotionPhotoParts } from '#core/formats/motionPhoto/assemble'
import { encodeBox } from '#core/formats/mp4/boxes'
import { normalizeClip } from '#core/formats/mp4/normalizeClip'
import { type MotionPhotoProfile, PROFILE_TRAITS } from '#core/formats/profiles/profile'
import { encodeXmpSegment } from '#core/formats/xmp/xmp'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'
import { isRefusal, thrownRefusal } from '../../../support/values/failures'
import { hex, u32le } from '../hex'
import { audioTrack, buildMp4, fastStart } from '../mp4/sampleMp4'
import { comment, jfif, progressiveJpeg, withSegments } from './sampleJpeg'
import { sampleParts } from './sampleParts'

const test = suite('motion photo writer')

const { clip } = sampleParts
const parts: MotionPhotoParts = {
  ...sampleParts,
  profile: 'universal',
  takenAt: { ...sampleParts.takenAt, offsetMinutes: undefined },
}

/** @param primaryBytes from SOI to EOI; no matter where there is no MPF */
function head(profile: MotionPhotoProfile, paddingBytes: number, tailBytes: number, primaryBytes = 0) {
  const traits = PROFILE_TRAITS[profile]
  const mpf = traits.mpf ? encodeMpfSegment(primaryBytes) : new Uint8Array()
  const exif = { ...parts, ...traits, width: 16, height: 8 }
  const xmp = { profile, presentationTimestampUs: 100_000, paddingBytes, clipBytes: clip.length, tailBytes }
  return withSegments(progressiveJpeg, encodeExifSegment(exif), encodeXmpSegment(xmp), mpf)
}

const samsungHeader = hex('0000 300a 10000000 4d6f74696f6e50686f746f5f44617461')
const tail = concatBytes([
  hex('00000053 66726565'),
  hex('0000 310a 13000000 4d6f74696f6e50686f746f5f56657273696f6e 6d707633'),
  hex('53454648 6b000000 02000000'),
  hex('0000 300a'),
  u32le(24 + clip.length + 8 + 31),
  u32le(24 + clip.length),
  hex('0000 310a 1f000000 1f000000 24000000 53454654'),
])

for (const profile of ['universal', 'legacy'] as const) {
  test(`${profile}: SOI, Exif, XMP, MPF, image, block header, clip, free box with the trailer`, () => {
    const primaryBytes = head(profile, 24, clip.length + 83).length
    const expected = [head(profile, 24, clip.length + 83, primaryBytes), samsungHeader, clip, tail]
    equalBytes(assembleMotionPhoto({ ...parts, profile }), concatBytes(expected))
  })
}

test('google: SOI, Exif, XMP, image, clip, end', () => {
  const expected = concatBytes([head('google', 0, clip.length), clip])
  equalBytes(assembleMotionPhoto({ ...parts, profile: 'google' }), expected)
})

test('huawei: as google, and a tail that names the frame of the cover', () => {
  const tail = `v3_f3${' '.repeat(15)}0:0${' '.repeat(17)}${`LIVE_${clip.length + 20}`.padEnd(20)}`
  const expected = concatBytes([head('huawei', 0, clip.length + 60), clip, asciiBytes(tail)])
  equalBytes(assembleMotionPhoto({ ...parts, profile: 'huawei' }), expected)
})

const universal = assembleMotionPhoto(parts)
const legacy = assembleMotionPhoto({ ...parts, profile: 'legacy' })
test('the cover comes without its own metadata', () => {
  const dressed = concatBytes([withSegments(progressiveJpeg, jfif, comment), hex('000102')])
  equalBytes(assembleMotionPhoto({ ...parts, cover: dressed }), universal)
})

test('another motion photo can be the cover', () => {
  equalBytes(assembleMotionPhoto({ ...parts, cover: legacy }), universal)
})

test('the parts are not touched', () => {
  const bytes = [parts.cover, parts.thumbnail, parts.clip]
  const copies = bytes.map((part) => part.slice())
  assembleMotionPhoto(parts)
  assert.equal(bytes, copies)
})

test('a file that would be read otherwise than it was meant is not handed out', () => {
  // Samples whose last bytes look like a Samsung directory: a gallery would look for blocks that do not exist.
  const disguised = clip.slice()
  disguised.set(hex('53454648 6b000000 00000000 0c000000 53454654'), clip.length - 20)
  const assemble = () => assembleMotionPhoto({ ...parts, clip: disguised, profile: 'google' })
  const { cause } = thrownRefusal(assemble, 'internal')
  assert.match(String(cause), /does not hold: .*only its profile brings a Samsung trailer/)
})

const silent = normalizeClip(buildMp4({ ...fastStart, tracks: [audioTrack] }))

const refused: Record<string, Partial<MotionPhotoParts>> = {
  'a cover that is no JPEG': { cover: hex('89504e47') },
  'a cover that is cut': { cover: progressiveJpeg.subarray(0, -1) },
  'a thumbnail that is no JPEG': { thumbnail: clip },
  'a clip as ffmpeg wrote it': { clip: buildMp4(fastStart) },
  'a clip that is cut': { clip: clip.subarray(0, -1) },
  'a clip with a box too many': { clip: concatBytes([clip, encodeBox('free')]) },
  'a clip without video': { clip: silent },
  'a time before the clip': { presentationTimestampUs: -1 },
  'a time after the clip': { presentationTimestampUs: 200_001 },
  'a time that is no whole microsecond': { presentationTimestampUs: 0.5 },
  'a time that is no number': { presentationTimestampUs: Number.NaN },
}
for (const [name, change] of Object.entries(refused)) {
  test(`refused: ${name}`, () => {
    assert.throws(() => assembleMotionPhoto({ ...parts, ...change }), isRefusal('internal'))
  })
}

test.run()
