import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { parseJson } from '#core/json'
import type { Listening } from '../listen'
import { removePortFile, writePortFile } from './portFiles'

/** How long a running service may take to say so. A closed port refuses at once, on Windows after two seconds. */
const ANSWER_MS = 5000

/** Records where this service listens, for later starts with the same data folder. @throws ServiceError `unavailable` */
export async function recordInstance(dataFolder: string, listening: Listening): Promise<void> {
  await writePortFile(instanceFile(dataFolder), listening, 'event')
}

export async function forgetInstance(dataFolder: string, listening: Listening): Promise<void> {
  await removePortFile(instanceFile(dataFolder), listening, 'event')
}

/** The port of a service that runs with this data folder and answers without a token; undefined when there is none. */
export async function findInstance(dataFolder: string): Promise<number | undefined> {
  const text = await readFile(instanceFile(dataFolder), 'utf8').catch(() => '')
  const port = numberIn(parseJson(text), 'port')
  return port !== undefined && (await isRoomService(port)) ? port : undefined
}

/** After a crash the file is stale, and another program may have the port. */
async function isRoomService(port: number): Promise<boolean> {
  const meta = parseJson(await readMeta(port).catch(() => ''))
  return typeof meta === 'object' && meta !== null && 'networkVersion' in meta
}

/** Not by `fetch`, which cannot connect under Wine. */
async function readMeta(port: number): Promise<string> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  const request = get({ host: '127.0.0.1', port, path: '/meta', agent: false, signal })
  // Those before the answer are thrown below; later ones end the reading.
  request.on('error', () => undefined)
  const [response] = (await once(request, 'response', { signal })) as [IncomingMessage]
  const chunks: Uint8Array[] = []
  for await (const chunk of response) chunks.push(chunk)
  return response.statusCode === 200 ? Buffer.concat(chunks).toString('utf8') : ''
}

function instanceFile(dataFolder: string): string {
  return join(dataFolder, 'room', 'instance.json')
}

function numberIn(value: unknown, name: string): number | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'number' && Number.isInteger(found) && found > 0 && found < 65_536
    ? found
    : undefined
}
