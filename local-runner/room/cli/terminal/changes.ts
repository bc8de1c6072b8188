import { type Language, textIn } from '@lantern-room/base'
import type { Profile } from '@lantern-room/protocol'
import type { RoomView } from '@lantern-room/room'
import { chinese, type Say, status, terminalWords } from '@lantern-room/room/words'
import { printable } from '../../../commandLine/readArguments'
import { questionsOf } from './questions'

type Notice = NonNullable<RoomView['notice']>
type ShownPort = RoomView['ports'][number]

/** What has changed since the last view, other than the stage: one line for each event. */
export function changesOf(view: RoomView, last: RoomView | undefined, language: Language): readonly string[] {
  const say = terminalWords(language)
  return [
    ...noticeEvents(view.notice, last?.notice, language),
    ...noticeEvents(view.warning, last?.warning, language),
    ...worldEvents(view, last, say),
    ...portEvents(view, last, language),
    ...pathEvents(view, last, say),
    ...friendRelayEvents(view, last, language),
    ...playerEvents(view, last),
    ...questionsOf(view, last, say),
  ]
}

function noticeEvents(
  notice: Notice | null,
  last: Notice | null | undefined,
  language: Language,
): readonly string[] {
  if (notice === null || notice.text === last?.text) return []
  const { code, port = '' } = notice
  const choice = isChoice(code) ? [terminalWords(language)(code, { port })] : []
  if (language === 'en') return [printable(notice.text), ...choice]
  return choice.length > 0 ? choice : [chinese.notices[code]]
}

/** Where the page has a list to choose from, a terminal has an option; in Chinese one sentence says both. */
const CHOICES = ['world-found', 'worlds-found', 'world-unverified', 'lan-port-taken'] as const

function isChoice(code: Notice['code']): code is (typeof CHOICES)[number] {
  return CHOICES.some((one) => one === code)
}

function worldEvents({ stage, gamePort }: RoomView, last: RoomView | undefined, say: Say): readonly string[] {
  if (stage !== 'Host_Running' || last?.stage !== 'Host_Running' || gamePort === last.gamePort) return []
  // Where it is gone, the notice says so.
  return gamePort === 0 ? [] : [say('movedWorld', { port: gamePort })]
}

/** Ports that are new, or reached elsewhere than before. */
function portEvents(view: RoomView, last: RoomView | undefined, language: Language): readonly string[] {
  if (view.ports === last?.ports) return []
  const before = last?.ports.map((port) => describePort(port, language)) ?? []
  return view.ports.map((port) => describePort(port, language)).filter((line) => !before.includes(line))
}

function describePort(shared: ShownPort, language: Language): string {
  const say = terminalWords(language)
  const { name, tcp, udp, localTcp, localUdp, whyTcp, whyUdp } = shared
  const parts = [
    { transport: 'TCP', port: tcp, local: localTcp, why: whyTcp },
    { transport: 'UDP', port: udp, local: localUdp, why: whyUdp },
  ].flatMap(({ transport, port, local, why }) => {
    if (port === undefined) return []
    if (local === undefined) return [say('noFreePort', { transport })]
    const where = `${transport} 127.0.0.1:${local}`
    if (why === undefined) return [where]
    const hint = why === 'unasked' ? say('howToKeep', { port }) : ''
    return [say('sharedAs', { where, port, why: `${textIn(language, status[why])}${hint}` })]
  })
  return printable(say('shared', { name, where: parts.join(say('comma')) }))
}

function pathEvents(view: RoomView, last: RoomView | undefined, say: Say): readonly string[] {
  if (view.stage !== 'Guest_Running') return []
  const path = describePath(view, say)
  const known = last?.stage === 'Guest_Running' ? describePath(last, say) : undefined
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

/** Without the latency, which changes all the time, and the transport, which means nothing to a player. */
function describePath({ network }: RoomView, say: Say): string | undefined {
  const path = network?.path
  if (!path) return undefined
  const { kind, relayedBy = 'node' } = path
  if (kind === 'direct') return say('pathDirect')
  return say(relayedBy === 'friend' ? 'pathFriend' : 'pathNode')
}

function friendRelayEvents(
  { network }: RoomView,
  last: RoomView | undefined,
  language: Language,
): readonly string[] {
  const state = network?.friendRelay?.state
  if (state === undefined || state === last?.network?.friendRelay?.state) return []
  return [textIn(language, status[state])]
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
