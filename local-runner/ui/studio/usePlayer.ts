import { useCallback, useEffect, useState } from 'preact/hooks'
import { FPS } from './photo/cut'
import { options } from './photo/options'
import { cut } from './state/store'

/**
 * Plays the selected part of the preview at the chosen speed.
 * @returns the frame that is shown; `seek` shows another one, `toggle` plays the selection over and over, or stops
 */
export function usePlayer(video: HTMLVideoElement) {
  const [isPlaying, setPlaying] = useState(false)
  const [position, setPosition] = useState(cut.value.cover)

  const seek = useCallback(
    (frame: number) => {
      // The middle of a frame, so that rounding shows no other.
      video.currentTime = (frame + 0.5) / FPS
      setPosition(frame)
    },
    [video],
  )

  useEffect(() => {
    if (!isPlaying) return
    let request = 0
    const follow = () => {
      const frame = video.currentTime * FPS
      if (frame >= cut.value.end || frame < cut.value.start - 1 || video.ended) seek(cut.value.start)
      else setPosition(frame)
      video.playbackRate = options.value.speed
      if (video.paused) void video.play().catch(() => setPlaying(false))
      request = requestAnimationFrame(follow)
    }
    request = requestAnimationFrame(follow)
    return () => {
      cancelAnimationFrame(request)
      video.pause()
    }
  }, [isPlaying, seek, video])

  return { isPlaying, position, seek, toggle: () => setPlaying(!isPlaying) }
}
