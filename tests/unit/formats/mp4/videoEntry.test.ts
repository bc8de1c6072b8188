import { concatBytes } from '#core/bytes'
import { encodeBox, readBoxes } from '#core/formats/mp4/boxes'
import { cleanVideoEntry } from '#core/formats/mp4/sampleEntry'
import { assert, suite } from '../../../support/runner/suite'
import { hex } from '../hex'

const test = suite('a video entry of an original')

const fields = new Uint8Array(78).fill(7)
const entry = (codec: string, ...boxes: readonly Uint8Array[]) => encodeBox(codec, fields, ...boxes)
const boxesOf = (bytes: Uint8Array | undefined) => readBoxes(bytes?.subarray(86) ?? new Uint8Array())

test("QuickTime's own fields and its end of the list are left out", () => {
  const cleaned = cleanVideoEntry(entry('avc1', encodeBox('avcC', hex('01')), new Uint8Array(4)))
  const types = boxesOf(cleaned)?.map(({ type }) => type)
  assert.equal(types, ['avcC'])
  assert.ok(cleaned?.subarray(16, 32).every((byte) => byte === 0))
  assert.ok(cleaned?.subarray(32, 86).every((byte) => byte === 7))
})

test('colours get the form of ISO; what has it stays as it is', () => {
  const configuration = encodeBox('hvcC', hex('01'))
  const quickTime = encodeBox('colr', concatBytes([new TextEncoder().encode('nclc'), hex('0009 0012 0009')]))
  const iso = encodeBox('colr', concatBytes([new TextEncoder().encode('nclx'), hex('0009 0012 0009 00')]))
  const full = encodeBox('colr', concatBytes([new TextEncoder().encode('nclx'), hex('0009 0012 0009 80')]))
  for (const [given, expected] of [
    [quickTime, iso],
    [iso, iso],
    [full, full],
  ] as const) {
    assert.equal(
      cleanVideoEntry(entry('hvc1', configuration, given))?.subarray(86 + configuration.length),
      expected,
    )
  }
})

test('other codecs, and those without their configuration, are refused', () => {
  assert.is(cleanVideoEntry(entry('mp4v', encodeBox('esds'))), undefined)
  assert.is(cleanVideoEntry(entry('dvh1', encodeBox('hvcC'))), undefined)
  assert.is(cleanVideoEntry(entry('avc1', encodeBox('hvcC'))), undefined)
  assert.is(cleanVideoEntry(encodeBox('avc1', new Uint8Array(20))), undefined)
})

test.run()
