import type { RefObject } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { FPS } from './photo/cut'
import { cut, speed } from './state/store'

export type Playback = {
  readonly isPlaying: boolean
  /** The frame that is shown. */
  readonly position: number
  /** Plays the selection over and over, or stops. */
  toggle(): void
  /** Shows a frame. */
  seek(frame: number): void
}

/** Plays the selected part of the preview at the chosen speed. */
export function usePlayer(video: RefObject<HTMLVideoElement | null>): Playback {
  const [isPlaying, setPlaying] = useState(false)
  const [position, setPosition] = useState(0)

  const seek = useCallback(
    (frame: number) => {
      // The middle of a frame, so that rounding shows no other.
      if (video.current) video.current.currentTime = (frame + 0.5) / FPS
      setPosition(frame)
    },
    [video],
  )

  useEffect(() => {
    const element = video.current
    if (!element || !isPlaying) return
    let request = 0
    const follow = () => {
      const frame = element.currentTime * FPS
      if (frame >= cut.value.end || frame < cut.value.start - 1 || element.ended) seek(cut.value.start)
      else setPosition(frame)
      element.playbackRate = speed.value
      if (element.paused) void element.play().catch(() => setPlaying(false))
      request = requestAnimationFrame(follow)
    }
    request = requestAnimationFrame(follow)
    return () => {
      cancelAnimationFrame(request)
      element.pause()
    }
  }, [isPlaying, seek, video])

  return { isPlaying, position, seek, toggle: () => setPlaying(!isPlaying) }
}
