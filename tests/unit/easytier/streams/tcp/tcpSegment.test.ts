import { decodeTcp, encodeTcp } from '#core/easytier/streams/tcp/tcpSegment'
import { assert, suite } from '#support/runner/suite'
import { SYN } from './tcpSyn'

const test = suite('easytier: TCP segments')

const ENDS = { source: 0x0a000001, target: 0x0a000002 }
const OFFER = {
  ...SYN,
  sourcePort: 1000,
  targetPort: 2000,
  sequence: 0xfffffffe,
  acknowledged: 7,
  window: 65_535,
}

test('options of a SYN are written and read again', () => {
  const segment = { ...OFFER, maxSegment: 1240, windowScale: 3 }
  assert.equal(decodeTcp(encodeTcp(segment, ENDS), ENDS), segment)
  assert.equal(decodeTcp(encodeTcp(OFFER, ENDS), ENDS), OFFER)
})

test('unknown options are skipped; reading stops at the end mark and at malformed ones', () => {
  const cases: readonly (readonly [readonly number[], number | undefined, number | undefined])[] = [
    [[1, 1, 2, 4, 4, 216, 0, 0], 1240, undefined],
    [[4, 2, 8, 3, 9, 3, 3, 5], undefined, 5],
    [[0, 2, 4, 4, 216, 0, 0, 0], undefined, undefined],
    [[2, 4, 4, 216, 3, 3, 15, 0], 1240, 14],
    [[5, 0, 2, 4, 4, 216, 0, 0], undefined, undefined],
    [[5, 1, 2, 4, 4, 216, 0, 0], undefined, undefined],
    [[1, 1, 1, 1, 1, 3, 3], undefined, 0],
    [[1, 1, 1, 1, 1, 1, 1, 3], undefined, undefined],
    [[2, 3, 9, 3, 4, 1, 1, 1], undefined, undefined],
  ]
  for (const [options, maxSegment, windowScale] of cases) {
    const read = decodeTcp(withOptions(options), ENDS)
    assert.equal([read?.maxSegment, read?.windowScale], [maxSegment, windowScale], String(options))
  }
})

test('truncated segments, impossible header sizes and wrong checksums are refused', () => {
  const bytes = encodeTcp({ ...OFFER, data: Uint8Array.of(1, 2, 3) }, ENDS)
  for (let size = 0; size < bytes.length; size += 1) {
    assert.is(decodeTcp(bytes.subarray(0, size), ENDS), undefined, `${size} bytes`)
  }
  assert.is(decodeTcp(bytes, { ...ENDS, target: 0x0a000003 }), undefined)
  for (const size of [0x40, 0x60]) assert.is(decodeTcp(bytes.with(12, size), ENDS), undefined)
})

/** A SYN with these bytes as its options, padded by zeros to whole words, and a correct checksum. */
function withOptions(options: readonly number[]): Uint8Array {
  const padded = [...options, ...new Array<number>(-options.length & 3).fill(0)]
  // As data behind the header, they get their checksum; moved into the header, they keep it but for its size field.
  const bytes = encodeTcp({ ...OFFER, data: Uint8Array.from(padded) }, ENDS)
  const view = new DataView(bytes.buffer)
  view.setUint8(12, ((20 + padded.length) / 4) << 4)
  const added = (padded.length / 4) << 12
  let sum = (~view.getUint16(16) & 0xffff) + added
  sum = (sum & 0xffff) + (sum >>> 16)
  view.setUint16(16, ~sum)
  return bytes
}
