import { bytesSource, cutClip, readNow } from '@lantern-room/formats'
import { extractFile, repairFile } from '@lantern-room/formats/files'
import { MOTION_PHOTO_PROFILES } from '@lantern-room/formats/make'
import { surveyMovie } from '@lantern-room/formats/video'
import { describeInspection } from '@lantern-room/media/apart'
import { readFrameGroup } from '@lantern-room/mp4/clip'
import { sizeOfParts } from '@lantern-room/mp4/source'
import { absurdNumberTests, type Call } from '#support/media/absurdNumbers'
import { suite } from '#support/runner/suite'
import { zipOf } from '../../unit/formats/livePhoto/sampleLivePhoto'
import { sampleParts } from '../../unit/formats/motionPhoto/sampleParts'

// Absurd numbers in the index of a video, alone and in pairs, before everything that reads it: work and memory follow the size of the
// file, not what its numbers say.

const test = suite('absurd numbers in a video', { timeoutMs: 900_000 })

/** What is done with a video. @returns the bytes that are written */
const videoCalls: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(
    [
      [0, 1, 1],
      [0.5, 30, 1],
      [0, 3, 0.1],
      [0, 3, 4],
      [1e6, 1e6 + 3, 1],
    ].map(([start = 0, end = 0, speed = 1]) => [
      `a clip from ${start} to ${end} at ${speed}`,
      async (bytes: Uint8Array) =>
        (await cutClip(bytesSource(bytes), { stream: 0, start, end, speed })).mp4?.length,
    ]),
  ),
  'the survey and the cover': async (bytes) => {
    const { movie } = await surveyMovie(bytesSource(bytes))
    const [track] = movie?.tracks ?? []
    if (!track) return undefined
    for (const frame of [0, 45, 1_000_000]) await readFrameGroup(bytesSource(bytes), track, frame, 30)
    return undefined
  },
  'the repair of a Live Photo with it': async (bytes) => {
    const zip = zipOf({ name: 'A.JPG', bytes: sampleParts.cover }, { name: 'A.MOV', bytes })
    return mend(zip)
  },
}

async function mend(file: Uint8Array): Promise<number> {
  const { parts } = readNow(
    repairFile({ size: file.length }, { profile: undefined, newIdentifier: 'A-B' }),
    file,
  )
  return sizeOfParts(parts)
}

/** What is done with a photo in which such a video is. */
const photoCalls: Readonly<Record<string, Call>> = {
  'its clip and its verdicts': async (bytes) => {
    const { inspection, parts } = readNow(extractFile({ size: bytes.length }, 'clip'), bytes)
    JSON.stringify(describeInspection(inspection))
    return sizeOfParts(parts)
  },
  ...Object.fromEntries(
    MOTION_PHOTO_PROFILES.map((profile) => [
      `its repair for ${profile}`,
      async (bytes: Uint8Array) => {
        const wish = { profile, newIdentifier: 'A-B' }
        return sizeOfParts(readNow(repairFile({ size: bytes.length }, wish), bytes).parts)
      },
    ]),
  ),
}

absurdNumberTests(test, videoCalls, photoCalls)

test.run()
