import { type Box, onlyBox, readBoxes } from '../mp4/boxes'
import { numberReader } from './heicItems'

/** An item's properties, in the order in which they are applied. */
export type ItemProperties = ReadonlyMap<number, readonly Box[]>

/** As many as items are read. */
const MAX_ITEMS = 4096

/**
 * Reads which properties the items of a `meta` box have.
 * @param children of the `meta` box
 * @see ISO/IEC 23008-12, 9.3 (iprp, ipco, ipma)
 */
export function readItemProperties(children: readonly Box[]): ItemProperties {
  const iprp = onlyBox(children, 'iprp')
  const boxes = (iprp && readBoxes(iprp.body)) ?? []
  const ipco = onlyBox(boxes, 'ipco')
  const properties = (ipco && readBoxes(ipco.body)) ?? []
  const found = new Map<number, readonly Box[]>()
  for (const { type, body } of boxes) {
    if (type === 'ipma') readAssociations(body, properties, found)
  }
  return found
}

function readAssociations(
  ipma: Uint8Array,
  properties: readonly Box[],
  found: Map<number, readonly Box[]>,
): void {
  const read = numberReader(ipma, 0)
  const version = read(1)
  const flags = read(3)
  const count = read(4)
  const indexSize = flags & 1 ? 2 : 1
  for (let i = 0; i < count && found.size < MAX_ITEMS; i++) {
    const id = read(version < 1 ? 2 : 4)
    const length = read(1)
    if (Number.isNaN(length)) return
    // The highest bit says whether a reader must know the property; the others count from 1.
    const indices = Array.from({ length }, () => read(indexSize) & (indexSize === 2 ? 0x7fff : 0x7f))
    found.set(
      id,
      indices.flatMap((index) => properties[index - 1] ?? []),
    )
  }
}
