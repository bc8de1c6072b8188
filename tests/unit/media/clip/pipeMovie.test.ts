import { concatBytes } from '#core/bytes'
import { copySound, cutSound } from '#core/formats/clip/cutSound'
import { readMovie } from '#core/formats/mp4/movie'
import { readSamples } from '#core/formats/mp4/readSamples'
import { bytesSource } from '#core/formats/source/byteSource'
import { pipeMovie } from '#core/media/clip/pipeMovie'
import { previewMp4 } from '#support/media/previewMp4'
import { assert, suite } from '#support/runner/suite'
import { collect } from '#support/values/collect'
import { trackOf } from '../../formats/mp4/sampleMp4'

const test = suite('an MP4 for a pipe')

test('it is the range that was asked for, pictures and sound', async () => {
  const preview = previewMp4({ soundSeconds: 3 })
  const [video, audio] = [trackOf(preview), trackOf(preview, 1)]
  const cut = cutSound(audio, 1, 2)
  const { samples } = audio
  const [bytes = []] = await readSamples(bytesSource(preview), [{ samples, first: cut.first, end: cut.end }])
  for (const sound of [copySound(cut, bytes), undefined]) {
    const pictures = { track: video, first: 30, end: 60 }
    const piped = concatBytes(await collect(pipeMovie(bytesSource(preview), pictures, sound)))
    const { tracks } = readMovie(piped).movie ?? { tracks: [] }
    const ranges = tracks.map((track) => ({ samples: track.samples, first: 0, end: track.samples.count }))
    const [shown, heard] = await readSamples(bytesSource(piped), ranges)
    const numbers = shown?.map(([byte]) => byte)
    assert.equal(numbers, [...Array(60).keys()].slice(30))
    assert.equal(heard, sound && bytes)
  }
})

test.run()
