import { viewOf } from '@lantern-room/base/bytes'
import { type Box, readBoxes } from '@lantern-room/mp4/boxes'

/** A number of a file: where it stands, big-endian, in 2, 4 or 8 bytes. */
export type NumericField = { readonly name: string; readonly at: number; readonly width: 2 | 4 | 8 }

/** Numbers that make a quotient, a sum or a length absurd; in a narrower field, their lower bits. */
export const ABSURD = [
  0n,
  1n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 53n,
  2n ** 63n - 1n,
  2n ** 63n,
]

const PARENTS = new Set('moov trak mdia minf stbl edts moof traf mvex'.split(' '))

type Layout = readonly [name: string, width: 2 | 4 | 8][]
const four = (...names: string[]): Layout => names.map((name) => [name, 4])

/** Of boxes that begin with version and flags: the fields after them, in both versions. */
function layoutOf(
  type: string,
  isLong: boolean,
): { readonly fixed: Layout; readonly row?: Layout } | undefined {
  const wide = isLong ? 8 : 4
  const times: Layout = [
    ['creation', wide],
    ['modification', wide],
  ]
  const layouts: Readonly<Record<string, { readonly fixed: Layout; readonly row?: Layout }>> = {
    mvhd: { fixed: [...times, ['timescale', 4], ['duration', wide], ...four('rate'), ['volume', 2]] },
    mdhd: { fixed: [...times, ['timescale', 4], ['duration', wide]] },
    tkhd: {
      fixed: [
        ...times,
        ...four('id', 'reserved'),
        ['duration', wide],
        ...four('reserved 1', 'reserved 2', 'layer', 'volume'),
        ...four('a', 'b', 'u', 'c', 'd', 'v', 'x', 'y', 'w', 'width', 'height'),
      ],
    },
    elst: {
      fixed: four('count'),
      row: [
        ['duration', wide],
        ['media time', wide],
        ['rate', 4],
      ],
    },
    stts: { fixed: four('count'), row: four('samples', 'delta') },
    ctts: { fixed: four('count'), row: four('samples', 'offset') },
    stsc: { fixed: four('count'), row: four('first', 'samples', 'entry') },
    stsz: { fixed: four('size', 'count'), row: four('size of one') },
    stss: { fixed: four('count'), row: four('number') },
    stco: { fixed: four('count'), row: four('offset') },
    co64: { fixed: four('count'), row: [['offset', 8]] },
    stsd: { fixed: four('count', 'size of the first') },
    tfhd: { fixed: four('track', 'first', 'second', 'third', 'fourth') },
    tfdt: { fixed: [['time', wide]] },
    trun: { fixed: four('count', 'data offset', 'flags'), row: four('first', 'second') },
    sidx: { fixed: [...four('id', 'timescale'), ['earliest', wide], ['offset', wide]] },
    mehd: { fixed: [['duration', wide]] },
    trex: { fixed: four('track', 'entry', 'duration', 'size', 'flags') },
    mfhd: { fixed: four('sequence') },
  }
  return layouts[type]
}

/** The numbers in the index of an MP4, and in its fragments: of tables the first row and the last. Sizes of boxes count, too. */
export function numericFields(mp4: Uint8Array, start = 0, path = ''): NumericField[] {
  return (readBoxes(mp4) ?? []).flatMap((box) => {
    const name = `${path}${box.type}`
    const at = start + box.start
    const body = at + box.headerSize
    const size: NumericField = { name: `${name}: size`, at, width: 4 }
    if (PARENTS.has(box.type)) return [size, ...numericFields(box.body, body, `${name}/`)]
    return [size, ...fieldsOf(box, name, body)]
  })
}

function fieldsOf({ type, body }: Box, name: string, start: number): NumericField[] {
  const layout = layoutOf(type, body[0] === 1)
  if (!layout) return []
  const { fixed, row = [] } = layout
  const head = placed(fixed, `${name}: `, start + 4)
  const rowBytes = row.reduce((sum, [, width]) => sum + width, 0)
  const rowsAt = fixed.reduce((sum, [, width]) => sum + width, 4)
  const rows = rowBytes === 0 ? 0 : Math.floor((body.length - rowsAt) / rowBytes)
  const shown = [...new Set([0, rows - 1])].filter((index) => index >= 0 && index < rows)
  const inRows = shown.flatMap((index) =>
    placed(row, `${name}[${index}]: `, start + rowsAt + index * rowBytes),
  )
  return [...head, ...inRows].filter(({ at, width }) => at + width <= start + body.length)
}

function placed(layout: Layout, before: string, start: number): NumericField[] {
  let at = start
  return layout.map(([name, width]) => {
    const field = { name: `${before}${name}`, at, width }
    at += width
    return field
  })
}

/** A copy with other numbers. @param offset of the MP4 in these bytes */
export function withNumbers(
  bytes: Uint8Array,
  changes: readonly (readonly [field: NumericField, value: bigint])[],
  offset = 0,
): Uint8Array {
  const changed = bytes.slice()
  const view = viewOf(changed)
  for (const [{ at, width }, value] of changes) {
    if (width === 8) view.setBigUint64(offset + at, value)
    else if (width === 4) view.setUint32(offset + at, Number(BigInt.asUintN(32, value)))
    else view.setUint16(offset + at, Number(BigInt.asUintN(16, value)))
  }
  return changed
}
