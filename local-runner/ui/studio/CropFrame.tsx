import { useRef } from 'preact/hooks'
import { moveRegion, type Region, widenRegion } from './photo/crop'
import { choose, options } from './photo/options'
import { held } from './state/store'
import { say } from './words/texts'

const ARROWS: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
const SIZES: Readonly<Record<string, number>> = { '+': 1, '=': 1, '-': -1 }

type Pressed = { readonly from: Region; readonly isCorner: boolean; readonly x: number; readonly y: number }

/** What stays of the picture, drawn on it: dragged, and by its corner made larger or smaller; keys do the same. */
export function CropFrame({ picture }: { readonly picture: Pick<Region, 'width' | 'height'> }) {
  const pressed = useRef<Pressed | undefined>(undefined)
  const { crop, rotate } = options.value
  if (!crop) return null
  const put = (next: Region) => choose({ crop: next })
  /** A way on the screen as one in the picture, which is turned. */
  const turnBack = (right: number, down: number) => {
    const angle = (Number(rotate) / 180) * Math.PI
    const [sin, cos] = [Math.sin(angle), Math.cos(angle)]
    return [right * cos + down * sin, down * cos - right * sin] as const
  }
  const onPointerMove = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const place = (currentTarget as HTMLElement).parentElement
    if (!pressed.current || !place) return
    const { from, isCorner, x, y } = pressed.current
    const pixels = picture.width / place.clientWidth
    const [right, down] = turnBack((clientX - x) * pixels, (clientY - y) * pixels)
    put(isCorner ? widenRegion(from, right, picture) : moveRegion(from, right, down, picture))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const [arrow, size] = [ARROWS[event.key], SIZES[event.key]]
    if (!arrow && !size) return
    event.preventDefault()
    const step = picture.width / (event.shiftKey && arrow ? 10 : 100)
    const [right, down] = turnBack((arrow?.[0] ?? 0) * step, (arrow?.[1] ?? 0) * step)
    put(size ? widenRegion(crop, size * step, picture) : moveRegion(crop, right, down, picture))
  }
  const share = (length: number, whole: number) => `${(length / whole) * 100}%`
  return (
    <button
      type="button"
      class="crop"
      style={{
        left: share(crop.x, picture.width),
        top: share(crop.y, picture.height),
        width: share(crop.width, picture.width),
        height: share(crop.height, picture.height),
      }}
      aria-label={say('cropFrame', `${crop.width} × ${crop.height}`)}
      onKeyDown={onKeyDown}
      onPointerDown={({ currentTarget, target, pointerId, clientX, clientY }) => {
        currentTarget.setPointerCapture(pointerId)
        held.value = 'crop'
        pressed.current = { from: crop, isCorner: target !== currentTarget, x: clientX, y: clientY }
      }}
      onPointerMove={onPointerMove}
      onLostPointerCapture={() => {
        pressed.current = undefined
        held.value = undefined
      }}
    >
      <i />
    </button>
  )
}
