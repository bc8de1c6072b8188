import type { Stage } from '@lantern-room/room/client'
import { outageFailure } from '@lantern-room/room/network'
import { type Say, terminalWords } from '@lantern-room/room/words'
import { renderUnicodeCompact } from 'uqr'
import { printable } from '../../commandLine/readArguments'
import type { LocalRoom } from '../compose'
import { composeDoctor } from '../doctor/compose'
import type { Program } from './compose'
import { failureOf } from './failure'
import type { Command } from './options/command'
import { shareWord } from './options/sharedPorts'
import type { Screen } from './terminal/reporter'

/** Tells a person who hosts what is known beside the events of the room. */
export function tellHost(room: LocalRoom, command: Command<'host'>, screen: Screen, program: Program): void {
  const say = terminalWords(program.language)
  void proposePorts(room, command, screen, say)
  void explainOutage(room, screen, program)
  void showInvitation(room, command, screen, say).catch(() => undefined)
}

/** With `--link` the link that invites, and its QR code where a person sees it, once the room is open. */
async function showInvitation(
  { api }: LocalRoom,
  command: Command<'host'>,
  screen: Screen,
  say: Say,
): Promise<void> {
  if (!command.showsLink) return
  await untilState(api, 'Host_Running')
  const links = await api.invite(command.game)
  if (!links) return
  const link = links.webLink ?? links.link
  for (const line of ['', `  ${say('sendLink')}`, '', `  ${link}`, '']) screen.line(line)
  // A telephone can open a page, and nothing else.
  if (process.stdout.isTTY && links.webLink) screen.line(renderUnicodeCompact(links.webLink))
}

/** Why only players on the LAN can come, where that is known. */
async function explainOutage({ api }: LocalRoom, screen: Screen, { language, env }: Program): Promise<void> {
  await untilState(api, 'Host_Running')
  const nodes = api.roomState.view().network?.nodes ?? []
  if (nodes.some(({ state }) => state === 'connected')) return
  const outage = await composeDoctor(env).outage(nodes.map(({ url }) => url))
  if (!outage) return
  screen.line(`          ${failureOf(outageFailure(outage), undefined, language).sentence}`)
}

/** Names what could be shared, to a person who hosts and has named nothing. */
async function proposePorts(
  { api }: LocalRoom,
  command: Command<'host'>,
  screen: Screen,
  say: Say,
): Promise<void> {
  if (command.ports.length > 0) return
  const services = await api.localServices().catch(() => [])
  for (const service of services) {
    screen.line(`          ${say('proposal', { title: printable(service.title), word: shareWord(service) })}`)
  }
}

/** Never resolves when the stage is not reached. */
function untilState({ feed, roomState }: LocalRoom['api'], stage: Stage): Promise<void> {
  if (roomState.view().stage === stage) return Promise.resolve()
  return new Promise((resolve) => {
    const unsubscribe = feed.subscribe(() => {
      if (roomState.view().stage !== stage) return
      unsubscribe()
      // Behind what is reported of the stage itself.
      setImmediate(resolve)
    })
  })
}
