import { viewOf } from '#core/bytes'
import { type Box, readBoxes } from './boxes'

/** Rewrites every entry of every `stco` and `co64` box in a `moov` or `trak` box, in place. */
export function patchChunkOffsets(index: Uint8Array, move: (offset: number) => number): void {
  for (const box of chunkTables(readBoxes(index) ?? [])) {
    const view = viewOf(box.body)
    const width = box.type === 'stco' ? 4 : 8
    const count = Math.min(view.getUint32(4), Math.floor((box.body.length - 8) / width))
    for (let i = 0; i < count; i++) {
      if (box.type === 'stco') view.setUint32(8 + i * 4, move(view.getUint32(8 + i * 4)))
      else view.setBigUint64(8 + i * 8, BigInt(move(Number(view.getBigUint64(8 + i * 8)))))
    }
  }
}

const PARENTS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])

function chunkTables(boxes: readonly Box[]): Box[] {
  return boxes.flatMap((box) => {
    if (PARENTS.has(box.type)) return chunkTables(readBoxes(box.body) ?? [])
    return (box.type === 'stco' || box.type === 'co64') && box.body.length >= 8 ? [box] : []
  })
}
