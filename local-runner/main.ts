import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '@lantern-room/base'
import { onAbort, untilAborted } from '@lantern-room/base/async'
import { OwnPorts } from '@lantern-room/base/network'
import { ConfigError, removedSettings } from '@lantern-room/base/settings'
import { EXIT_USAGE, failureOf } from './commandLine/failure'
import { atMost, beginLifetime } from './commandLine/lifetime'
import { UsageError } from './commandLine/readArguments'
import { killAllProcesses, version } from './compose'
import type { Listening } from './listen'
import { startMedia } from './mediaHost'
import { startWorker } from './mediaWorker'
import { type ProgramName, readProgram, readServiceChoice, type ServiceName } from './readServiceChoice'
import { startRoom } from './room/roomHost'
import { withSecretFiles } from './secretFiles'

type Host = {
  readonly stopping: AbortSignal
  readonly shutDown: () => void
  /** The ports of all services of this program. */
  readonly ownPorts: OwnPorts
  /** Where there is none and that is possible. */
  readonly installsFfmpeg: boolean
  readonly isForPhone: boolean
}

/** With lines for the terminal, and how long requests may take when the program is to end. */
type Started = Pick<Listening, 'url' | 'drain' | 'close' | 'cut'> & {
  /** @default listening on */
  readonly does?: string
  readonly notes?: readonly string[]
  /** Of those that run. */
  readonly shutdownSeconds?: number
  /** How long new ones are served until then, where proxies may stand before the service. */
  readonly drainSeconds?: number
}

/** Where no service says another time. */
const SHUTDOWN_SECONDS = 10
/** How long the end of requests may take that have not finished in time. */
const END_MS = 3_000

type Service = { readonly title: string; readonly start: (host: Host) => Promise<Started> }

const SERVICES: Readonly<Record<ServiceName, Service>> = {
  media: {
    title: 'motion photo API',
    start: async (host) => startMedia(withSecretFiles(process.env), host),
  },
  worker: {
    title: 'motion photo worker',
    start: async (host) => startWorker(withSecretFiles(process.env), host),
  },
  room: { title: 'room service', start: (host) => startRoom(process.env, host) },
}

/** How the start of a service has ended. */
type Outcome = { readonly title: string; readonly listening?: Started; readonly error?: unknown }

/** Starts the services of this machine that were asked for. One that cannot start does not keep the other from running. */
async function main(args: readonly string[]): Promise<void> {
  const choice = choose(args)
  if ('show' in choice) {
    process.stdout.write(choice.show)
    return
  }
  for (const sentence of removedSettings(process.env)) console.error(sentence)
  const stopping = new AbortController()
  // Not a signal to this process: on Windows that would end it at once.
  const asked = new AbortController()
  const host: Host = {
    stopping: stopping.signal,
    shutDown: () => asked.abort(new Error('asked to stop')),
    ownPorts: new OwnPorts(),
    installsFfmpeg: choice.installsFfmpeg,
    isForPhone: choice.isForPhone,
  }
  const outcomes = await Promise.all(choice.services.map((name) => startService(SERVICES[name], host)))
  reportFailures(outcomes)
  const servers = outcomes.flatMap(({ listening }) => listening ?? [])
  stopOnSignals(servers, asked.signal, stopping)
  console.log(`Lantern Room ${version}`)
  for (const { title, listening } of outcomes) {
    if (!listening) continue
    console.log(`${title} ${listening.does ?? 'listening on'} ${listening.url}`)
    for (const note of listening.notes ?? []) console.log(note)
  }
}

/** Ends the process when the command was typed wrong, before anything is started. */
function choose(args: readonly string[]) {
  try {
    return readServiceChoice(args, version)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(failureOf(error, 'lantern-room').sentence)
    return process.exit(EXIT_USAGE)
  }
}

async function startService({ title, start }: Service, host: Host): Promise<Outcome> {
  try {
    return { title, listening: await start(host) }
  } catch (error) {
    return { title, error }
  }
}

/** Ends the process when no service runs, or when a setting is wrong: that is for the user to correct first. */
function reportFailures(outcomes: readonly Outcome[]): void {
  const failed = outcomes.filter(({ listening }) => !listening)
  for (const { title, error } of failed) {
    console.error(sentenceOf(error, outcomes.length > 1 ? title : undefined))
  }
  const hasWrongSetting = failed.some(({ error }) => error instanceof ConfigError)
  if (failed.length === outcomes.length || hasWrongSetting) process.exit(1)
}

/** @param title of the service, where another one runs without it */
function sentenceOf(error: unknown, title: string | undefined): unknown {
  if (error instanceof ConfigError) return error.message
  if (!(error instanceof ServiceError)) return error
  return title === undefined ? error.message : `The ${title} does not start: ${error.message}`
}

/**
 * Stops in order on SIGTERM, SIGINT and when asked: new requests are refused, running ones have some time, then their ffmpeg is killed;
 * exit code 0. On SIGTERM, by which supervisors replace hosts, it first serves on while proxies turn to others. A second signal ends
 * everything at once.
 * @param asked aborts when a client asks the program to end
 * @param stopping aborted when the time of running requests is over
 */
function stopOnSignals(servers: readonly Started[], asked: AbortSignal, stopping: AbortController): void {
  const graceSeconds = Math.max(...servers.map((server) => server.shutdownSeconds ?? SHUTDOWN_SECONDS))
  const drainSecondsAt = (reason: string) =>
    reason === 'SIGTERM' ? Math.max(...servers.map((server) => server.drainSeconds ?? 0)) : 0
  process.on('exit', killAllProcesses)
  const life = beginLifetime({
    signals: ['SIGTERM', 'SIGINT'],
    withStarter: process.env.npm_lifecycle_event !== undefined,
    onEnd(reason) {
      const drainSeconds = drainSecondsAt(reason)
      const first = drainSeconds > 0 ? `serving for ${drainSeconds} s more, then ` : ''
      const what = `finishing what runs (at most ${graceSeconds} s)`
      console.error(`${reason}: ${first}${what}; a second signal ends at once`)
    },
  })
  onAbort(asked, life.end)
  void untilAborted(life.signal).then(async () => {
    const drainSeconds = drainSecondsAt((life.signal.reason as Error).message)
    const closed = Promise.all(servers.map((server) => close(server, drainSeconds > 0)))
    await atMost(1000 * (drainSeconds + graceSeconds), closed)
    stopping.abort(new ServiceError('unavailable', 'The service is stopping. Try again in a moment.'))
    // The aborted requests are still answered; clients that do not read their answers are disconnected.
    await atMost(END_MS, closed)
    for (const server of servers) server.cut()
    process.exit(0)
  })
}

async function close(server: Started, isDrained: boolean): Promise<void> {
  const { drainSeconds = 0 } = server
  if (isDrained && drainSeconds > 0) {
    server.drain()
    await sleep(1000 * drainSeconds)
  }
  await server.close()
}

/** Each is loaded when it is asked for: `npm start` need not read the others. */
const PROGRAMS: Readonly<Record<ProgramName, () => Promise<(args: readonly string[]) => Promise<void>>>> = {
  services: async () => main,
  photo: async () => (await import('./programs/motionPhoto')).motionPhoto,
  room: async () => (await import('./programs/room')).room,
}

async function runProgram(): Promise<void> {
  const { program, args } = readProgram(process.argv.slice(2))
  const run = await PROGRAMS[program]()
  await run(args)
}

runProgram().catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
