import { useId, useState } from 'preact/hooks'
import { Refused } from '../parts/Notice'
import { chooseWorld, worlds } from '../service/store'
import type { WorldRecord } from '../state/records'
import { type RoomStatus, readPort } from '../state/records'
import { say } from '../words/texts'

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

export function portOf({ endPoint }: WorldRecord): number {
  return Number(/\d+$/.exec(endPoint)?.[0])
}

function describe({
  endPoint,
  version,
  onlinePlayers,
  maxPlayers,
  isVerified,
  local,
  announced,
}: WorldRecord): string {
  const parts = [
    version === null ? undefined : say('worldVersion', version),
    onlinePlayers === null ? undefined : say('worldPlayers', `${onlinePlayers}/${maxPlayers ?? '?'}`),
    endPoint,
    local ? undefined : say('worldElsewhere'),
    isVerified ? undefined : say('worldUnverified'),
    announced ? undefined : say('worldFound'),
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

/** The worlds of a host, to change the one that is in the room. */
export function WorldChoice({ status }: { readonly status: RoomStatus }) {
  const [port, setPort] = useState('')
  const typed = readPort(port)
  const isWrong = port.trim() !== '' && typed === undefined
  const submit = (event: Event) => {
    event.preventDefault()
    if (typed !== undefined) void chooseWorld(typed).then(() => setPort(''))
  }
  return (
    <section class="card">
      <h2>{say('worlds')}</h2>
      <Refused at="room" />
      <WorldList chosen={status.gamePort} onChoose={(chosen) => void chooseWorld(chosen)} />
      <details>
        <summary>{say('manual')}</summary>
        <form class="row" onSubmit={submit}>
          <label class="field">
            <span>{say('manualPort')}</span>
            <input
              inputMode="numeric"
              maxLength={5}
              value={port}
              aria-invalid={isWrong}
              onInput={(event) => setPort(event.currentTarget.value)}
            />
          </label>
          <button type="submit">{say('manualUse')}</button>
        </form>
        <p class={isWrong ? 'problem' : 'hint'}>{say(isWrong ? 'portWrong' : 'manualHint')}</p>
      </details>
    </section>
  )
}
