import { useCallback, useEffect, useState } from 'preact/hooks'
import { FPS } from './photo/cut'
import { options } from './photo/options'
import { cut } from './state/store'

/**
 * Plays from where the video is: inside of the selection over and over, at the chosen speed; elsewhere on to its end, to look around.
 * @returns the frame that is shown; `seek` shows another one, `toggle` plays or stops
 */
export function usePlayer(video: HTMLVideoElement) {
  const [playing, setPlaying] = useState<'selection' | 'all' | undefined>(undefined)
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
    if (!playing) return
    let request = 0
    const follow = () => {
      const frame = video.currentTime * FPS
      if (playing === 'all' && video.ended) {
        setPlaying(undefined)
        return
      }
      if (playing === 'selection' && (!isSelected(frame) || video.ended)) seek(cut.value.start)
      else setPosition(frame)
      video.playbackRate = options.value.speed
      if (video.paused) void video.play().catch(() => setPlaying(undefined))
      request = requestAnimationFrame(follow)
    }
    request = requestAnimationFrame(follow)
    return () => {
      cancelAnimationFrame(request)
      video.pause()
    }
  }, [playing, seek, video])

  const toggle = () => {
    if (playing) setPlaying(undefined)
    else setPlaying(isSelected(position) || video.ended ? 'selection' : 'all')
  }
  return { isPlaying: playing !== undefined, isInside: isSelected(position), position, seek, toggle }
}

function isSelected(frame: number): boolean {
  const { start, end } = cut.value
  return frame >= start - 1 && frame < end
}
