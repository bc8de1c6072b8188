import type { Player, RoomStatus } from './records'
import { answerGuest } from './store'
import { say } from './texts'

export function Players({ status }: { readonly status: RoomStatus }) {
  return (
    <section class="card">
      <h2>
        {say('players')} <span class="count">{status.players.length}</span>
      </h2>
      {status.players.length === 0 ? (
        <p class="empty">{say('playersNone')}</p>
      ) : (
        <ul class="players">
          {status.players.map((player) => (
            <li key={player.machineId}>
              <span class="face" aria-hidden="true">
                {[...player.name][0]?.toUpperCase() ?? '?'}
              </span>
              <span class="who">
                <strong>{player.name}</strong>
                <small>{[player.vendor, pathOf(player, status)].filter(Boolean).join(' · ')}</small>
              </span>
              <span class={`badge ${player.kind}`}>{say(player.kind)}</span>
              {status.role === 'host' && player.kind === 'GUEST' && (
                <button
                  type="button"
                  aria-label={say('removeThis')(player.name)}
                  onClick={() => void answerGuest(player.machineId, 'kick')}
                >
                  {say('remove')}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** A guest's way to the host; the service knows no other. */
function pathOf({ kind }: Player, { role, network }: RoomStatus): string | undefined {
  if (role !== 'guest' || kind !== 'HOST' || !network?.path) return undefined
  const way = say(network.path === 'direct' ? 'pathDirect' : 'pathRelay')
  const carrier = network.carrier === null ? undefined : say('by')(network.carrier.toUpperCase())
  const latency = network.latencyMs === null ? undefined : say('ms')(network.latencyMs)
  return [way, carrier, latency].filter(Boolean).join(' · ')
}
