import { useEffect, useRef, useState } from 'preact/hooks'
import { unload } from './photo/localVideo'
import { say } from './words/texts'

/** How long a finger has to stay, as in the galleries of phones. */
const LONG_PRESS_MS = 350

type LiveProps = {
  readonly still: string | undefined
  /** What plays; undefined where nothing does. */
  readonly clip: string | undefined
  readonly name: string
  /** By what it can be dragged out of the page, as a file. */
  readonly file?: { readonly name: string; readonly type: string; readonly address: string } | undefined
  readonly hint?: string | undefined
}

export const isMotionReduced = () => matchMedia('(prefers-reduced-motion: reduce)').matches

/**
 * A still whose clip plays while a mouse points at it, the keyboard focuses it or a finger stays on it, and by a tap. Who has asked for
 * less motion sees it move by a press alone.
 */
export function Live({ still, clip, name, file, hint }: LiveProps) {
  const { video, isPlaying, play, stop } = usePlayed(clip)
  const { isLong, press } = useLongPress(play, stop)
  const playUnasked = () => {
    if (!isMotionReduced()) play()
  }
  return (
    <button
      type="button"
      class={`live ${isPlaying ? 'playing' : ''}`}
      draggable={file !== undefined}
      onDragStart={(event) => file && carry(event, file)}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && playUnasked()}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && stop()}
      // A press focuses the picture, too: what it means is said by its click.
      onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && playUnasked()}
      onBlur={stop}
      {...press}
      onClick={() => {
        if (isLong.current) return
        if (isPlaying) stop()
        else play()
      }}
    >
      <img src={still} alt={name} draggable={false} />
      {clip !== undefined && (
        // It has no `src` until it plays: browsers decode ahead in spite of preload=none.
        <video ref={video} muted loop playsInline />
      )}
      {hint !== undefined && <span class="hint">{hint}</span>}
    </button>
  )
}

/** What is said on a picture that plays. */
export function playHint(): string {
  const isPointed = matchMedia('(hover: hover)').matches && !isMotionReduced()
  return say(isPointed ? 'resultPlay' : 'resultTap')
}

function usePlayed(clip: string | undefined) {
  const video = useRef<HTMLVideoElement>(null)
  const [isPlaying, setPlaying] = useState(false)
  const play = () => {
    if (!video.current || clip === undefined) return
    setPlaying(true)
    video.current.src = clip
    void video.current.play().catch(() => setPlaying(false))
  }
  const stop = () => {
    setPlaying(false)
    if (video.current) unload(video.current)
  }
  return { video, isPlaying, play, stop }
}

/** Plays while a finger stays; what it has begun is no tap. */
function useLongPress(play: () => void, stop: () => void) {
  const timer = useRef<number | undefined>(undefined)
  const isLong = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  const end = () => {
    clearTimeout(timer.current)
    if (isLong.current) stop()
  }
  const press = {
    onPointerDown: ({ pointerType }: PointerEvent) => {
      isLong.current = false
      if (pointerType !== 'touch') return
      timer.current = window.setTimeout(() => {
        isLong.current = true
        play()
      }, LONG_PRESS_MS)
    },
    onPointerUp: end,
    onPointerCancel: end,
    onContextMenu: (event: Event) => {
      if (isLong.current) event.preventDefault()
    },
  }
  return { isLong, press }
}

/** A file that is dragged to a folder or into another program is saved there, in browsers that can. */
function carry({ dataTransfer }: DragEvent, { type, name, address }: NonNullable<LiveProps['file']>): void {
  dataTransfer?.setData('DownloadURL', `${type}:${name}:${address}`)
  if (dataTransfer) dataTransfer.effectAllowed = 'copy'
}

/** A clip that plays by itself, in place of a still; where less motion is asked for it waits for a press. */
export function Moving({ still, clip, name }: Omit<LiveProps, 'file' | 'hint'>) {
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    const shown = video.current
    if (shown && !isMotionReduced()) void shown.play().catch(() => undefined)
    return () => {
      if (shown) unload(shown)
    }
  }, [clip])
  if (clip === undefined) return <img class="moving" src={still} alt={name} />
  return (
    <video
      ref={video}
      class="moving"
      src={clip}
      poster={still}
      aria-label={name}
      muted
      loop
      playsInline
      controls
    />
  )
}
