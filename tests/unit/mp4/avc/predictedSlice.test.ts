import { idrPictureId, readPredictedSlice, readSliceSyntax } from '#internal/mp4/avc/predictedSlice'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { payload } from './payload'
import { PPS_BITS, SPS_BITS } from './streams'

const test = suite('slices that are predicted from one picture')
const syntax = (sps = SPS_BITS, pps = PPS_BITS) => readSliceSyntax(payload(sps), payload(pps))

test('the parameters of a preview say how long a frame number is', () => {
  assert.equal(syntax(), { frameNumberBits: 4 })
  // log2_max_frame_num_minus4: 4
  assert.equal(syntax(SPS_BITS.replace('1 1 011', '1 00101 011')), { frameNumberBits: 8 })
})

test('streams of another kind are not read', () => {
  for (const [what, sps, pps] of [
    ['high profile', SPS_BITS.replace('01000010', '01100100'), PPS_BITS],
    ['times of their own', SPS_BITS.replace('1 1 011', '1 1 1'), PPS_BITS],
    ['fields', SPS_BITS.replace(/1$/, '0'), PPS_BITS],
    ['arithmetic coding', SPS_BITS, PPS_BITS.replace('1 1 0 0', '1 1 1 0')],
    ['slice groups', SPS_BITS, PPS_BITS.replace('1 1 0 0 1', '1 1 0 0 010')],
    ['two references', SPS_BITS, PPS_BITS.replace('1 1 0 0 1 1', '1 1 0 0 1 010')],
    ['weights', SPS_BITS, PPS_BITS.replace('1 1 0 0 1 1 1 0', '1 1 0 0 1 1 1 1')],
    ['redundant pictures', SPS_BITS, PPS_BITS.replace(/0$/, '1')],
  ] as const) {
    assert.is(syntax(sps, pps), undefined, what)
  }
})

const read = (bits: string) => readPredictedSlice({ frameNumberBits: 4 }, payload(bits))

test('it says from which picture', () => {
  // first_mb_in_slice, slice_type 5, pic_parameter_set_id, frame_num, override, changes of the list, marking
  assert.equal(read('1 00110 1 0101 0 0 0 1101'), {
    frameNumber: 5,
    frameNumberAt: 7,
    distance: 1,
    distanceAt: 12,
    distanceEnd: 13,
  })
  const second = read('1 1 1 0110 0 1 1 010 00100 0 1101')
  assert.equal([second?.frameNumber, second?.distance], [6, 2])
  assert.equal([second?.distanceAt, second?.distanceEnd], [8, 18])
  const overridden = read('1 00110 1 0101 1 1 0 0 1101')
  assert.equal([overridden?.distance, overridden?.distanceAt], [1, 13])
})

test('another kind of slice, or one that does more, is none', () => {
  for (const [what, bits] of [
    ['an I slice', '1 0001000 1 0101 0 0 0'],
    ['a B slice', '1 010 1 0101 0 0 0'],
    ['two references', '1 00110 1 0101 1 010 0 0'],
    ['a picture after it', '1 00110 1 0101 0 1 010 1 00100 0'],
    ['a long-term picture', '1 00110 1 0101 0 1 011 1 00100 0'],
    ['two changes', '1 00110 1 0101 0 1 1 010 1 1 00100 0'],
    ['marks pictures', '1 00110 1 0101 0 0 1'],
  ] as const) {
    assert.is(read(bits), undefined, what)
  }
})

// Bits of the header after the unit's first byte: first_mb_in_slice 0 (1), slice_type 7 (0001000), pic_parameter_set_id 0 (1),
// frame_num of four bits, idr_pic_id.

/** Baseline, level 3.1: seq_parameter_set_id 0 (1), log2_max_frame_num_minus4 0 (1). */
const SPS = hex('6742c01f c0')

test('identifiers of IDR pictures are read after the frame number', () => {
  // 1 0001000 1 0000 | 1
  assert.is(idrPictureId(SPS, hex('65 88 84')), 0)
  // 1 0001000 1 0000 | 010
  assert.is(idrPictureId(SPS, hex('65 88 82 00')), 1)
  // 1 0001000 1 0000 | 000010000 00000000…: 2^4 - 1
  assert.is(idrPictureId(SPS, hex('65 88 80 40 00')), 15)
})

test('before an identifier a frame number of more bits is skipped', () => {
  // log2_max_frame_num_minus4 4 (00101): eight bits.
  // 1 0001000 1 00000000 | 010
  assert.is(idrPictureId(hex('6742c01f 94'), hex('65 88 80 20')), 1)
})

test('in an identifier bytes that only prevent a start code do not count', () => {
  // first_mb_in_slice 2^22 - 1 (22 zeros, a one, 22 bits) makes 00 00 02 00 00 00, written with a 03 after each pair of zeros.
  assert.is(idrPictureId(SPS, hex('65 00 00 03 02 00 00 03 00 88 40')), 0)
  assert.is(idrPictureId(SPS, hex('65 00 00 03 02 00 00 03 00 88 20')), 1)
})

test('other profiles and other pictures have no identifier that is read', () => {
  assert.is(idrPictureId(hex('6764001f ac'), hex('65 88 84')), undefined)
  assert.is(idrPictureId(SPS, hex('41 9a 00')), undefined)
})

test.run()
