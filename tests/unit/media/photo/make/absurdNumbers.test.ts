import { bytesSource } from '@lantern-room/formats'
import { surveyMovie } from '@lantern-room/formats/video'
import { sourceRateOf } from '#internal/media/photo/clip/findSource'
import { indexedPreview, isCopied } from '#internal/media/photo/make/indexedPreview'
import { UNREAD } from '#internal/media/traits'
import { absurdNumberTests } from '#support/media/absurdNumbers'
import { UNEDITED } from '#support/media/prepared'
import { suite } from '#support/runner/suite'

// Absurd numbers in the index of a video, before what plans a photo by it alone.

const test = suite('the plan of a photo by absurd numbers', { timeoutMs: 900_000 })

const WISH = { speed: 1, quality: 'source', edit: UNEDITED, mute: false, end: 30, cover: 0 } as const

async function planPhotos(bytes: Uint8Array): Promise<undefined> {
  const { movie } = await surveyMovie(bytesSource(bytes))
  const video = { movie, path: '', kind: 'video', clocks: undefined, capture: () => undefined } as const
  for (const start of [0, 1e9]) {
    isCopied({ ...WISH, start }, video, bytes.length)
    indexedPreview({ ...WISH, start }, video, 900, bytes.length)
  }
  const traits = { ...UNREAD, size: { width: 640, height: 360 } }
  const plan = { startFrame: 0, sourceFrames: 90, clipFrames: 900, speed: 0.1 }
  await sourceRateOf({ original: { bytes: bytesSource(bytes), traits }, plan, edit: UNEDITED })
  return undefined
}

absurdNumberTests(test, { 'the plan of a photo': planPhotos })

test.run()
