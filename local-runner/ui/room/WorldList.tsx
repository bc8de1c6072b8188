import { useId } from 'preact/hooks'
import type { World } from './records'
import { worlds } from './store'
import { say } from './texts'

/** The worlds on the LAN; those of this computer can be chosen. */
export function WorldList(props: {
  readonly chosen: number | undefined
  readonly onChoose: (port: number) => void
}) {
  const id = useId()
  if (worlds.value.length === 0) return <p class="empty">{say('worldsNone')}</p>
  return (
    <fieldset class="worlds">
      <legend>{say('worlds')}</legend>
      {worlds.value.map((world) => (
        <label key={world.endPoint} class="world">
          <input
            type="radio"
            name={id}
            disabled={!world.local}
            checked={world.local && portOf(world) === props.chosen}
            onChange={() => props.onChoose(portOf(world))}
          />
          <span>
            <strong>{world.motd || world.endPoint}</strong>
            <small>{describe(world)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

export function portOf({ endPoint }: World): number {
  return Number(/\d+$/.exec(endPoint)?.[0])
}

function describe({ endPoint, version, onlinePlayers, maxPlayers, isVerified, local }: World): string {
  const parts = [
    version === null ? undefined : say('worldVersion')(version),
    onlinePlayers === null ? undefined : say('worldPlayers')(`${onlinePlayers}/${maxPlayers ?? '?'}`),
    endPoint,
    local ? undefined : say('worldElsewhere'),
    isVerified ? undefined : say('worldUnverified'),
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}
