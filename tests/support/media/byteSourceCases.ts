import type { ByteSource } from '@lantern-room/mp4/source'
import { assert, type suite } from '../runner/suite'

/** What every source of these tests holds. */
export const SOURCE_BYTES = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251)

/** What holds for every source of bytes. @param open of `SOURCE_BYTES` */
export function byteSourceCases(
  test: ReturnType<typeof suite>,
  kind: string,
  open: () => Promise<ByteSource>,
): void {
  test(`${kind}: any part, the whole and nothing`, async () => {
    const source = await open()
    assert.is(source.size, SOURCE_BYTES.length)
    for (const [start, end] of [
      [0, 10],
      [65_530, 65_540],
      [99_990, 100_000],
      [0, 100_000],
      [100_000, 100_000],
    ] as const)
      assert.equal(Uint8Array.from(await source.read(start, end)), SOURCE_BYTES.subarray(start, end))
  })

  test(`${kind}: a range outside is an error and not a shorter answer`, async () => {
    const source = await open()
    for (const [start, end] of [
      [-1, 2],
      [3, 2],
      [99_999, 100_001],
    ] as const)
      assert.instance(await source.read(start, end).catch((error: unknown) => error), RangeError)
  })
}
