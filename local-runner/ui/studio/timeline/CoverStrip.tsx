import { useRef } from 'preact/hooks'
import { move } from '../photo/cut'
import { covers, cut, type Opened, setCut } from '../state/store'
import { say } from '../words/texts'
import { Filmstrip } from './Filmstrip'
import { HandleOf, placeIn } from './HandleOf'
import { useDrag } from './useDrag'

/** The range alone, on which its cover is chosen: by a press, a drag, or keys. */
export function CoverStrip(props: { readonly video: Opened; readonly onSeek: (frame: number) => void }) {
  const { video, onSeek } = props
  const track = useRef<HTMLDivElement>(null)
  const shown = covers.value
  const put = (to: number) => {
    setCut(move(cut.value, 'cover', to, video.frames), video.frames)
    onSeek(cut.value.cover)
  }
  const drag = useDrag(track, shown, (frame) => {
    track.current?.querySelector<HTMLElement>('.handle')?.focus()
    put(Math.floor(frame))
    return (to) => put(Math.floor(to))
  })
  return (
    <>
      <p class="hint" aria-hidden="true">
        {say('cover')}
      </p>
      <div class="track covers" ref={track} {...drag}>
        {video.strip && <Filmstrip video={video} strip={video.strip} shown={shown} />}
        <HandleOf
          handle="cover"
          frames={video.frames}
          place={placeIn(shown)}
          put={(_, to) => put(to)}
          settle={() => undefined}
        />
      </div>
    </>
  )
}
