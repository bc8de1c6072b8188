import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { type ByteSpan, readNow } from '@lantern-room/mp4/source'
import fc from 'fast-check'
import { readClipStart } from '#internal/formats/motionPhoto/clipStart'
import { readPhoto } from '#internal/formats/motionPhoto/read'
import { assembleMotionPhoto } from '#internal/formats/newPhoto/assemble'
import { MOTION_PHOTO_PROFILES } from '#internal/formats/profiles/profile'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { damagedCopies } from '../../../support/values/damagedCopies'
import { heicOf } from './sampleHeic'
import { baselineJpeg, jfif, withSegments } from './sampleJpeg'
import { sampleParts } from './sampleParts'
import { clip, description, motion, phones, withDirectory, withXmp } from './samplePhones'

const test = suite('the start of a clip')

const written = MOTION_PHOTO_PROFILES.map((profile) => {
  const file = assembleMotionPhoto({ ...sampleParts, profile })
  return [`profile ${profile}`, file] as const
})
const heic = heicOf({ xmp: description(motion), movie: clip, itemsIn: 'file' })
const files = Object.fromEntries([...Object.entries(phones), ...written, ['HEIC', heic] as const])

for (const [name, file] of Object.entries(files)) {
  test(`is where the whole reader finds it: ${name}`, () => {
    const { found } = watched(file)
    const whole = readNow(readPhoto({ size: file.length }), file)
    assert.is(found?.clip?.start, whole?.clip?.offset)
    assert.ok(found?.isMarked)
  })
}

/** What leads to a clip only by the length of the picture. */
const WALKED = /OPPO|leads nowhere|right after the image/

for (const [name, file] of Object.entries(files)) {
  if (file === heic) continue
  test(`${WALKED.test(name) ? 'needs' : 'is found without'} the picture: ${name}`, () => {
    const { bytes, scan } = withLongScan(file)
    const { found, spans } = watched(bytes)
    const isRead = spans.some(({ start, end }) => start < scan.end && end > scan.start)
    assert.is(isRead, WALKED.test(name))
    const whole = readNow(readPhoto({ size: file.length }), file)
    assert.is(found?.clip?.start, (whole?.clip?.offset ?? 0) + ADDED)
  })
}

test('of a plain photo nothing but its headers and its end is read', () => {
  const { bytes, scan } = withLongScan(withSegments(baselineJpeg, jfif))
  const { found, spans } = watched(bytes)
  assert.equal([found?.isMarked, found?.clip], [false, undefined])
  assert.is(spans.filter(({ start }) => start >= scan.start && start < scan.end).length, 0)
})

test('a photo that lost its clip is marked, and what is no photo is nothing', () => {
  const { found } = watched(withDirectory(''))
  assert.equal([found?.isMarked, found?.clip], [true, undefined])
  assert.is(watched(clip).found, undefined)
  assert.is(watched(asciiBytes('<!doctype html>')).found, undefined)
})

test('no cut or change of a file makes it throw or leaves the file', () => {
  const file = withXmp(phones['new Samsung: a directory whose length counts the trailer'] ?? clip, 'x')
  for (let length = 0; length < file.length; length++) watched(file.subarray(0, length))
  assertProperty(
    fc.property(damagedCopies(file), (broken) => void watched(broken)),
    { numRuns: 300 },
  )
})

const ADDED = 300_000

/** The same photo with more data in its picture. @returns with it where that lies, apart from what a look at the picture's ends reads */
function withLongScan(file: Uint8Array): { bytes: Uint8Array; scan: ByteSpan } {
  const at = (readNow(readPhoto({ size: file.length }), file)?.primaryLength ?? 0) - 2
  const bytes = concatBytes([file.subarray(0, at), new Uint8Array(ADDED), file.subarray(at)])
  return { bytes, scan: { start: at + 1000, end: at + ADDED - 1000 } }
}

/** Reads the file, and notes which ranges are asked for. */
function watched(file: Uint8Array) {
  const spans: ByteSpan[] = []
  const reading = readClipStart({ size: file.length })
  let step = reading.next()
  while (!step.done) {
    const { start, end } = step.value
    assert.ok(start >= 0 && start < end && end <= file.length)
    spans.push(step.value)
    step = reading.next(file.subarray(start, end))
  }
  return { found: step.value, spans }
}

test.run()
