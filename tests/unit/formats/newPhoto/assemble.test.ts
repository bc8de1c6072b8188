import { concatBytes } from '@lantern-room/base/bytes'
import { encodeBox } from '@lantern-room/mp4/boxes'
import { normalizeClip } from '@lantern-room/mp4/clip'
import { assembleMotionPhoto, type MotionPhotoParts } from '#internal/formats/newPhoto/assemble'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'
import { isFormatError, thrownFormatError } from '../../../support/values/failures'
import { audioTrack, buildMp4, fastStart } from '../../mp4/movie/sampleMp4'
import { comment, jfif, progressiveJpeg, withSegments } from '../motionPhoto/sampleJpeg'
import { sampleParts } from '../motionPhoto/sampleParts'

const test = suite('motion photo writer')

const { clip } = sampleParts
const parts: MotionPhotoParts = {
  ...sampleParts,
  profile: 'universal',
  takenAt: { ...sampleParts.takenAt, offsetMinutes: undefined },
}

const universal = assembleMotionPhoto(parts)
const legacy = assembleMotionPhoto({ ...parts, profile: 'legacy' })
test('the cover comes without its own metadata', () => {
  const dressed = concatBytes([withSegments(progressiveJpeg, jfif, comment), hex('000102')])
  equalBytes(assembleMotionPhoto({ ...parts, cover: dressed }), universal)
})

test('another motion photo can be the cover', () => {
  equalBytes(assembleMotionPhoto({ ...parts, cover: legacy }), universal)
})

test('a file that would be read otherwise than it was meant is not handed out', () => {
  // Samples whose last bytes look like a Samsung directory: a gallery would look for blocks that do not exist.
  const disguised = clip.slice()
  disguised.set(hex('53454648 6b000000 00000000 0c000000 53454654'), clip.length - 20)
  const assemble = () => assembleMotionPhoto({ ...parts, clip: disguised, profile: 'google' })
  const { cause } = thrownFormatError(assemble, 'invalid-part')
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
    assert.throws(() => assembleMotionPhoto({ ...parts, ...change }), isFormatError('invalid-part'))
  })
}

test.run()
