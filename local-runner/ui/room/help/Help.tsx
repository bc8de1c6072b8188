import { textIn } from '@lantern-room/base'
import { gameRefusals } from '@lantern-room/room/client'
import { useId } from 'preact/hooks'
import { language } from '../../shared/language'
import type { RoomStatus } from '../state/records'
import { say } from '../words/texts'
import { ExtraPorts } from './ExtraPorts'
import { Networks } from './Networks'
import { Doctor, LogViewer } from './Troubleshooting'

/** All that most players never need, in one quiet place. */
export function Help({ status }: { readonly status: RoomStatus }) {
  const id = useId()
  return (
    <section class="help" aria-labelledby={id}>
      <h2 id={id}>{say('help')}</h2>
      {status.state.endsWith('_Running') && <GameHelp />}
      {status.state === 'Host_Running' && <ExtraPorts status={status} />}
      <Networks />
      <Doctor />
      <LogViewer />
    </section>
  )
}

/** What the game itself says to players who do not get in, most of all with offline accounts. */
function GameHelp() {
  return (
    <details class="card">
      <summary>{say('gameHelp')}</summary>
      <div class="stack">
        {Object.values(gameRefusals).map(({ says, help }) => (
          <p key={says[0]}>
            <strong>{textIn(language.value, says)}</strong>
            <br />
            {textIn(language.value, help)}
          </p>
        ))}
      </div>
    </details>
  )
}
