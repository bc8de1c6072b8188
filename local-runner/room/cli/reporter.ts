import type { Profile } from '#core/room/profiles'
import type { RoomView } from '#core/room/service/roomState'
import type { Stage } from '#core/room/service/stages'
import { printable } from '../../commandLine/printable'

export type Reporter = {
  /** Tells what is new since the last time. */
  show(view: RoomView): void
}

export type ReporterOptions = {
  /** Takes a line without its end. */
  readonly write: (line: string) => void
  /** Milliseconds since the start. */
  readonly elapsed: () => number
  readonly hasColour: boolean
}

/** What happens in the room, for a person: one line each, with the time since the start. */
export function createReporter({ write, elapsed, hasColour }: ReporterOptions): Reporter {
  let before: RoomView | undefined
  const bold = (text: string) => (hasColour ? `\x1b[1m${text}\x1b[22m` : text)
  const line = (text: string) => write(`${(elapsed() / 1000).toFixed(1).padStart(6)} s  ${text}`)

  return {
    show(view) {
      const last = before
      before = view
      if (last?.stage !== view.stage) tellStage(view, last?.stage)
      if (view.notice !== null && view.notice !== last?.notice) line(view.notice)
      if (view.stage === 'Host_Running' && last?.stage === 'Host_Running') tellWorld(view, last)
      if (view.stage === 'Guest_Running') tellPath(view, last)
      if (isInside(view)) tellPlayers(view.players, last && isInside(last) ? last.players : [])
    },
  }

  function tellStage(view: RoomView, from: Stage | undefined): void {
    const text = STAGE_TEXTS[view.stage]?.(view)
    if (text !== undefined) line(text)
    if (view.stage === 'Host_Running' && view.room !== null) tellRoom(view.room)
    if (view.stage === 'Guest_Running') {
      if (from === 'Guest_Reconnecting') line('The host is back.')
      else tellAddress(view)
    }
  }

  function tellRoom(code: string): void {
    const edge = `  +${'-'.repeat(code.length + 6)}+`
    write('')
    for (const text of [edge, `  |   ${bold(code)}   |`, edge]) write(text)
    write('')
    write('  Send this code to your friends. Ctrl-C closes the room.')
    write('')
  }

  function tellAddress({ gamePort, url }: RoomView): void {
    const address = url?.includes(':') ? url : `127.0.0.1:${gamePort}`
    write('')
    write(`  In the game: Multiplayer, then the world in the list, or Direct Connection to ${bold(address)}`)
    write('')
  }

  function tellWorld({ gamePort }: RoomView, last: RoomView): void {
    if (gamePort === last.gamePort) return
    if (gamePort === 0) line('The world does not answer any more. Open it again: the room waits a minute.')
    else line(`The world is on port ${gamePort} now.`)
  }

  function tellPath(view: RoomView, last: RoomView | undefined): void {
    const path = wayOf(view)
    const known = last?.stage === 'Guest_Running' ? wayOf(last) : undefined
    if (path !== undefined && path !== known) line(path)
  }

  /** Players other than the one who sits here: of a host the first, of a guest the one that is LOCAL. */
  function tellPlayers(now: readonly Profile[], were: readonly Profile[]): void {
    const own = now.find(({ kind }) => kind === 'LOCAL') ?? now.find(({ kind }) => kind === 'HOST')
    const others = now.filter((one) => one !== own)
    for (const player of others) if (!has(were, player)) line(`+ ${shown(player)}`)
    for (const player of were) {
      if (player.machineId !== own?.machineId && !has(now, player)) line(`- ${shown(player)}`)
    }
  }
}

const STAGE_TEXTS: Partial<Record<Stage, (view: RoomView) => string>> = {
  Host_GameDetecting: () => 'Looking for your world',
  Host_ScaffoldingStarting: ({ gamePort }) =>
    gamePort === 0 ? 'Opening the room before the world' : `Found the world on port ${gamePort}`,
  Host_NetworkStarting: () => 'Joining the network',
  Host_Running: ({ network }) => `The room is open${nodesText(network)}`,
  Guest_Prepare: ({ room }) => `Looking for the room ${room ?? ''}`,
  Guest_NetworkStarting: () => 'Joining the network',
  Guest_DiscoveringCenter: () => 'Looking for the host',
  Guest_ConnectingScaffolding: () => 'Found the host',
  Guest_Reconnecting: () => 'The host does not answer. Waiting up to a minute for it to return',
  Guest_Running: () => 'You are in the room',
}

function nodesText(network: RoomView['network']): string {
  const nodes = network?.nodes ?? []
  const reached = nodes.filter(({ state }) => state === 'connected')
  if (nodes.length === 0) return ' for players on this LAN'
  if (reached.length === 0) return ' for players on this LAN: no shared node answers yet'
  return ` (${reached.length} of ${nodes.length} shared nodes)`
}

/** Latencies change all the time; the way does not. */
function wayOf({ network }: RoomView): string | undefined {
  const path = network?.path
  if (!path) return undefined
  return path.kind === 'direct'
    ? `Connected directly by ${path.transport}`
    : `Connected through a shared node by ${path.transport}`
}

function isInside({ stage }: RoomView): boolean {
  return stage === 'Host_Running' || stage === 'Guest_Running' || stage === 'Guest_Reconnecting'
}

function has(players: readonly Profile[], { machineId }: Profile): boolean {
  return players.some((one) => one.machineId === machineId)
}

function shown({ name, vendor }: Profile): string {
  return printable(`${name} (${vendor})`)
}
