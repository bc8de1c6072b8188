import { concatBytes } from '#core/bytes'
import { encodeBox, readBoxes, uint32s } from '#core/formats/mp4/boxes'
import { readSampleEntry } from '#core/formats/mp4/sampleEntry'
import { avcC, PPS, SPS } from '../../../support/media/previewMp4'
import { assert, suite } from '../../../support/runner/suite'
import { hex } from '../hex'
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

function read(entry: Uint8Array, kind: 'video' | 'audio' | 'other') {
  const [stsd] = readBoxes(fullBox('stsd', uint32s(1), entry)) ?? []
  if (!stsd) throw new Error('no box')
  return readSampleEntry(stsd, kind)
}

test.run()
