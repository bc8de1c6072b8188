import { Button } from '../shared/Button'
import { flagIcon, pauseIcon, playIcon, redoIcon, undoIcon } from './icons'
import { FPS, shownTime } from './photo/cut'
import { canRedo, canUndo, redo, undo } from './state/undo'
import type { usePlayer } from './usePlayer'
import { say } from './words/texts'

const HOUR_FRAMES = 3600 * FPS

/** Below the picture: plays it, says where it is, takes its cover, and takes changes back. */
export function Transport(props: {
  readonly player: ReturnType<typeof usePlayer>
  readonly frames: number
  readonly onCover: () => void
}) {
  const { player, frames, onCover } = props
  const isLong = frames >= HOUR_FRAMES
  const shown = (frame: number) => shownTime(frame / FPS, isLong ? 0 : 1, isLong)
  const change = (act: typeof undo) => () => {
    const frame = act()
    if (frame !== undefined) player.seek(frame)
  }
  const play = player.isInside ? 'play' : 'playHere'
  return (
    <div class="transport">
      <Button
        label={say(player.isPlaying ? 'pause' : play)}
        icon={player.isPlaying ? pauseIcon : playIcon}
        act={player.toggle}
      />
      <span class="clock">
        <strong>{shown(Math.floor(player.position))}</strong> {say('ofTotal', shown(frames))}
      </span>
      <Button label={say('coverHere')} icon={flagIcon} act={onCover} />
      <span class="changes">
        <Button label={say('undo')} icon={undoIcon} disabled={!canUndo()} act={change(undo)} />
        <Button label={say('redo')} icon={redoIcon} disabled={!canRedo()} act={change(redo)} />
      </span>
    </div>
  )
}
