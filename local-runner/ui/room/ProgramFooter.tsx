import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { version } from '#core/build'
import { ask } from '../shared/ask'
import { Notice, Refused } from './parts/Notice'
import { act, isAway, status } from './service/store'
import { say, statusText } from './words/texts'

/** Whether the player has ended the program by this page. */
const hasQuit = signal(false)

/** Which program this is, and how to end it; asks before players lose the world. */
export function ProgramFooter() {
  const [asks, setAsks] = useState(false)
  const players = status.value?.role === 'host' ? status.value.players : []
  const inside = players.filter(({ kind }) => kind === 'GUEST').length
  const isAsking = asks && inside > 0
  const quit = () => {
    setAsks(false)
    void act('program', async () => {
      await ask('/shutdown', { method: 'POST' })
      hasQuit.value = true
    })
  }
  const keepOpen = [statusText('keepOpen'), () => setAsks(false)] as const
  const text = statusText(inside === 1 ? 'closeOne' : 'closeMany', inside)
  return (
    <>
      <p>{say('footer')}</p>
      <p class="row">
        <span>{say('programVersion', version)}</span>
        {status.value && !isAway.value && (
          <button type="button" disabled={isAsking} onClick={() => (inside > 0 ? setAsks(true) : quit())}>
            {say('quit')}
          </button>
        )}
      </p>
      {isAsking && (
        <Notice role="alertdialog" text={text} actions={[keepOpen, [say('quitAnyway'), quit]]} isFocused />
      )}
      {hasQuit.value ? isAway.value && <p role="status">{say('quitDone')}</p> : <Refused at="program" />}
    </>
  )
}
