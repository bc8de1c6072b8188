import { Button } from '../../shared/Button'
import { Refused } from '../parts/Notice'
import { useHeld } from '../parts/useHeld'
import { answerGuest, removeAll } from '../service/store'
import { crowdsOf } from '../state/members'
import type { RoomStatus } from '../state/records'
import { playerText } from '../words/texts'

const REFUSE = ['refuse', 'refuse', 'refuseThis'] as const
const REMOVE = ['kick', 'remove', 'removeThis'] as const
const LET_IN = ['approve', 'letIn', 'letInThis'] as const

/** What the host can answer, with the words of the buttons. */
const ANSWERS = {
  waiting: [REFUSE, LET_IN],
  refused: [LET_IN],
  removed: [LET_IN],
  unregistered: [REMOVE, LET_IN],
  'second-host': [REMOVE],
} as const

/**
 * Players waiting for the host's answer, whose place is there before they come; or those who can still be let in, members without a
 * player, and other hosts.
 */
export function Guests({ status, at }: { readonly status: RoomStatus; readonly at: 'requests' | 'others' }) {
  const { guests, connections } = status
  const crowds = at === 'others' ? crowdsOf(guests, connections) : []
  const inCrowd = new Set(crowds.flatMap(({ ids }) => ids))
  const shown = guests.filter(
    ({ id, state }) => (state === 'waiting') === (at === 'requests') && !inCrowd.has(id),
  )
  const { rows, holding } = useHeld(shown, ({ id }) => id)
  const isEmpty = rows.length + crowds.length === 0
  if (isEmpty && at === 'others') return null
  return (
    <section class={`card ${at} ${isEmpty ? '' : 'asking'}`} aria-live="polite">
      <h2>
        {playerText(at)} {rows.length > 1 && <span class="count">{rows.length}</span>}
      </h2>
      <Refused at={at} />
      {isEmpty ? (
        <p class="quiet">{playerText('requestsNone')}</p>
      ) : (
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
              <span class="who">
                <strong>
                  <bdi>{guest.name}</bdi>
                </strong>
                <small>
                  <bdi>{guest.vendor}</bdi>
                </small>
              </span>
              {at === 'others' && <span class="badge">{playerText(guest.state)}</span>}
              {ANSWERS[guest.state].map(([answer, word, wordThis]) => (
                <Button
                  key={answer}
                  label={playerText(word)}
                  name={playerText(wordThis, guest.name)}
                  isMain={answer === 'approve' && at === 'requests'}
                  act={() => answerGuest(at, guest, answer)}
                />
              ))}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
