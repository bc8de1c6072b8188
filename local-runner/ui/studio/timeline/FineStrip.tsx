import { useRef } from 'preact/hooks'
import { FPS, type Handle, shownTime } from '../photo/cut'
import { cut, held, type Opened } from '../state/store'
import { Filmstrip } from './Filmstrip'
import { useWidth } from './useWidth'

const TILE_PX = 60

/** While a handle is held: the single frames around it, and its time. */
export function FineStrip({ video }: { readonly video: Opened }) {
  const handle = held.value
  if (handle === undefined || handle === 'range' || handle === 'crop') return null
  return <FramesAround video={video} handle={handle} />
}

function FramesAround({ video, handle }: { readonly video: Opened; readonly handle: Handle }) {
  const strip = useRef<HTMLDivElement>(null)
  const width = useWidth(strip)
  const at = cut.value[handle] - (handle === 'end' ? 1 : 0)
  // An odd number, so that one is in the middle.
  const around = Math.max(1, Math.floor(width / TILE_PX / 2))
  const shown = { from: at - around, to: at + around + 1 }
  return (
    <div class={`fine ${handle}`} ref={strip} aria-hidden="true">
      {width > 0 && <Filmstrip video={video} shown={shown} isFollowing />}
      <i class="frame-now" style={{ width: `${100 / (2 * around + 1)}%` }} />
      <b>{shownTime(cut.value[handle] / FPS, 2)}</b>
    </div>
  )
}
