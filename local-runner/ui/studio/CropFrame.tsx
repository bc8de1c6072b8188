import { useRef } from 'preact/hooks'
import { type Box, boxOfText, moveBox, textOfBox, widenBox } from './photo/crop'
import { choose, options } from './photo/options'
import { say } from './words/texts'

const ARROWS: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
const SIZES: Readonly<Record<string, number>> = { '+': 1, '=': 1, '-': -1 }

type Pressed = { readonly box: Box; readonly isCorner: boolean; readonly x: number; readonly y: number }

/** What stays of the picture, drawn on it: dragged, and by its corner made larger or smaller; keys do the same. */
export function CropFrame({ picture }: { readonly picture: Pick<Box, 'width' | 'height'> }) {
  const pressed = useRef<Pressed | undefined>(undefined)
  const { crop, rotate } = options.value
  const box = boxOfText(crop)
  if (!box) return null
  const put = (next: Box) => choose({ crop: textOfBox(next) })
  /** A way on the screen as one in the picture, which is turned. */
  const turnBack = (right: number, down: number) => {
    const [sin, cos] = [
      Math.sin((Number(rotate) / 180) * Math.PI),
      Math.cos((Number(rotate) / 180) * Math.PI),
    ]
    return [right * cos + down * sin, down * cos - right * sin] as const
  }
  const onPointerMove = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const place = (currentTarget as HTMLElement).parentElement
    if (!pressed.current || !place) return
    const { box: from, isCorner, x, y } = pressed.current
    const pixels = picture.width / place.clientWidth
    const [right, down] = turnBack((clientX - x) * pixels, (clientY - y) * pixels)
    put(isCorner ? widenBox(from, right, picture) : moveBox(from, right, down, picture))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const [arrow, size] = [ARROWS[event.key], SIZES[event.key]]
    if (!arrow && !size) return
    event.preventDefault()
    const step = picture.width / (event.shiftKey && arrow ? 10 : 100)
    const [right, down] = turnBack((arrow?.[0] ?? 0) * step, (arrow?.[1] ?? 0) * step)
    put(size ? widenBox(box, size * step, picture) : moveBox(box, right, down, picture))
  }
  const share = (length: number, whole: number) => `${(length / whole) * 100}%`
  return (
    <button
      type="button"
      class="crop"
      style={{
        left: share(box.x, picture.width),
        top: share(box.y, picture.height),
        width: share(box.width, picture.width),
        height: share(box.height, picture.height),
      }}
      aria-label={say('cropFrame', `${box.width} × ${box.height}`)}
      onKeyDown={onKeyDown}
      onPointerDown={({ currentTarget, target, pointerId, clientX, clientY }) => {
        currentTarget.setPointerCapture(pointerId)
        pressed.current = { box, isCorner: target !== currentTarget, x: clientX, y: clientY }
      }}
      onPointerMove={onPointerMove}
      onLostPointerCapture={() => {
        pressed.current = undefined
      }}
    >
      <i />
    </button>
  )
}
