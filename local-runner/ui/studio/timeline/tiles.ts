import { FPS } from '../photo/cut'
import { sizeOfTile, takeTiles } from '../photo/localVideo'
import { type Opened, stripOf } from '../state/store'

/** A picture, or the part of one that is a tile. */
type Tile = {
  readonly picture: CanvasImageSource
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The small pictures of a video: once they are there they are kept, whatever strip shows them. */
type Tiles = {
  /** Across by down. */
  readonly ratio: number
  /** The one of a frame, or the nearest to it. */
  near(frame: number): Tile | undefined
  /** Brings those that are not there. @param within frames in which a key frame will do */
  load(frames: readonly number[], within: number, signal: AbortSignal, onTile: () => void): Promise<void>
}

const known = new WeakMap<Opened, Tiles>()

/** @returns undefined where nothing gives pictures */
export function tilesOf(video: Opened): Tiles | undefined {
  const tiles = known.get(video) ?? createTiles(video)
  if (tiles) known.set(video, tiles)
  return tiles
}

function createTiles(video: Opened): Tiles | undefined {
  return video.local ? ofDevice(video.local) : ofService(video)
}

/** The service's strip is one picture, that has all there is. */
function ofService(video: Opened): Tiles | undefined {
  const { strip, session, frames } = video
  if (!strip || !session) return undefined
  const picture = Object.assign(new Image(), { src: stripOf(session) })
  const { tile_width: width, tile_height: height, row_height: row, tiles } = strip
  return {
    ratio: width / height,
    near(frame) {
      if (!picture.complete || picture.naturalWidth === 0) return undefined
      return { picture, y: Math.min(tiles - 1, Math.floor((frame / frames) * tiles)) * row, width, height }
    },
    load: (_frames, _within, _signal, onTile) => picture.decode().then(onTile),
  }
}

/** Pictures of more pixels, as of 4K, take seconds and megabytes to be decoded: key frames so many frames away will do. */
const LARGE_PIXELS = 4e6
const ROUGH_OF_LARGE = 2 * FPS
/** About 57 kB each. */
const MAX_KEPT = 400

function ofDevice(local: NonNullable<Opened['local']>): Tiles {
  const size = sizeOfTile(local)
  const isLarge = local.width * local.height > LARGE_PIXELS
  /** By the frame that is wanted, with the frames by which it may be off. */
  const kept = new Map<number, { readonly picture: CanvasImageSource; readonly within: number }>()
  /** Loads wait for each other: one that is not wanted any more before it begins asks nothing of the worker. */
  let turn: Promise<unknown> = Promise.resolve()
  const near = (frame: number): Tile | undefined => {
    let best: number | undefined
    for (const at of kept.keys()) {
      if (best === undefined || Math.abs(at - frame) < Math.abs(best - frame)) best = at
    }
    const { picture } = kept.get(best ?? 0) ?? {}
    return picture && { picture, y: 0, ...size }
  }
  const load: Tiles['load'] = (frames, within, signal, onTile) => {
    const loaded = turn.then(async () => {
      const missing = frames.filter((frame) => (kept.get(frame)?.within ?? Number.POSITIVE_INFINITY) > within)
      if (signal.aborted || missing.length === 0) return
      const moments = missing.map((frame) => (frame + 0.5) / FPS)
      const enough = isLarge && within > 0 ? Math.max(within, ROUGH_OF_LARGE) : within
      await takeTiles(local, moments, enough / FPS, signal, (at, picture) => {
        kept.set(missing[at] ?? 0, { picture, within })
        const [oldest = 0] = kept.keys()
        if (kept.size > MAX_KEPT) kept.delete(oldest)
        if (!signal.aborted) onTile()
      })
    })
    turn = loaded.catch(() => undefined)
    return loaded
  }
  return { ratio: size.width / size.height, near, load }
}
