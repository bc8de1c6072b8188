import { asciiBytes, concatBytes, latin1 } from '@lantern-room/base/bytes'
import { encodeBox, encodeFullBox, onlyBox, readBoxes, uint32s } from '@lantern-room/mp4/boxes'
import { quickTimeTrack } from '#internal/formats/livePhoto/quickTimeTrack'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('QuickTime track')

const esds = encodeFullBox('esds', 0, asciiBytes('decoder'))
const fields = hex('000000000000 0001 0000000000000000 0002 0010 0000 0000 bb800000')

function track(handler: string, entry: Uint8Array): Uint8Array {
  const hdlr = encodeFullBox('hdlr', 0, uint32s(0), asciiBytes(handler), uint32s(0, 0, 0), asciiBytes('x\0'))
  const stsd = encodeFullBox('stsd', 0, uint32s(1), entry)
  const stbl = encodeBox('stbl', stsd, encodeBox('stts', uint32s(5)))
  const minf = encodeBox('minf', encodeFullBox('smhd', 0, uint32s(0)), encodeBox('dinf'), stbl)
  return concatBytes([encodeBox('tkhd', uint32s(1)), encodeBox('mdia', hdlr, minf)])
}

function inside(box: Uint8Array, ...path: readonly string[]): Uint8Array {
  return path.reduce((bytes, type) => onlyBox(readBoxes(bytes) ?? [], type)?.body ?? new Uint8Array(), box)
}

test('AAC is described as QuickTime does: version 1, decoder settings in a box wave', () => {
  const made = quickTimeTrack(track('soun', encodeBox('mp4a', fields, esds)))
  const stsd = inside(made, 'trak', 'mdia', 'minf', 'stbl', 'stsd')
  const frma = encodeBox('frma', asciiBytes('mp4a'))
  const wave = encodeBox('wave', frma, encodeBox('mp4a', uint32s(0)), esds, uint32s(8, 0))
  const entry = hex('000000000000 0001 0001000000000000 0002 0010 fffe 0000 bb800000')
  const expected = encodeBox('mp4a', entry, uint32s(1024, 0, 0, 2), wave)
  equalBytes(stsd, concatBytes([uint32s(0, 1), expected]))
})

test('handlers have a component type and a counted name, and there is one for data', () => {
  const made = quickTimeTrack(track('vide', encodeBox('avc1', fields)))
  const handler = latin1(inside(made, 'trak', 'mdia', 'hdlr'), 4)
  assert.is(handler, `mhlrvideappl${'\0'.repeat(8)}\x10Core Media Video`)
  const information = readBoxes(inside(made, 'trak', 'mdia', 'minf')) ?? []
  const types = information.map(({ type }) => type)
  assert.equal(types, ['smhd', 'hdlr', 'dinf', 'stbl'])
  assert.is(latin1(information[1]?.body ?? hex(''), 4, 12), 'dhlralis')
})

test('everything else stays', () => {
  const entry = encodeBox('avc1', fields, asciiBytes('anything'))
  const made = quickTimeTrack(track('vide', entry))
  equalBytes(inside(made, 'trak', 'mdia', 'minf', 'stbl', 'stsd'), concatBytes([uint32s(0, 1), entry]))
  equalBytes(inside(made, 'trak', 'mdia', 'minf', 'stbl', 'stts'), uint32s(5))
  equalBytes(inside(made, 'trak', 'tkhd'), uint32s(1))
  const lossless = encodeBox('mp4a', fields)
  const stsd = inside(quickTimeTrack(track('soun', lossless)), 'trak', 'mdia', 'minf', 'stbl', 'stsd')
  equalBytes(stsd, concatBytes([uint32s(0, 1), lossless]))
})

test.run()
