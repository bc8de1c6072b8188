import { asciiBytes, hasBytesAt } from '@lantern-room/base/bytes'
import { readNow } from '@lantern-room/mp4/source'
import { readClip } from '#internal/formats/motionPhoto/clipFacts'
import { previewMp4 } from '../../../support/media/previewMp4'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('what a gallery needs to know of a clip')

const LEAD = 11
const clip = previewMp4()

/** A clip as it lies in a photo: behind other bytes. */
function read(bytes: Uint8Array, length = bytes.length) {
  const file = new Uint8Array(LEAD + bytes.length)
  file.set(bytes, LEAD)
  return readNow(readClip({ size: file.length }, { offset: LEAD, length }), file)
}

/** The clip with one four-character code in place of another, wherever it stands. */
function renamed(from: string, to: string): Uint8Array {
  const changed = clip.slice()
  const [old, next] = [asciiBytes(from), asciiBytes(to)]
  for (let at = 0; at < changed.length; at += 1) if (hasBytesAt(changed, at, old)) changed.set(next, at)
  return changed
}

test('its size, length and rate are told', () => {
  const { clip: facts } = read(clip)
  assert.equal([facts?.codec, facts?.frames, facts?.durationSeconds], ['avc1', 90, 3])
  assert.ok(Math.abs((facts?.fps ?? 0) - 30) < 0.01)
})

for (const [what, bytes, problem] of [
  ['without an index', renamed('moov', 'free'), /has no index/],
  ['whose codec no gallery plays', renamed('avc1', 'vp09'), /No gallery plays/],
  ['without a track of pictures', renamed('vide', 'text'), /no frames/],
] as const)
  test(`a clip ${what} has a problem`, () => assert.match(read(bytes).problem ?? '', problem))

test('a clip that ends anywhere else than at its end is cut, and nothing else', () => {
  for (let length = 0; length < clip.length; length += 1 + (length >> 5)) {
    assert.match(read(clip.subarray(0, length)).problem ?? '', /cut|damaged|no MP4/, `${length} bytes`)
  }
})

test.run()
