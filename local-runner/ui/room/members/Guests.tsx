import { Button } from '../../shared/Button'
import { Refused } from '../parts/Notice'
import { Face } from '../parts/Pixels'
import { useHeld } from '../parts/useHeld'
import { answerGuest, removeAll, removed } from '../service/store'
import { crowdsOf } from '../state/members'
import type { Guest, RoomStatus } from '../state/records'
import { playerText } from '../words/texts'

const REFUSE = ['refuse', 'refuse', 'refuseThis'] as const
const REMOVE = ['kick', 'remove', 'removeThis'] as const
const LET_IN = ['approve', 'letIn', 'letInThis'] as const

/** What the host can answer, with the words of the buttons. */
const ANSWERS = {
  waiting: [LET_IN, REFUSE],
  refused: [LET_IN],
  removed: [LET_IN],
  unregistered: [REMOVE, LET_IN],
  'second-host': [REMOVE],
} as const

/**
 * Players waiting for the host's answer; or those who can still be let in, members without a player, and other hosts. Nothing while
 * there are none.
 */
export function Guests({ status, at }: { readonly status: RoomStatus; readonly at: 'requests' | 'others' }) {
  const { guests, connections } = status
  const crowds = at === 'others' ? crowdsOf(guests, connections) : []
  const inCrowd = new Set(crowds.flatMap(({ ids }) => ids))
  const shown = guests.filter((guest) => placeOf(guest) === at && !inCrowd.has(guest.id))
  const { rows, holding } = useHeld(shown, ({ id }) => id)
  if (rows.length + crowds.length === 0) return null
  return (
    <section class={`${at}${at === 'requests' ? ' card asking' : ''}`}>
      <h2>
        {playerText(at)} {rows.length > 1 && <span class="count">{rows.length}</span>}
      </h2>
      <Refused at={at} />
      <ul class="players" {...holding}>
        {crowds.map(({ group, ids }) => (
          <li key={group}>
            <span class="who">
              <strong>{playerText('unregisteredCount', ids.length)}</strong>
              <small>{playerText('group', group)}</small>
            </span>
            <span class="badge">{playerText('unregistered')}</span>
            <Button label={playerText('removeAll')} act={() => removeAll(ids)} />
          </li>
        ))}
        {rows.map(({ item: guest, isGone }) => (
          <li key={guest.id} class={isGone ? 'gone' : ''} inert={isGone}>
            <Face id={guest.id} />
            <span class="who">
              <strong>
                <bdi>{guest.name}</bdi>
              </strong>
              {at === 'others' && <small>{playerText(guest.state)}</small>}
            </span>
            <span class="answers">
              {ANSWERS[guest.state].map(([answer, word, wordThis]) => (
                <Button
                  key={answer}
                  label={playerText(word)}
                  name={playerText(wordThis, guest.name)}
                  isMain={answer === 'approve' && at === 'requests'}
                  size={at === 'others' ? 'small' : undefined}
                  act={() => answerGuest(at, guest, answer)}
                />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The last removal is told where it can be taken back. */
function placeOf({ id, state }: Guest): 'requests' | 'others' | undefined {
  if (state === 'waiting') return 'requests'
  return state === 'removed' && id === removed.value?.id ? undefined : 'others'
}
