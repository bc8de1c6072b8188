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
  /** Brings those that are not there. @param isRough whether a key frame nearby will do */
  load(frames: readonly number[], isRough: boolean, signal: AbortSignal, onTile: () => void): Promise<void>
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
    load: (_frames, _isRough, _signal, onTile) => picture.decode().then(onTile),
  }
}

/** About 57 kB each. */
const MAX_KEPT = 400

function ofDevice(local: NonNullable<Opened['local']>): Tiles {
  const size = sizeOfTile(local)
  const exact = new Map<number, CanvasImageSource>()
  const rough = new Map<number, CanvasImageSource>()
  /** Loads wait for each other: one that is not wanted any more before it begins asks nothing of the worker. */
  let turn: Promise<unknown> = Promise.resolve()
  const nearestIn = (tiles: typeof exact, frame: number) => {
    let best: number | undefined
    for (const at of tiles.keys()) {
      if (best === undefined || Math.abs(at - frame) < Math.abs(best - frame)) best = at
    }
    return best
  }
  const near = (frame: number): Tile | undefined => {
    const [one, other] = [nearestIn(exact, frame), nearestIn(rough, frame)]
    const isOther =
      one === undefined || (other !== undefined && Math.abs(other - frame) < Math.abs(one - frame))
    const picture = isOther ? rough.get(other ?? 0) : exact.get(one)
    return picture && { picture, y: 0, ...size }
  }
  const load: Tiles['load'] = (frames, isRough, signal, onTile) => {
    const loaded = turn.then(async () => {
      const missing = frames.filter((frame) => !exact.has(frame) && !(isRough && rough.has(frame)))
      if (signal.aborted || missing.length === 0) return
      const moments = missing.map((frame) => (frame + 0.5) / FPS)
      await takeTiles(local, moments, isRough, signal, (at, picture) => {
        const tiles = isRough ? rough : exact
        tiles.set(missing[at] ?? 0, picture)
        const [oldest = 0] = tiles.keys()
        if (tiles.size > MAX_KEPT) tiles.delete(oldest)
        if (!signal.aborted) onTile()
      })
    })
    turn = loaded.catch(() => undefined)
    return loaded
  }
  return { ratio: size.width / size.height, near, load }
}
