import { renderUnicodeCompact } from 'uqr'
import { untilAborted } from '#core/async/onAbort'
import { ServiceError } from '#core/errors'
import { readHostRequest } from '#core/room/api/rooms/hosting'
import { readJoinRequest } from '#core/room/api/rooms/joining'
import { portsOf } from '#core/room/api/rooms/orderedPorts'
import { toStatusRecord } from '#core/room/api/rooms/state'
import { readInvitation } from '#core/room/invitation'
import type { Feed } from '#core/room/service/state/feed'
import type { RoomState } from '#core/room/service/state/roomState'
import { atMost, beginLifetime } from '../../commandLine/lifetime'
import { printable, UsageError } from '../../commandLine/readArguments'
import { composeRoom, type LocalRoom } from '../compose'
import type { Program } from './compose'
import type { HostCommand, JoinCommand } from './options/command'
import { NO_CODE } from './options/parseRoomCommand'
import { shareWord } from './options/sharedPorts'
import { endRoom } from './runService'
import { describeInvitation } from './terminal/describeInvitation'
import { obeyHost } from './terminal/readHostLine'
import { createReporter } from './terminal/reporter'
import { firstFailure, untilState } from './untilState'

const STOP_MS = 1300

/** Interval at which changes without a message of the feed are shown, such as a new path. */
const REFRESH_MS = 250

/**
 * `room host` and `room join`: the service in this process, for one room, with its events shown to a person.
 * @returns the exit code of the signal that ended it
 * @throws UsageError, ConfigError, ServiceError; RoomFailure when the room could not start or had to end
 */
export async function play(command: HostCommand | JoinCommand, program: Program): Promise<number> {
  const env = { ...program.env, ...command.settings.env }
  const stopping = new AbortController()
  const life = beginLifetime({ withStarter: program.isByNpm })
  const room = await composeRoom(env, {
    stopping: stopping.signal,
    shutDown: life.end,
    keptFor: 'command',
    // A person reads the events instead of the log, unless LOG_LEVEL asks for it.
    ...(!env.LOG_LEVEL && { writeLog: () => {} }),
  })
  const stopReporting = report(room, command, program)
  const stopObeying =
    command.kind === 'host' && !command.json
      ? obeyHost(room.api, process.stdin, (line) => process.stdout.write(`          ${line}\n`))
      : () => {}
  try {
    showMismatches(command)
    if (!(await resumed(room, command))) await start(room, command)
    void proposePorts(room, command)
    void showInvitation(room, command).catch(() => undefined)
    const failure = await Promise.race([untilAborted(life.signal), firstFailure(room)])
    if (failure) throw failure
    if (!command.json) process.stdout.write('\nStopping.\n')
    return life.exitCode() ?? 0
  } finally {
    await atMost(STOP_MS, room.api.service.stop())
    stopReporting()
    stopObeying()
    await endRoom(room, stopping)
    life.close()
  }
}

/** Left out of errors, since the code is the only argument. */
const CODE = 'code'

const HOST_FIELDS = { room: '--room', private: '--private' }
const PORT_FIELDS = { gamePort: '--game-port', extraPort: () => '--share' }

/** Says how the game here differs from the host's, before the room is joined. */
function showMismatches(command: HostCommand | JoinCommand): void {
  if (command.kind !== 'join') return
  const invitation = readInvitation(command.code)
  if (invitation === undefined || invitation === 'damaged') return
  for (const line of describeInvitation(invitation, command.game)) {
    // The output of --json is the feed alone.
    const output = command.json ? process.stderr : process.stdout
    output.write(`  ${line}\n`)
  }
}

/** Goes back to the room that this command has left by a crash, unless another one is named. @throws UsageError when there is none to join */
async function resumed({ api }: LocalRoom, command: HostCommand | JoinCommand): Promise<boolean> {
  const isHost = command.kind === 'host'
  const named = isHost ? command.room : command.code || undefined
  if (!command.resumes || named !== undefined) return false
  if (await api.resume(isHost ? 'host' : 'guest')) return true
  if (isHost) return false
  throw new UsageError(`There is no room to go back to. ${NO_CODE}`, 'join')
}

/** @throws UsageError when the code, a name or a port cannot be used */
async function start({ api, config }: LocalRoom, command: HostCommand | JoinCommand): Promise<void> {
  const { service, settings, portGuard } = api
  try {
    if (command.kind === 'join') {
      service.join(readJoinRequest(joinOrder(command), CODE, { settings }))
    } else {
      const { name, gamePort, waitsForGame, isPrivate, ports } = command
      const order = {
        playerName: name,
        room: command.room,
        gamePort,
        waitForGame: waitsForGame,
        resume: command.resumes,
        private: isPrivate || undefined,
        ports: [...ports],
      }
      const request = readHostRequest(order, HOST_FIELDS, { config, settings })
      await portGuard.refuse(portsOf(request, PORT_FIELDS))
      service.host(request)
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid-request') throw error
    throw new UsageError(error.detail.replace(`${CODE}: `, ''), command.kind)
  }
}

/** The body that `POST /room/guest/start` would have. */
export function joinOrder({ code, name, waits, resumes, acceptsNewHost }: JoinCommand) {
  return { roomCode: code, playerName: name, wait: waits, resume: resumes, acceptNewHost: acceptsNewHost }
}

/** The link that invites, and its QR code where a person sees it, once the room is open. */
async function showInvitation({ api }: LocalRoom, command: HostCommand | JoinCommand): Promise<void> {
  if (command.kind !== 'host' || command.json) return
  await untilState(api, 'Host_Running')
  const links = await api.invite(command.game)
  if (!links) return
  const link = links.webLink ?? links.link
  const code = process.stdout.isTTY ? `${renderUnicodeCompact(link)}\n` : ''
  process.stdout.write(`  Or send this link, which says where you are met, too:\n\n  ${link}\n\n${code}`)
}

/** Names what could be shared, to a person who hosts and has named nothing. */
async function proposePorts({ api }: LocalRoom, command: HostCommand | JoinCommand): Promise<void> {
  if (command.kind !== 'host' || command.json || command.ports.length > 0) return
  const services = await api.localServices().catch(() => [])
  for (const service of services) {
    process.stdout.write(`  Found ${printable(service.title)}. To share it: --share ${shareWord(service)}\n`)
  }
}

function report({ api }: LocalRoom, { json }: HostCommand | JoinCommand, program: Program): () => void {
  const write = (line: string) => process.stdout.write(`${line}\n`)
  if (json) {
    const stop = writeJsonLines(api, write)
    const keepRunning = setInterval(() => {}, 60_000)
    return () => {
      clearInterval(keepRunning)
      stop()
    }
  }
  const startedAt = performance.now()
  const { hasColour } = program
  const reporter = createReporter({ write, hasColour, elapsed: () => performance.now() - startedAt })
  const show = () => reporter.show(api.roomState.view())
  const unsubscribe = api.feed.subscribe(show)
  const timer = setInterval(show, REFRESH_MS)
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}

/**
 * The feed's messages, one JSON object per line, as `/ws` sends them; a `status` has all fields of `GET /room/status`, the
 * players included.
 * @returns a function that ends it
 */
function writeJsonLines(
  { feed, roomState }: { readonly feed: Feed; readonly roomState: RoomState },
  write: (line: string) => void,
): () => void {
  return feed.subscribe((message) => {
    const isStatus = message.type === 'status'
    write(JSON.stringify(isStatus ? { ...message, ...toStatusRecord(roomState.view()) } : message))
  })
}
