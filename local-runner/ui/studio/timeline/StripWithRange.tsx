import type { View } from '../photo/cut'
import { cut, type Opened } from '../state/store'
import { Filmstrip } from './Filmstrip'
import { placeIn } from './HandleOf'

/** What all tracks have: the pictures, the range, and where the player is. */
export function StripWithRange(props: {
  readonly video: Opened
  readonly shown: View
  readonly position: number
}) {
  const { video, shown, position } = props
  const { start, end } = cut.value
  const place = placeIn(shown)
  return (
    <>
      <Filmstrip video={video} shown={shown} />
      <div class="outside" style={{ left: '0', width: place(start) }} />
      <div class="outside" style={{ left: place(end), right: '0' }} />
      <div class="selected" style={{ left: place(start), right: `calc(100% - ${place(end)})` }} />
      {position >= shown.from && position <= shown.to && (
        <div class="position" style={{ left: place(position) }} />
      )}
    </>
  )
}
