import { concatBytes } from '@lantern-room/base/bytes'

/** A copy with a few bits, bytes or numbers changed, cut, doubled or mixed with another; now and then as it was. */
export function mutate(bytes: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  const at = Math.floor(random() * bytes.length)
  const kind = Math.floor(random() * 12)
  if (kind === 0) return bytes.slice(0, at)
  if (kind === 1) return bytes.slice(at)
  if (kind === 2) return concatBytes([bytes.subarray(0, at), bytes])
  if (kind === 3)
    return concatBytes([bytes.subarray(0, at), other.subarray(Math.floor(random() * other.length))])
  const copy = bytes.slice()
  if (kind === 4) return copy
  if (kind === 5 && bytes.length >= 4) {
    const place = Math.floor(random() * (bytes.length - 3))
    new DataView(copy.buffer).setUint32(place, EXTREMES[Math.floor(random() * EXTREMES.length)] ?? 0, true)
    return copy
  }
  for (let turn = 1 + Math.floor(random() * 4); turn > 0 && copy.length > 0; turn -= 1) {
    const place = Math.floor(random() * copy.length)
    if (kind < 9) copy[place] = (copy[place] ?? 0) ^ (1 << Math.floor(random() * 8))
    else copy[place] = Math.floor(random() * 256)
  }
  return copy
}

const EXTREMES = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fff0]
