import { useId, useRef } from 'preact/hooks'
import { Refused } from '../parts/Notice'
import { WorldBlock } from '../parts/Pixels'
import { PortForm } from '../parts/PortForm'
import { useHeld } from '../parts/useHeld'
import { chooseWorld, worlds } from '../service/store'
import type { RoomStatus, WorldRecord } from '../state/records'
import { say } from '../words/texts'

/**
 * The worlds of this computer, to choose one, and below them those of others, folded. Its height is the same with any number.
 * @param props.gone the port of one that has just closed, and is announced a little longer
 * @param props.none what is said while there are none, where the way to open one is told elsewhere
 */
export function WorldList(props: {
  readonly chosen: number | undefined
  readonly onChoose: (port: number) => void
  readonly gone?: number | undefined
  readonly none?: string
}) {
  const id = useId()
  const own = worlds.value.filter((world) => world.local && portOf(world) !== props.gone)
  const others = worlds.value.filter(({ local }) => !local)
  const { rows, holding } = useHeld(own, ({ endPoint }) => endPoint)
  return (
    <fieldset class="worlds" {...holding}>
      <legend>{say('worlds')}</legend>
      <div>
        {rows.length === 0 && <p class="empty">{props.none ?? say('worldsNone')}</p>}
        {rows.map(({ item: world, isGone }) => (
          <label key={world.endPoint} class={isGone ? 'world gone' : 'world'}>
            <input
              type="radio"
              name={id}
              disabled={isGone}
              checked={!isGone && portOf(world) === props.chosen}
              onChange={() => props.onChoose(portOf(world))}
            />
            <WorldText {...world} />
          </label>
        ))}
        {others.length > 0 && (
          <details>
            <summary>{say('worldsElsewhere', others.length)}</summary>
            <p class="hint">{say('worldElsewhere')}</p>
            {others.map((world) => (
              <p key={world.endPoint} class="world">
                <WorldText {...world} />
              </p>
            ))}
          </details>
        )}
      </div>
    </fieldset>
  )
}

export function portOf({ endPoint }: WorldRecord): number {
  return Number(/\d+$/.exec(endPoint)?.[0])
}

/** @param props.isShared it is known, and its address tells nothing */
function WorldText({ isShared = false, ...world }: WorldRecord & { readonly isShared?: boolean }) {
  return (
    <span>
      <strong>
        <bdi>{world.motd || world.endPoint}</bdi>
      </strong>
      <small>{describe(world, isShared)}</small>
    </span>
  )
}

function describe(
  { endPoint, version, onlinePlayers, maxPlayers, isVerified, announced }: WorldRecord,
  isShared: boolean,
): string {
  const parts = [
    version === null ? undefined : say('worldVersion', version),
    onlinePlayers === null ? undefined : say('worldPlayers', `${onlinePlayers}/${maxPlayers ?? '?'}`),
    isShared ? undefined : endPoint,
    isVerified ? undefined : say('worldUnverified'),
    announced ? undefined : say('worldFound'),
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

/** The world that is in the room; the others are listed on demand. */
export function WorldChoice({ status: { gamePort, hintCode } }: { readonly status: RoomStatus }) {
  const last = useRef(gamePort)
  if (gamePort !== 0) last.current = gamePort
  const gone = gamePort === 0 && hintCode === 'world-lost' ? last.current : undefined
  const shared = worlds.value.find((world) => world.local && portOf(world) === gamePort)
  const isToChoose = gamePort === 0 && worlds.value.some((world) => world.local && portOf(world) !== gone)
  return (
    <section class={gamePort === 0 ? 'card world-choice' : 'world-choice'}>
      <h2 class={isToChoose ? '' : 'unseen'}>{say(gamePort === 0 ? 'worldPick' : 'worldShared')}</h2>
      <Refused at="room" />
      {gamePort === 0 ? (
        <OtherWorld gamePort={gamePort} gone={gone} />
      ) : (
        <>
          <p class="world">
            <WorldBlock />
            {shared ? <WorldText {...shared} isShared /> : say('worldPort', gamePort)}
          </p>
          <details>
            <summary>{say('worldOther')}</summary>
            <OtherWorld gamePort={gamePort} />
          </details>
        </>
      )}
    </section>
  )
}

function OtherWorld({
  gamePort,
  gone,
}: Pick<RoomStatus, 'gamePort'> & { readonly gone?: number | undefined }) {
  const choose = (port: number) => void chooseWorld(port)
  return (
    <>
      <WorldList chosen={gamePort} onChoose={choose} gone={gone} none={say('worldsComing')} />
      <details>
        <summary>{say('manual')}</summary>
        <PortForm
          label={say('manualPort')}
          button={say('manualUse')}
          hint={say('manualHint')}
          onPort={choose}
        />
      </details>
    </>
  )
}
