import type { MotionPhotoElement } from '@lantern-room/player'
import type { HTMLAttributes } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { unload } from './photo/localVideo'
import { say } from './words/texts'

declare module 'preact' {
  // biome-ignore lint/style/noNamespace: only so can a tag be added
  namespace JSX {
    // biome-ignore lint/style/useConsistentTypeDefinitions: Preact's own table is one, and only so can it be added to
    interface IntrinsicElements {
      'motion-photo': HTMLAttributes<MotionPhotoElement> & {
        readonly poster?: string | undefined
        readonly video?: string | undefined
        readonly alt?: string
        readonly loop?: boolean
      }
    }
  }
}

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

/** A still whose clip plays while a mouse points at it, the keyboard focuses it or a finger stays on it, and by a tap. */
export function Live({ still, clip, name, file, hint }: LiveProps) {
  const [isPlaying, setPlaying] = useState(false)
  if (clip === undefined) return <img class="live" src={still} alt={name} />
  return (
    <motion-photo
      class={`live ${isPlaying ? 'playing' : ''}`}
      onPlay={() => setPlaying(true)}
      onPause={() => setPlaying(false)}
      onEnded={() => setPlaying(false)}
      poster={still}
      video={clip}
      alt={name}
      loop
      draggable={file !== undefined}
      onDragStart={(event) => file && carry(event, file)}
      // Its button stops what it means itself.
      onClick={({ currentTarget }) => {
        if (currentTarget.state === 'idle') void currentTarget.play()
        else currentTarget.stop()
      }}
      data-hint={hint}
    />
  )
}

/** What is said on a picture that plays. */
export function playHint(): string {
  const isPointed = matchMedia('(hover: hover)').matches && !isMotionReduced()
  return say(isPointed ? 'resultPlay' : 'resultTap')
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
  // Not every browser shows HEIC.
  const hide = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    currentTarget.hidden = true
  }
  if (clip === undefined) return <img class="moving" src={still} alt={name} onError={hide} />
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
