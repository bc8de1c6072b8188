import { asciiBytes, concatBytes, latin1 } from '@lantern-room/base/bytes'
import { encodeBox, encodeFullBox, uint32s } from '@lantern-room/mp4/boxes'

/** A HEIC to write: pictures of HEVC as byte streams, and how they are put together. */
export type HeicFile = {
  /** One; or the tiles of a grid, row by row. */
  readonly streams: readonly Uint8Array[]
  readonly tile: { readonly width: number; readonly height: number }
  /** Undefined: the one picture is the main one. */
  readonly grid?: {
    readonly columns: number
    readonly rows: number
    readonly width: number
    readonly height: number
  }
  /** Properties of the main picture, in order: whole boxes, such as `irot`. */
  readonly properties?: readonly Uint8Array[]
  /** A picture of a tile's size that belongs to the one main picture, and what it is. */
  readonly auxiliary?: { readonly stream: Uint8Array; readonly kind: string }
}

/** As ISO/IEC 23008-12 has it: `meta` with places in the file, the grid in `idat`, the pictures in `mdat`. */
export function heicFile({ streams, tile, grid, properties = [], auxiliary }: HeicFile): Uint8Array {
  const pictures = [...streams, ...(auxiliary ? [auxiliary.stream] : [])].map(readStream)
  const gridId = pictures.length + 1
  const ids = pictures.map((_, i) => i + 1)
  const main = grid ? gridId : 1
  const count = uint16(grid ? gridId : pictures.length)
  const gridOnly = (part: Uint8Array) => (grid ? [part] : [])
  const own = [...(grid ? [spatialExtents(grid)] : []), ...properties]
  const shared = [encodeBox('hvcC', pictures[0]?.configuration ?? new Uint8Array()), spatialExtents(tile)]
  const ofMain = own.map((_, i) => shared.length + 1 + i)
  const ofAuxiliary = auxiliary && [
    encodeBox('hvcC', pictures.at(-1)?.configuration ?? new Uint8Array()),
    encodeFullBox('auxC', 0, asciiBytes(`${auxiliary.kind}\0`)),
  ]
  const last = shared.length + own.length
  const associations = [
    ...ids.map((id) => {
      if (ofAuxiliary && id === ids.length) return association(id, [last + 1, 2, last + 2])
      return association(id, id === main ? [1, 2, ...ofMain] : [1, 2])
    }),
    ...gridOnly(association(gridId, ofMain)),
  ]
  const idat = grid
    ? Uint8Array.of(0, 0, grid.rows - 1, grid.columns - 1, ...uint16(grid.width), ...uint16(grid.height))
    : new Uint8Array()
  const build = (mediaAt: number) => {
    let at = mediaAt
    const rows = pictures.map(({ sample }, i) => {
      const row = itemPlace(i + 1, 0, at, sample.length)
      at += sample.length
      return row
    })
    return encodeFullBox(
      'meta',
      0,
      encodeFullBox('hdlr', 0, uint32s(0), asciiBytes('pict'), new Uint8Array(13)),
      encodeFullBox('pitm', 0, uint16(main)),
      encodeFullBox(
        'iinf',
        0,
        count,
        ...ids.map((id) => entry(id, 'hvc1')),
        ...gridOnly(entry(gridId, 'grid')),
      ),
      ...gridOnly(encodeFullBox('iref', 0, encodeBox('dimg', ...[gridId, ids.length, ...ids].map(uint16)))),
      encodeBox(
        'iprp',
        encodeBox('ipco', ...shared, ...own, ...(ofAuxiliary ?? [])),
        encodeFullBox('ipma', 0, uint32s(associations.length), ...associations),
      ),
      encodeFullBox(
        'iloc',
        0x1000000,
        Uint8Array.of(0x44, 0),
        count,
        ...rows,
        ...gridOnly(itemPlace(gridId, 1, 0, idat.length)),
      ),
      encodeBox('idat', idat),
    )
  }
  const fileType = encodeBox('ftyp', asciiBytes('heic'), uint32s(0), asciiBytes('mif1heic'))
  const meta = build(fileType.length + build(0).length + 8)
  return concatBytes([fileType, meta, encodeBox('mdat', ...pictures.map(({ sample }) => sample))])
}

function spatialExtents({ width, height }: { readonly width: number; readonly height: number }): Uint8Array {
  return encodeFullBox('ispe', 0, uint32s(width, height))
}

function association(id: number, indices: readonly number[]): Uint8Array {
  return concatBytes([uint16(id), Uint8Array.of(indices.length, ...indices)])
}

function entry(id: number, type: string): Uint8Array {
  return encodeFullBox('infe', 0x2000000, uint16(id), uint16(0), asciiBytes(`${type}\0`))
}

/** Where an item lies, as `iloc` of version 1 has it. @param method 0: in the file, 1: in `idat` */
export function itemPlace(id: number, method: number, offset: number, length: number): Uint8Array {
  return concatBytes([uint16(id), uint16(method), uint16(0), uint16(1), uint32s(offset, length)])
}

function uint16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 255)
}

/** VPS, SPS and PPS become the configuration, slices the sample, each unit after four bytes of its length. */
function readStream(stream: Uint8Array): { readonly configuration: Uint8Array; readonly sample: Uint8Array } {
  const units = latin1(stream)
    .split(/\0?\0\0\x01/)
    .slice(1)
    .map(asciiBytes)
  const typeOf = (unit: Uint8Array) => ((unit[0] ?? 0) >> 1) & 63
  const sets = units.filter((unit) => typeOf(unit) >= 32 && typeOf(unit) <= 34)
  const slices = units.filter((unit) => typeOf(unit) < 32)
  const head = new Uint8Array(23)
  head[0] = 1
  head[21] = 3
  head[22] = sets.length
  const lists = sets.flatMap((set) => [Uint8Array.of(typeOf(set)), uint16(1), uint16(set.length), set])
  return {
    configuration: concatBytes([head, ...lists]),
    sample: concatBytes(slices.flatMap((slice) => [uint32s(slice.length), slice])),
  }
}
