import { cutClip } from '#internal/mp4/clip/cutClip'
import { bytesSource } from '#internal/mp4/source/byteSource'
import { FormatError } from '#internal/mp4/source/formatError'
import { withAbsurdSound } from '../../../support/media/hostileSound'
import { previewMp4 } from '../../../support/media/previewMp4'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('clips of videos with absurd sound')

test('they lack it, or it is refused, and they are no larger than the file', async () => {
  const video = previewMp4({ soundSeconds: 3 })
  const told: string[] = []
  for (const [name, bytes] of withAbsurdSound(video)) {
    const clip = await cutClip(bytesSource(bytes), { stream: 0, start: 0, end: 3, speed: 1 }).catch(
      (error: unknown) => {
        assert.is(error instanceof FormatError && error.code, 'damaged', `${name}: ${error}`)
        return undefined
      },
    )
    assert.ok((clip?.mp4?.length ?? 0) < video.length + 1000, `${name}: ${clip?.mp4?.length}`)
    told.push(`${name}: ${clip ? (clip.problem ?? (clip.lacksSound ? 'no sound' : 'sound')) : 'refused'}`)
  }
  assert.equal(told, [
    'a clock of 2^32 - 1: no sound',
    'a clock of 2^31: no sound',
    'a clock of 90,000: no sound',
    'a clock of 1: no sound',
    'a clock of 0: format',
    'a clock of 2^32 - 1, and no samples: no sound',
    'ten thousand samples at one place: no sound',
    'a hundred thousand samples at one place: no sound',
    // None of them is ever heard: it is silence.
    'a hundred thousand samples at once: sound',
    'samples beyond the end: refused',
    'samples of 2^31 ticks: no sound',
    'samples of 2^32 - 1 ticks: no sound',
    'a beginning after 2^32 - 1 ticks: sound',
    'a beginning inside that is not there: sound',
  ])
})

test.run()
