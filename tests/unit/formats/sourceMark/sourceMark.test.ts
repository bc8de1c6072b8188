import { concatBytes, latin1 } from '@lantern-room/base/bytes'
import { assembleMotionPhoto, readNow } from '@lantern-room/formats'
import { zipPieces } from '@lantern-room/formats/files'
import { MOTION_PHOTO_PROFILES } from '@lantern-room/formats/make'
import { readMotionPhoto } from '#internal/formats/motionPhoto/read'
import { assembleHeic } from '#internal/formats/newPhoto/assembleHeic'
import { brokenEquations } from '#internal/formats/newPhoto/equations'
import { readSourceMark, withSourceMark } from '#internal/formats/sourceMark/sourceMark'
import { assert, suite } from '#support/runner/suite'
import { heicOf } from '../motionPhoto/sampleHeic'
import { baselineJpeg } from '../motionPhoto/sampleJpeg'
import { sampleParts } from '../motionPhoto/sampleParts'
import { clip, gainMap, withXmp } from '../motionPhoto/samplePhones'

const test = suite('the mark of a source')

const mark = { content: '0123456789abcdef0123456789abcdef', name: '89abcdef' }
const other = { content: 'f'.repeat(32), name: '00000000' }
const markOf = (file: Uint8Array) => readNow(readSourceMark({ size: file.length }), file)

for (const profile of MOTION_PHOTO_PROFILES)
  test(`a photo of ${profile} is marked, and every length and distance in it holds`, () => {
    for (const map of [undefined, gainMap]) {
      const photo = assembleMotionPhoto({ ...sampleParts, profile, gainMap: map })
      assert.is(markOf(photo), undefined)
      const marked = withSourceMark(photo, mark)
      assert.equal(markOf(marked), mark)
      const expected = { profile, clipBytes: clip.length, gainMapBytes: map?.length ?? 0 }
      assert.equal(brokenEquations(marked, expected), [])
      const again = withSourceMark(marked, other)
      assert.equal([markOf(again), again.length], [other, marked.length])
      assert.equal(brokenEquations(again, expected), [])
      assert.is(latin1(again).match(/LanternRoom:Source/g)?.length, 1)
    }
  })

test('a mark that another program has written as an element is found, and replaced', () => {
  const photo = assembleMotionPhoto({ ...sampleParts, profile: 'google' })
  const element = ` xmlns:LanternRoom='urn:x'><LanternRoom:Source>${mark.content} ${mark.name}</LanternRoom:Source>`
  const [before = '', after = ''] = latin1(photo).split(
    /(?<=GCamera:MotionPhotoPresentationTimestampUs="\d+")>/,
  )
  assert.ok(after)
  const edited = Uint8Array.from(before + element + after, (character) => character.charCodeAt(0))
  const xmpAt = before.lastIndexOf('http://ns.adobe.com/xap/1.0/') - 2
  const view = new DataView(edited.buffer)
  view.setUint16(xmpAt, view.getUint16(xmpAt) + element.length - 1)
  assert.equal(markOf(edited), mark)
  const again = withSourceMark(edited, other)
  assert.equal(markOf(again), other)
  assert.is(latin1(again).match(/xmlns:LanternRoom/g)?.length, 1)
})

test('a photo whose XMP has no room is marked in a segment, and marked anew', () => {
  const full = withXmp(baselineJpeg, `<rdf:Description/>${' '.repeat(65_450)}`)
  const marked = withSourceMark(full, mark)
  assert.equal(markOf(marked), mark)
  assert.equal(markOf(withSourceMark(marked, other)), other)
  assert.is(withSourceMark(marked, other).length, marked.length)
})

test('a HEIC is marked before its clip, of which the directory tells the place', () => {
  const whole = heicOf({ xmp: '', movie: clip, itemsIn: 'file' })
  const cover = whole.subarray(0, whole.length - clip.length - 8)
  for (const profile of ['universal', 'google'] as const) {
    const photo = assembleHeic({ cover, clip, profile, presentationTimestampUs: 0 })
    const before = readMotionPhoto(photo)
    const marked = withSourceMark(photo, mark)
    const after = readMotionPhoto(marked)
    assert.equal(markOf(marked), mark)
    assert.is(markOf(photo), undefined)
    const added = marked.length - photo.length
    assert.equal(after?.clip, before?.clip && { offset: before.clip.offset + added, length: clip.length })
    assert.is(after?.samsung?.blocks.length, before?.samsung?.blocks.length)
  }
})

test('a ZIP is marked in its comment; what is cut or something else has no mark', () => {
  const time = { year: 2026, month: 1, day: 1, hour: 0, minute: 0, second: 0 }
  const zip = concatBytes(zipPieces([{ name: 'a.jpg', bytes: baselineJpeg }], time))
  const marked = withSourceMark(zip, mark)
  assert.equal(markOf(marked), mark)
  for (let size = 0; size < marked.length; size++) assert.is(markOf(marked.subarray(0, size)), undefined)
  assert.is(markOf(zip), undefined)
  assert.is(markOf(new TextEncoder().encode('Lantern Room source of nothing')), undefined)
  const photo = withSourceMark(baselineJpeg, mark)
  assert.equal(markOf(photo), mark)
  for (let size = 0; size < 40; size++) assert.is(markOf(photo.subarray(0, size)), undefined)
})

test.run()
