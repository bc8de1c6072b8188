import { concatBytes, latin1, viewOf } from '#core/bytes'
import type { Size } from '../jpeg/jpegFrame'
import type { Box } from '../mp4/boxes'
import { numberAt, numberReader, readNow } from '../source/reading'
import { readMeta } from './heic'
import { type HeicItem, mainItem, readHeicItems, readItemProperties, readReferences } from './heicItems'
import { hevcStream } from './hevcStream'

/** The main picture of a HEIC: tiles of HEVC, in rows from the upper left, and how they are put together and shown. */
export type HeicPicture = {
  /** The tiles one after the other, each with its parameter sets. @see ITU-T H.265, annex B */
  readonly stream: Uint8Array
  readonly columns: number
  readonly rows: number
  readonly tile: Size
  /** The size of the picture as it is stored. Pixels of tiles beyond it are cut off. */
  readonly size: Size
  /** Applied to it in this order. */
  readonly turns: readonly HeicTurn[]
  /** Undefined: as the tiles say. */
  readonly colours: HeicColours | undefined
  /** ICC. */
  readonly profile: Uint8Array | undefined
}

export type HeicTurn = 'left' | 'half' | 'right' | 'upside-down' | 'mirror'

/** @see ITU-T H.273 */
export type HeicColours = { readonly matrix: number; readonly isFullRange: boolean }

/** A picture of 200 million pixels has 800 of Apple's. */
const MAX_TILES = 1024

/**
 * Reads the main picture of a HEIC, or one that belongs to it: one coded picture, or a grid of them.
 * @param kind what that one says it is; undefined: the main picture
 * @returns undefined when the file is none, is damaged, or its picture is of another kind (AV1, layers)
 * @see ISO/IEC 23008-12, 6.6.2.3 (grid), 6.5 (properties), 6.5.8 (auxC), annex B (HEVC)
 */
export function readHeicPicture(file: Uint8Array, kind?: string): HeicPicture | undefined {
  const { children, childrenAt = 0 } = readNow(readMeta({ size: file.length }), file) ?? {}
  if (!children) return undefined
  const container = containerOf(file, children, childrenAt)
  const isOfKind = (auxC: Uint8Array = new Uint8Array()) => latin1(auxC, 4).startsWith(`${kind}\0`)
  const item =
    kind === undefined
      ? container.item(mainItem(children))
      : container.items.find(({ id }) => isOfKind(container.property(id, 'auxC')))
  return item && readPicture(container, item)
}

type Container = ReturnType<typeof containerOf>

function containerOf(file: Uint8Array, children: readonly Box[], childrenAt: number) {
  const items = new Map(readHeicItems(children, childrenAt).map((item) => [item.id, item]))
  const all = readItemProperties(children)
  const properties = (id: number) => all.get(id) ?? []
  return {
    children,
    items: [...items.values()],
    item: (id: number) => items.get(id),
    bytes: ({ start, length, isWhole }: HeicItem) =>
      isWhole && start + length <= file.length ? file.subarray(start, start + length) : undefined,
    property: (id: number, type: string) => properties(id).find((box) => box.type === type)?.body,
    properties,
  }
}

function readPicture(container: Container, main: HeicItem): HeicPicture | undefined {
  const grid = main.type === 'grid' ? readGrid(container, main) : singlePicture(container, main)
  const first = grid?.tiles[0]
  const tile = first === undefined ? undefined : sizeOf(container.property(first, 'ispe'))
  if (!grid || first === undefined || !tile) return undefined
  const stream = readTiles(container, grid.tiles)
  const isCovered =
    tile.width * grid.columns >= grid.size.width && tile.height * grid.rows >= grid.size.height
  if (!stream || !isCovered) return undefined
  const turns = container.properties(main.id).filter(({ type }) => type === 'irot' || type === 'imir')
  if (turns.some(({ body }) => body.length === 0)) return undefined
  const colours = [...container.properties(main.id), ...container.properties(first)].filter(isColour)
  return {
    stream,
    columns: grid.columns,
    rows: grid.rows,
    tile,
    size: grid.size,
    turns: turns.flatMap(turnOf),
    colours: colours.map(({ body }) => readColours(body)).find((found) => found !== undefined),
    profile: colours.find(({ body }) => /^(prof|rICC)$/.test(latin1(body, 0, 4)))?.body.subarray(4),
  }
}

type Grid = Pick<HeicPicture, 'columns' | 'rows' | 'size'> & { readonly tiles: readonly number[] }

function singlePicture({ property }: Container, { id }: HeicItem): Grid | undefined {
  const size = sizeOf(property(id, 'ispe'))
  return size && { columns: 1, rows: 1, size, tiles: [id] }
}

function readGrid({ bytes, children }: Container, grid: HeicItem): Grid | undefined {
  const body = bytes(grid)
  if (!body) return undefined
  const read = numberReader(body, 0)
  read(1) // version
  const sideSize = read(1) & 1 ? 4 : 2
  const rows = read(1) + 1
  const columns = read(1) + 1
  const size = { width: read(sideSize), height: read(sideSize) }
  const tiles = readReferences(children, 'dimg').get(grid.id) ?? []
  const isSound = size.width > 0 && size.height > 0 && tiles.length === rows * columns
  return isSound && tiles.length <= MAX_TILES ? { columns, rows, size, tiles } : undefined
}

/** A tile may be shown at many places, so that a small file could ask for much. */
const MAX_STREAM_BYTES = 64 * 1024 * 1024

function readTiles(container: Container, tiles: readonly number[]): Uint8Array | undefined {
  const streams: Uint8Array[] = []
  let size = 0
  for (const id of tiles) {
    const stream = readTile(container, id)
    if (!stream) return undefined
    size += stream.length
    if (size > MAX_STREAM_BYTES) return undefined
    streams.push(stream)
  }
  return concatBytes(streams)
}

function readTile({ item, bytes, property }: Container, id: number): Uint8Array | undefined {
  const tile = item(id)
  const configuration = property(id, 'hvcC')
  const sample = tile && /^h(vc|ev)1$/.test(tile.type) ? bytes(tile) : undefined
  return configuration && sample && hevcStream(configuration, sample)
}

function sizeOf(ispe: Uint8Array | undefined): Size | undefined {
  if (!ispe || ispe.length < 12) return undefined
  const [width, height] = [viewOf(ispe).getUint32(4), viewOf(ispe).getUint32(8)]
  return width > 0 && height > 0 ? { width, height } : undefined
}

/** In quarters counter-clockwise. */
const ROTATIONS: readonly (readonly HeicTurn[])[] = [[], ['left'], ['half'], ['right']]

function turnOf({ type, body }: Box): readonly HeicTurn[] {
  if (type === 'irot') return ROTATIONS[numberAt(body, 0) & 3] ?? []
  if (type === 'imir') return [numberAt(body, 0) & 1 ? 'mirror' : 'upside-down']
  return []
}

function isColour({ type, body }: Box): boolean {
  return type === 'colr' && body.length >= 4
}

function readColours(colr: Uint8Array): HeicColours | undefined {
  if (latin1(colr, 0, 4) !== 'nclx' || colr.length < 11) return undefined
  return { matrix: viewOf(colr).getUint16(8), isFullRange: (numberAt(colr, 10) & 0x80) !== 0 }
}
