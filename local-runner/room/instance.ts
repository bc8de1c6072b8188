import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { z } from 'zod'
import type { Listening } from '../listen'
import { isRunning, placeOf } from './compose'
import { ownFiles, removeFile, replaceFile } from './replaceFile'

/** How long a running service may take to say so. A closed port refuses at once, on Windows after two seconds. */
const ANSWER_MS = 5000

/** A room service that runs, with the token that clients must send, if any. */
export type Instance = NonNullable<Awaited<ReturnType<typeof findInstance>>>

/**
 * Records where this service listens, for later starts with the same data folder. Only this user can read the file, since
 * it has the token.
 * @throws ServiceError `unavailable`
 */
export async function recordInstance(
  dataFolder: string,
  listening: Pick<Listening, 'port'>,
  service: {
    readonly token: string | undefined
    /** Set by a process that runs nothing but this service and may therefore be replaced. */
    readonly runId: string | undefined
  },
): Promise<void> {
  const path = instanceFile(dataFolder)
  try {
    const place = await placeOf(dataFolder)
    await replaceFile(
      path,
      `${JSON.stringify({ port: listening.port, pid: process.pid, place, ...service })}\n`,
      ownFiles,
    )
  } catch (cause) {
    throw new ServiceError('unavailable', `The file ${path} cannot be written.`, { cause })
  }
}

/** Removes the record, unless another instance has written its own there. */
export async function forgetInstance(dataFolder: string): Promise<void> {
  const path = instanceFile(dataFolder)
  const { pid } = await readRecord(path)
  if (pid === process.pid) await removeFile(path).catch(() => undefined)
}

/** The service that runs with this data folder and answers; undefined when there is none. */
export async function findInstance(dataFolder: string) {
  const { port, pid, place, token, runId } = await readRecord(instanceFile(dataFolder))
  if (port === undefined) return undefined
  // A copy of the folder is not the place of the program that runs with the original.
  if (place !== undefined && place !== (await placeOf(dataFolder))) return undefined
  // Whatever has the port after a crash must not be given the token.
  if (token !== undefined && (pid === undefined || !isRunning(pid))) return undefined
  const meta = await askInstance({ port, token }, 'GET', '/meta')
  // After a crash the file is stale, and another program may have the port.
  if (!('networkVersion' in meta)) return undefined
  const isSurelyIt = runId !== undefined && meta.runId === runId
  /** `pid` is its process, when that may be ended. */
  return { port, token, pid: isSurelyIt ? pid : undefined }
}

type Service = { readonly port: number; readonly token: string | undefined }

/**
 * Asks a service that runs on this machine.
 * @returns the JSON object that it answers with 200; an empty one for everything else
 */
export async function askInstance(
  instance: Service,
  method: 'GET' | 'POST',
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = parseJson(await readAnswer(instance, method, path).catch(() => ''))
  return typeof answer === 'object' && answer !== null ? { ...answer } : {}
}

const RECORD = z
  .object({
    port: z.int().min(1).max(65_535),
    pid: z.int().min(1).max(2_147_483_647),
    place: z.string(),
    token: z.string(),
    runId: z.string(),
  })
  .partial()

/** A damaged one is taken for none. */
async function readRecord(path: string): Promise<z.infer<typeof RECORD>> {
  return RECORD.catch({}).parse(parseJson(await readFile(path, 'utf8').catch(() => '')))
}

/**
 * The body of a response, not by `fetch`, which cannot connect under Wine.
 * @returns '' when it is no 200
 * @throws when it does not come in time
 */
export async function readAnswer(
  { port, token }: Service,
  method: 'GET' | 'POST',
  path: string,
  limitMs = ANSWER_MS,
): Promise<string> {
  const signal = AbortSignal.timeout(limitMs)
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false, signal })
  // Those before the answer are thrown below; later ones end the reading.
  asked.on('error', () => undefined)
  asked.end()
  const [response] = (await once(asked, 'response', { signal })) as [IncomingMessage]
  const body = await text(response)
  return response.statusCode === 200 ? body : ''
}

function instanceFile(dataFolder: string): string {
  return join(dataFolder, 'room', 'instance.json')
}

/** `POST /shutdown` takes at most two seconds. */
const SHUTDOWN_MS = 4000
const KILL_MS = 4000
const CHECK_MS = 10

/**
 * Ends the service that runs with a data folder, so that another one can take its place. One in a room ends without a word: a
 * host's guests look for it for a while and come back when the same room is open again, and what is to be resumed is.
 * @returns the port that it has left; undefined when no service ran
 * @throws ServiceError `unavailable` when it goes on
 */
export async function endInstance(dataFolder: string): Promise<number | undefined> {
  const running = await findInstance(dataFolder)
  if (running === undefined) return undefined
  const { port, pid } = running
  if (pid === undefined) throw goesOn(port)
  const { state } = await askInstance(running, 'GET', '/state')
  if (state === 'waiting') {
    await askInstance(running, 'POST', '/shutdown')
    if (await hasEnded(pid, SHUTDOWN_MS)) return port
  }
  kill(pid)
  if (!(await hasEnded(pid, KILL_MS))) throw goesOn(port)
  return port
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself, or another user started it: that shows in a moment.
  }
}

async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  for (const deadline = performance.now() + withinMs; isRunning(pid); await sleep(CHECK_MS)) {
    if (performance.now() > deadline) return false
  }
  return true
}

function goesOn(port: number): ServiceError {
  return new ServiceError(
    'unavailable',
    `The room service on port ${port} cannot be replaced from here. End it with POST /shutdown, or start without --replace.`,
  )
}
