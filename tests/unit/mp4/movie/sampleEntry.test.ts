import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox, readBoxes, uint32s } from '#internal/mp4/movie/boxes'
import { cleanVideoEntry, readSampleEntry } from '#internal/mp4/movie/sampleEntry'
import { hex } from '#support/values/hex'
import { avcC, PPS, SPS } from '../../../support/media/previewMp4'
import { assert, suite } from '../../../support/runner/suite'
import { fullBox } from './sampleMp4'

const test = suite('MP4 sample entry')

const fields = concatBytes([new Uint8Array(24), hex('0280 0168'), new Uint8Array(50)])
const video = (configuration = avcC) => encodeBox('avc1', fields, encodeBox('avcC', configuration))
const audio = encodeBox('mp4a', new Uint8Array(16), hex('0002 0010 0000 0000 bb80 0000'))

test('the video entry has its size and H.264 parameters', () => {
  assert.equal(read(video(), 'video'), {
    codec: 'avc1',
    sampleEntry: video(),
    entryCount: 1,
    width: 640,
    height: 360,
    otherEntries: [],
    avc: { bytes: avcC, lengthSize: 4, sps: [SPS], pps: [PPS] },
  })
})

test('an audio entry has no size', () => {
  const entry = read(audio, 'audio')
  assert.is(entry?.codec, 'mp4a')
  assert.equal([entry?.width, entry?.height, entry?.avc], [0, 0, undefined])
})

test('of another kind only the codec is read, however short it is', () => {
  const entry = encodeBox('tx3g')
  assert.equal([read(entry, 'other')?.codec, read(entry, 'other')?.sampleEntry], ['tx3g', entry])
})

test('a video entry without avcC has a size', () => {
  const entry = read(encodeBox('hvc1', fields), 'video')
  assert.equal([entry?.codec, entry?.width, entry?.height, entry?.avc], ['hvc1', 640, 360, undefined])
})

test('an entry that is too short for its kind is undefined', () => {
  assert.is(read(encodeBox('avc1', new Uint8Array(77)), 'video'), undefined)
  assert.is(read(encodeBox('mp4a', new Uint8Array(27)), 'audio'), undefined)
})

test('no entry, or one that ends after its box, is undefined', () => {
  assert.is(read(new Uint8Array(), 'video'), undefined)
  assert.is(read(video().subarray(0, -1), 'video'), undefined)
})

test('an avcC that is cut at any byte, or of another version, is refused', () => {
  for (let length = 0; length < avcC.length; length++)
    assert.is(read(video(avcC.subarray(0, length)), 'video'), undefined, `${length} bytes`)
  assert.is(read(video(Uint8Array.from(avcC, (byte, at) => (at === 0 ? 2 : byte))), 'video'), undefined)
})

const original = (codec: string, ...boxes: readonly Uint8Array[]) =>
  encodeBox(codec, new Uint8Array(78).fill(7), ...boxes)
const boxesOf = (bytes: Uint8Array | undefined) => readBoxes(bytes?.subarray(86) ?? new Uint8Array())

test("QuickTime's own fields and its end of the list are left out", () => {
  const cleaned = cleanVideoEntry(original('avc1', encodeBox('avcC', hex('01')), new Uint8Array(4)))
  const types = boxesOf(cleaned)?.map(({ type }) => type)
  assert.equal(types, ['avcC'])
  assert.ok(cleaned?.subarray(16, 32).every((byte) => byte === 0))
  assert.ok(cleaned?.subarray(32, 86).every((byte) => byte === 7))
})

test('colours of an original get the form of ISO; what has it stays as it is', () => {
  const configuration = encodeBox('hvcC', hex('01'))
  const quickTime = encodeBox('colr', concatBytes([asciiBytes('nclc'), hex('0009 0012 0009')]))
  const iso = encodeBox('colr', concatBytes([asciiBytes('nclx'), hex('0009 0012 0009 00')]))
  const full = encodeBox('colr', concatBytes([asciiBytes('nclx'), hex('0009 0012 0009 80')]))
  for (const [given, expected] of [
    [quickTime, iso],
    [iso, iso],
    [full, full],
  ] as const) {
    assert.equal(
      cleanVideoEntry(original('hvc1', configuration, given))?.subarray(86 + configuration.length),
      expected,
    )
  }
})

test('other codecs of originals, and those without their configuration, are refused', () => {
  assert.is(cleanVideoEntry(original('mp4v', encodeBox('esds'))), undefined)
  assert.is(cleanVideoEntry(original('dvh1', encodeBox('hvcC'))), undefined)
  assert.is(cleanVideoEntry(original('avc1', encodeBox('hvcC'))), undefined)
  assert.is(cleanVideoEntry(encodeBox('avc1', new Uint8Array(20))), undefined)
})

function read(entry: Uint8Array, kind: 'video' | 'audio' | 'other') {
  const [stsd] = readBoxes(fullBox('stsd', uint32s(1), entry)) ?? []
  if (!stsd) throw new Error('no box')
  return readSampleEntry(stsd, kind)
}

test.run()
