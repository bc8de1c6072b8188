import { latin1, viewOf } from '@lantern-room/base/bytes'
import { encodeMatrixProfile } from '#internal/formats/icc/matrixProfile'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('ICC profiles of colour spaces')

const p3 = {
  name: 'Display P3',
  red: [0.68, 0.32],
  green: [0.265, 0.69],
  blue: [0.15, 0.06],
  white: [0.3127, 0.329],
} as const

/** The content of a tag. */
function tagOf(profile: Uint8Array, signature: string): Uint8Array {
  const view = viewOf(profile)
  for (let i = 0; i < view.getUint32(128); i++) {
    const at = 132 + 12 * i
    if (latin1(profile, at, at + 4) !== signature) continue
    return profile.subarray(view.getUint32(at + 4), view.getUint32(at + 4) + view.getUint32(at + 8))
  }
  return new Uint8Array()
}

function numbersOf(profile: Uint8Array, signature: string, start = 8): number[] {
  const tag = tagOf(profile, signature)
  return Array.from(
    { length: (tag.length - start) / 4 },
    (_, i) => viewOf(tag).getInt32(start + 4 * i) / 65_536,
  )
}

test("Display P3 has the numbers of Apple's profile", () => {
  const profile = encodeMatrixProfile({ ...p3, curve: 'srgb' })
  assert.is(viewOf(profile).getUint32(0), profile.length)
  const near = (signature: string, wanted: readonly number[]) => {
    const found = numbersOf(profile, signature)
    assert.ok(
      wanted.every((value, i) => Math.abs(value - (found[i] ?? Number.NaN)) < 0.0003),
      `${signature} ${found}`,
    )
  }
  near('rXYZ', [0.5151, 0.2412, -0.0011])
  near('gXYZ', [0.292, 0.6922, 0.0419])
  near('bXYZ', [0.1571, 0.0666, 0.7841])
  near('wtpt', [0.9642, 1, 0.8249])
  near('chad', [1.0479, 0.0229, -0.0502, 0.0296, 0.9905, -0.0171, -0.0092, 0.0151, 0.7517])
  assert.equal(latin1(tagOf(profile, 'desc'), 28).replaceAll('\0', ''), 'Display P3')
  assert.equal(
    numbersOf(profile, 'rTRC', 12).map((value) => Number(value.toFixed(4))),
    [2.4, 0.9479, 0.0521, 0.0774, 0.0405],
  )
})

test('a power is a curve of one number, and every tag begins at a multiple of four', () => {
  const profile = encodeMatrixProfile({ ...p3, name: 'odd', curve: 2.2 })
  assert.equal(
    numbersOf(profile, 'gTRC', 12).map((value) => Number(value.toFixed(3))),
    [2.2],
  )
  const view = viewOf(profile)
  const starts = Array.from({ length: view.getUint32(128) }, (_, i) => view.getUint32(136 + 12 * i))
  assert.ok(
    starts.every((at) => at % 4 === 0),
    String(starts),
  )
})

test.run()
