import { concatBytes, latin1, viewOf } from '@lantern-room/base/bytes'
import type { Box } from '@lantern-room/mp4/boxes'
import { numberAt, numberReader, readNow } from '@lantern-room/mp4/source'
import { hevcStream } from '@lantern-room/mp4/video'
import type { Size } from '../jpeg/jpegFrame'
import { readMeta } from './heic'
import { type HeicItem, mainItem, readHeicItems, readItemProperties, readReferences } from './heicItems'
import { type HeicStep, readHeicSteps, scaledSteps, shownSize } from './heicSteps'

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
  readonly steps: readonly HeicStep[]
  /** Undefined: as the tiles say. */
  readonly colours: HeicColours | undefined
  /** ICC. */
  readonly profile: Uint8Array | undefined
}

/** Numbers of the tables in ITU-T H.273. */
export type HeicColours = {
  readonly primaries: number
  readonly transfer: number
  readonly matrix: number
  readonly isFullRange: boolean
}

/** A picture of 200 million pixels has 800 of Apple's. */
const MAX_TILES = 1024

/**
 * Reads the main picture of a HEIC, or one that belongs to it: one coded picture, or a grid of them.
 * @param kind what that one says it is; undefined: the main picture
 * @returns undefined when the file is none, is damaged, or its picture is of another kind (AV1, layers)
 * @see ISO/IEC 23008-12, 6.6.2.3 (grid), 6.5 (properties), 6.5.8 (auxC), annex B (HEVC)
 * @example
 * const picture = readHeicPicture(heic)
 * if (picture) decode(picture.stream, picture.columns, picture.rows)
 */
export function readHeicPicture(file: Uint8Array, kind?: string): HeicPicture | undefined {
  const { children, childrenAt = 0 } = readNow(readMeta({ size: file.length }), file) ?? {}
  if (!children) return undefined
  const container = containerOf(file, children, childrenAt)
  const main = container.item(mainItem(children))
  if (kind === undefined) return main && readPicture(container, main)
  const isOfKind = (auxC: Uint8Array = new Uint8Array()) => latin1(auxC, 4).startsWith(`${kind}\0`)
  const item = container.items.find(({ id }) => isOfKind(container.property(id, 'auxC')))
  const picture = item && readPicture(container, item)
  return picture && main ? asShown(picture, main, container) : picture
}

/**
 * What the pictures beside the main one of a HEIC say they are: the names of auxiliary ones, such as gain and depth maps, and `tmap`
 * for a rendition with more light.
 * @see ISO/IEC 23008-12, 6.5.8 (auxC); ISO 21496-1, annex C (tmap)
 * @example
 * readHeicKinds(heic) // ['urn:com:apple:photo:2020:aux:hdrgainmap']
 */
export function readHeicKinds(file: Uint8Array): string[] {
  const { children, childrenAt = 0 } = readNow(readMeta({ size: file.length }), file) ?? {}
  if (!children) return []
  const container = containerOf(file, children, childrenAt)
  return container.items.flatMap(({ id, type }) => {
    if (type === 'tmap') return [type]
    const auxC = container.property(id, 'auxC')
    return auxC ? [latin1(auxC, 4).split('\0', 1)[0] ?? ''] : []
  })
}

/** One that is not cropped by itself is cropped and turned with the main picture. */
function asShown(picture: HeicPicture, main: HeicItem, container: Container): HeicPicture | undefined {
  const size = sizeOf(container.property(main.id, 'ispe'))
  if (!size || picture.steps.some((step) => typeof step !== 'string')) return picture
  const steps = readHeicSteps(container.properties(main.id), size)
  if (!steps) return undefined
  return steps.length === 0 ? picture : { ...picture, steps: scaledSteps(steps, size, picture.size) }
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

/** How often a picture may be another one that is cropped or turned. */
const MAX_DERIVED = 4

function readPicture(container: Container, main: HeicItem, derived = 0): HeicPicture | undefined {
  if (main.type === 'iden') return derived < MAX_DERIVED ? readDerived(container, main, derived) : undefined
  const grid = main.type === 'grid' ? readGrid(container, main) : singlePicture(container, main)
  const first = grid?.tiles[0]
  const tile = first === undefined ? undefined : sizeOf(container.property(first, 'ispe'))
  if (!grid || first === undefined || !tile) return undefined
  const stream = readTiles(container, grid.tiles)
  const isCovered =
    tile.width * grid.columns >= grid.size.width && tile.height * grid.rows >= grid.size.height
  if (!stream || !isCovered) return undefined
  const steps = readHeicSteps(container.properties(main.id), grid.size)
  if (!steps) return undefined
  return {
    stream,
    columns: grid.columns,
    rows: grid.rows,
    tile,
    size: grid.size,
    steps,
    ...coloursOf([...container.properties(main.id), ...container.properties(first)]),
  }
}

/** Another picture, cropped or turned once more. @see ISO/IEC 23008-12, 6.6.2.1 (iden) */
function readDerived(container: Container, { id }: HeicItem, derived: number): HeicPicture | undefined {
  const [base] = readReferences(container.children, 'dimg').get(id) ?? []
  const item = base === undefined ? undefined : container.item(base)
  const picture = item && readPicture(container, item, derived + 1)
  const own = container.properties(id)
  const steps = picture && readHeicSteps(own, shownSize(picture.size, picture.steps))
  if (!steps) return undefined
  const { colours = picture.colours, profile = picture.profile } = coloursOf(own)
  return { ...picture, steps: [...picture.steps, ...steps], colours, profile }
}

function coloursOf(properties: readonly Box[]): Pick<HeicPicture, 'colours' | 'profile'> {
  const boxes = properties.filter(isColour)
  return {
    colours: boxes.map(({ body }) => readColours(body)).find((found) => found !== undefined),
    profile: boxes.find(({ body }) => /^(prof|rICC)$/.test(latin1(body, 0, 4)))?.body.subarray(4),
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

function isColour({ type, body }: Box): boolean {
  return type === 'colr' && body.length >= 4
}

function readColours(colr: Uint8Array): HeicColours | undefined {
  if (latin1(colr, 0, 4) !== 'nclx' || colr.length < 11) return undefined
  const view = viewOf(colr)
  return {
    primaries: view.getUint16(4),
    transfer: view.getUint16(6),
    matrix: view.getUint16(8),
    isFullRange: (numberAt(colr, 10) & 0x80) !== 0,
  }
}
