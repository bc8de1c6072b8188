import type { ShownPort } from '#core/room/extraPorts'
import { FRIEND_RELAY_STATES } from '#core/room/networkStatus'
import type { KnownGuest, Profile } from '#core/room/profiles'
import type { Notice } from '#core/room/service/state/notices'
import type { RoomView } from '#core/room/service/state/roomView'
import type { Stage } from '#core/room/service/state/stages'
import { printable } from '../../../commandLine/readArguments'

export type Reporter = {
  /** Reports what has changed since the last call. */
  show(view: RoomView): void
}

export type ReporterOptions = {
  /** Takes a line without its line feed. */
  readonly write: (line: string) => void
  /** Milliseconds since the start. */
  readonly elapsed: () => number
  readonly hasColour: boolean
}

/** Reports events of the room in plain words: one line for each event, with the time since the start. */
export function createReporter({ write, elapsed, hasColour }: ReporterOptions): Reporter {
  let before: RoomView | undefined
  const bold = (text: string) => (hasColour ? `\x1b[1m${text}\x1b[22m` : text)
  const writeTimed = (text: string) => write(`${(elapsed() / 1000).toFixed(1).padStart(6)} s  ${text}`)

  return {
    show(view) {
      const last = before
      before = view
      if (last?.stage !== view.stage) showStage(view, last?.stage)
      for (const event of events(view, last)) writeTimed(event)
    },
  }

  function showStage(view: RoomView, from: Stage | undefined): void {
    const text = STAGE_TEXTS[view.stage]?.(view)
    if (text !== undefined) writeTimed(text)
    if (view.stage === 'Guest_Running' && from === 'Guest_Reconnecting') writeTimed('The host is back.')
    else for (const line of instructions(view, bold)) write(line)
  }
}

/** Instructions for the player in this stage, as a block of lines. */
function instructions(view: RoomView, bold: (text: string) => string): readonly string[] {
  if (view.stage === 'Host_Running' && view.room !== null) {
    const edge = `  +${'-'.repeat(view.room.length + 6)}+`
    const code = `  |   ${bold(view.room)}   |`
    return ['', edge, code, edge, '', '  Send this code to your friends. Ctrl-C closes the room.', '']
  }
  if (view.stage !== 'Guest_Running') return []
  const address = bold(view.url?.includes(':') ? view.url : `127.0.0.1:${view.gamePort}`)
  return [
    '',
    `  In the game: Multiplayer, then the world in the list, or Direct Connection to ${address}`,
    '',
  ]
}

/** Changes within a stage. */
function events(view: RoomView, last: RoomView | undefined): readonly string[] {
  return [
    ...noticeEvents(view.notice, last?.notice),
    ...noticeEvents(view.warning, last?.warning),
    ...worldEvents(view, last),
    ...portEvents(view, last),
    ...pathEvents(view, last),
    ...friendRelayEvents(view, last),
    ...playerEvents(view, last),
    ...guestEvents(view, last),
  ]
}

function noticeEvents(notice: Notice | null, last: Notice | null | undefined): readonly string[] {
  return notice === null || notice.text === last?.text ? [] : [notice.text]
}

function worldEvents({ stage, gamePort }: RoomView, last: RoomView | undefined): readonly string[] {
  if (stage !== 'Host_Running' || last?.stage !== 'Host_Running' || gamePort === last.gamePort) return []
  // Where it is gone, the notice says so.
  return gamePort === 0 ? [] : [`The world is on port ${gamePort} now.`]
}

function portEvents({ ports }: RoomView, last: RoomView | undefined): readonly string[] {
  return ports === last?.ports ? [] : ports.map(describePort)
}

function describePort({ name, tcp, udp, localTcp, localUdp }: ShownPort): string {
  const where = (wanted: number | undefined, local: number | undefined, transport: string) => {
    if (wanted === undefined) return []
    return local === undefined
      ? [`not here (no free ${transport} port)`]
      : [`${transport} 127.0.0.1:${local}`]
  }
  return printable(
    `Shared: ${name}, ${[...where(tcp, localTcp, 'TCP'), ...where(udp, localUdp, 'UDP')].join(', ')}`,
  )
}

function pathEvents(view: RoomView, last: RoomView | undefined): readonly string[] {
  if (view.stage !== 'Guest_Running') return []
  const path = describePath(view)
  const known = last?.stage === 'Guest_Running' ? describePath(last) : undefined
  return path === undefined || path === known ? [] : [path]
}

/** Players who came and left, without this one: of a host the first, of a guest the one that is LOCAL. */
function playerEvents(view: RoomView, last: RoomView | undefined): readonly string[] {
  if (!isInside(view)) return []
  const now = view.players
  const before = last && isInside(last) ? last.players : []
  const own = now.find(({ kind }) => kind === 'LOCAL') ?? now.find(({ kind }) => kind === 'HOST')
  const isOther = ({ machineId }: Profile) => machineId !== own?.machineId
  const came = now.filter((player) => isOther(player) && !has(before, player))
  const left = before.filter((player) => isOther(player) && !has(now, player))
  return [
    ...came.map((player) => `+ ${describePlayer(player)}`),
    ...left.map((player) => `- ${describePlayer(player)}`),
  ]
}

/** Requests to join and members without a player, for the host to answer. */
function guestEvents({ guests }: RoomView, last: RoomView | undefined): readonly string[] {
  const news = guests.filter(
    ({ id, state }) => !last?.guests.some((one) => one.id === id && one.state === state),
  )
  const unregistered = news.filter(({ state }) => state === 'unregistered')
  const shown = news.filter((one) => !unregistered.includes(one) || unregistered.indexOf(one) < MAX_SHOWN)
  const left = news.length - shown.length
  return [
    ...shown.flatMap((guest) => GUEST_TEXTS[guest.state]?.(guest) ?? []).map(printable),
    ...(left > 0 ? [`? ${left} more are connected without a player`] : []),
  ]
}

/** How many members without a player are named when several connect at once. */
const MAX_SHOWN = 3

const GUEST_TEXTS: Partial<Record<KnownGuest['state'], (guest: KnownGuest) => string>> = {
  waiting: ({ name, vendor }) => `? ${name} (${vendor}) wants to join: y or n, and Enter`,
  unregistered: ({ name, id }) =>
    `? ${name} is connected without a player and does not reach the world: y ${id} lets it in, kick ${id} removes it`,
  'second-host': ({ name, id }) => `? ${name} hosts with this room code, too: kick ${id} removes it`,
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

/** Without the latency, which changes all the time. */
function describePath({ network }: RoomView): string | undefined {
  const path = network?.path
  if (!path) return undefined
  if (path.kind === 'direct') return `Connected directly by ${path.transport}`
  const relay = path.relayedBy === 'friend' ? 'another player of this room' : 'a shared node'
  return `Connected through ${relay} by ${path.transport}`
}

function friendRelayEvents({ network }: RoomView, last: RoomView | undefined): readonly string[] {
  const state = network?.friendRelay?.state
  return state === undefined || state === last?.network?.friendRelay?.state
    ? []
    : [FRIEND_RELAY_STATES[state]]
}

function isInside({ stage }: RoomView): boolean {
  return stage === 'Host_Running' || stage === 'Guest_Running' || stage === 'Guest_Reconnecting'
}

function has(players: readonly Profile[], { machineId }: Profile): boolean {
  return players.some((one) => one.machineId === machineId)
}

function describePlayer({ name, vendor }: Profile): string {
  return printable(`${name} (${vendor})`)
}
