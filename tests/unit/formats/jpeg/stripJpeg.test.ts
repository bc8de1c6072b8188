import { concatBytes } from '@lantern-room/base/bytes'
import { encodeSegment } from '#internal/formats/jpeg/jpeg'
import { stripJpeg } from '#internal/formats/jpeg/stripJpeg'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'
import {
  adobe,
  baselineJpeg,
  comment,
  jfif,
  progressiveJpeg,
  skeleton,
  withSegments,
} from '../motionPhoto/sampleJpeg'

const test = suite('JPEG stripping')

const exifWithThumbnail = encodeSegment(0xe1, concatBytes([hex('457869660000'), baselineJpeg]))

test('stripping leaves only what decodes', () => {
  const dressed = withSegments(
    baselineJpeg,
    jfif,
    exifWithThumbnail,
    comment,
    encodeSegment(0xe2, hex('00')),
    adobe(1),
  )
  const stripped = stripJpeg(concatBytes([dressed, hex('0102')]))
  equalBytes(stripped?.bytes ?? new Uint8Array(), baselineJpeg)
  assert.equal([stripped?.frame.width, stripped?.frame.height], [16, 8])
})

test('stripping keeps restart intervals, tables and all scans', () => {
  const dri = hex('ffdd 0004 0002')
  equalBytes(stripJpeg(progressiveJpeg)?.bytes ?? new Uint8Array(), progressiveJpeg)
  const bytes = skeleton({ before: [dri], scan: hex('01 ffd0 02') })
  equalBytes(stripJpeg(bytes)?.bytes ?? new Uint8Array(), bytes)
})

const rgb = [0x52, 0x47, 0x42]
const colours: Record<string, [components: number[], before: Uint8Array[], kept: Uint8Array | undefined]> = {
  'three components, Adobe says YCbCr: not needed': [[1, 2, 3], [adobe(1)], undefined],
  'three components, Adobe says RGB: needed': [[1, 2, 3], [adobe(0)], adobe(0)],
  'components named R, G, B, Adobe agrees: not needed': [rgb, [adobe(0)], undefined],
  'components named R, G, B, Adobe says YCbCr: needed': [rgb, [adobe(1)], adobe(1)],
  'components named R, G, B, but JFIF: needed': [rgb, [jfif], jfif],
  'JFIF outranks Adobe, and YCbCr needs neither': [[1, 2, 3], [jfif, adobe(0)], undefined],
  'four components: Adobe is needed': [[1, 2, 3, 4], [adobe(2)], adobe(2)],
  'one component: neither is needed': [[1], [jfif, adobe(0)], undefined],
}
for (const [name, [components, before, kept]] of Object.entries(colours)) {
  test(name, () => {
    const stripped = stripJpeg(skeleton({ components, before }))?.bytes ?? new Uint8Array()
    equalBytes(stripped, skeleton({ components, before: kept ? [kept] : [] }))
  })
}

test('what is not one whole JPEG is undefined', () => {
  assert.is(stripJpeg(hex('ffd8 ffd9')), undefined, 'no frame')
})

test.run()
