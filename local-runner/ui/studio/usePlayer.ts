import { useCallback, useEffect, useState } from 'preact/hooks'
import { FPS, type Handle } from './photo/cut'
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

/** What keys do on the page, unless they go to a field or button. */
export function useKeys(
  { seek, toggle }: ReturnType<typeof usePlayer>,
  frameNow: () => number,
  put: (handle: Handle) => void,
): void {
  useEffect(() => {
    const jump = (frames: number) => () => seek(Math.max(0, frameNow() + frames))
    const keys: Readonly<Record<string, () => void>> = {
      ' ': toggle,
      k: toggle,
      i: () => put('start'),
      o: () => put('end'),
      c: () => put('cover'),
      j: jump(-FPS),
      l: jump(FPS),
      ArrowLeft: jump(-1),
      ArrowRight: jump(1),
    }
    const controller = new AbortController()
    const onKey = (event: KeyboardEvent) => {
      const isForOther = (event.target as HTMLElement).closest('input, select, button, summary, a, [role]')
      const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      if (!act || isForOther || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKey, { signal: controller.signal })
    return () => controller.abort()
  })
}
