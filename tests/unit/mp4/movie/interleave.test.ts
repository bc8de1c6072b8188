import fc from 'fast-check'
import { interleave } from '#internal/mp4/movie/interleave'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'

const test = suite('interleaving tracks')
const pictures = { timescale: 30, durations: new Uint32Array(40).fill(1), edits: [] }
const sound = { timescale: 48_000, durations: new Uint32Array(62).fill(1024), edits: [] }

test('half seconds take turns, the first track first', () => {
  assert.equal(
    interleave([pictures, sound]).map(({ track, first, end }) => [track, first, end]),
    [
      [0, 0, 15],
      [1, 0, 24],
      [0, 15, 30],
      [0, 30, 40],
      [1, 24, 48],
      [1, 48, 62],
    ].sort((a, b) => (a[1] ?? 0) / (a[0] ? 46.875 : 30) - (b[1] ?? 0) / (b[0] ? 46.875 : 30)),
  )
})

/** Of which tracks the first four chunks are. */
const firstTracks = (tracks: Parameters<typeof interleave>[0]) =>
  interleave(tracks)
    .slice(0, 4)
    .map(({ track }) => track)

test('samples that an edit list hides come before what is presented', () => {
  // One second of pictures is hidden, then the sound begins with the picture.
  const hidden = { ...pictures, edits: [{ durationSeconds: 0.3, mediaTime: 30 }] }
  assert.equal(firstTracks([hidden, sound]), [0, 0, 0, 1])
  // Sound that starts a second late is not needed before.
  const late = {
    ...sound,
    edits: [
      { durationSeconds: 1.2, mediaTime: undefined },
      { durationSeconds: 1, mediaTime: 0 },
    ],
  }
  assert.equal(firstTracks([pictures, late]), [0, 0, 0, 1])
})

test('every sample is in exactly one chunk, in its order', () => {
  const durations = fc.array(fc.integer({ min: 0, max: 200 })).map((list) => Uint32Array.from(list))
  assertProperty(
    fc.property(fc.array(durations, { maxLength: 3 }), (lists) => {
      const next = lists.map(() => 0)
      const tracks = lists.map((durations) => ({ timescale: 100, durations, edits: [] }))
      for (const { track, first, end } of interleave(tracks)) {
        assert.is(first, next[track])
        assert.ok(end > first)
        next[track] = end
      }
      const counts = lists.map(({ length }) => length)
      assert.equal(next, counts)
    }),
  )
})

test.run()
