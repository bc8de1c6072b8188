import { readMovie } from '#core/formats/mp4/movie'
import { bytesSource } from '#core/formats/source/byteSource'
import { readCoverGroup } from '#core/media/cover/readCoverGroup'
import type { OriginalTraits } from '#core/media/traits'
import { PREVIEW } from '#support/media/prepared'
import { previewMp4 } from '#support/media/previewMp4'
import { assert, suite } from '#support/runner/suite'

const test = suite('the pictures around a cover')
const original = previewMp4()

test('they are an MP4 of their own, with the bytes of the original', async () => {
  const group = await readCoverGroup(bytesSource(original), PREVIEW.original, 50)
  const { movie } = readMovie(group?.movie ?? new Uint8Array())
  const [track] = movie?.tracks ?? []
  assert.is(track?.kind, 'video')
  const { count, offsets, sizes } = track?.samples ?? { count: 0, offsets: [0], sizes: [0] }
  assert.ok(count > 0 && count < 90, `${count} pictures`)
  const [at = 0, size = 0] = [offsets[0], sizes[0]]
  const first = group?.movie[at] ?? -1
  // Sample n of the original is filled with n.
  assert.equal(group?.movie.slice(at, at + size), new Uint8Array(size).fill(first))
  assert.ok(first <= 50 && 50 < first + count, `pictures ${first} to ${first + count}`)
})

const otherwise: readonly (readonly [what: string, traits: Partial<OriginalTraits>])[] = [
  ['an animated image', { kind: 'animated-image' }],
  ['another stream', { stream: 1 }],
  ['a file that cannot be entered in its middle', { isSeekable: false }],
  ['times that begin elsewhere', { startsAtZero: false }],
]
for (const [what, traits] of otherwise)
  test(`${what} is left to ffmpeg`, async () => {
    const all = { ...PREVIEW.original, ...traits }
    assert.is(await readCoverGroup(bytesSource(original), all, 50), undefined)
  })

test('a file that is cut behind its index is left to ffmpeg, and so is what is no MP4', async () => {
  for (const bytes of [original.subarray(0, original.length - 1000), new Uint8Array(1000)])
    assert.is(await readCoverGroup(bytesSource(bytes), PREVIEW.original, 85), undefined)
})

test.run()
