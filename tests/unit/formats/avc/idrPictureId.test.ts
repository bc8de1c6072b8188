import { idrPictureId } from '#core/formats/avc/predictedSlice'
import { assert, suite } from '../../../support/runner/suite'
import { hex } from '../hex'

// Bits of the header after the unit's first byte: first_mb_in_slice 0 (1), slice_type 7 (0001000), pic_parameter_set_id 0 (1),
// frame_num of four bits, idr_pic_id.

const test = suite('identifiers of IDR pictures')

/** Baseline, level 3.1: seq_parameter_set_id 0 (1), log2_max_frame_num_minus4 0 (1). */
const SPS = hex('6742c01f c0')

test('are read after the frame number', () => {
  // 1 0001000 1 0000 | 1
  assert.is(idrPictureId(SPS, hex('65 88 84')), 0)
  // 1 0001000 1 0000 | 010
  assert.is(idrPictureId(SPS, hex('65 88 82 00')), 1)
  // 1 0001000 1 0000 | 000010000 00000000…: 2^4 - 1
  assert.is(idrPictureId(SPS, hex('65 88 80 40 00')), 15)
})

test('a frame number of more bits is skipped', () => {
  // log2_max_frame_num_minus4 4 (00101): eight bits.
  // 1 0001000 1 00000000 | 010
  assert.is(idrPictureId(hex('6742c01f 94'), hex('65 88 80 20')), 1)
})

test('bytes that only prevent a start code do not count', () => {
  // first_mb_in_slice 2^22 - 1 (22 zeros, a one, 22 bits) makes 00 00 02 00 00 00, written with a 03 after each pair of zeros.
  assert.is(idrPictureId(SPS, hex('65 00 00 03 02 00 00 03 00 88 40')), 0)
  assert.is(idrPictureId(SPS, hex('65 00 00 03 02 00 00 03 00 88 20')), 1)
})

test('other profiles and other pictures have none that is read', () => {
  assert.is(idrPictureId(hex('6764001f ac'), hex('65 88 84')), undefined)
  assert.is(idrPictureId(SPS, hex('41 9a 00')), undefined)
})

test.run()
