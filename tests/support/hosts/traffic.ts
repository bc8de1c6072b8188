import { setTimeout as sleep } from 'node:timers/promises'
import { formOf, jsonOf } from '../../contract/http/requests'
import type { Host } from './hosts'

/** What clients have got: how many of each status, and what was wrong. */
export type Traffic = { readonly answers: number; readonly failures: readonly string[] }

type Send = Host['send']

/** One thing to ask for. */
export type Asked = readonly [path: string, init: RequestInit]

/**
 * Clients that ask for everything in turn, each the next as soon as it has an answer and a pause is over, until the signal aborts.
 * @param requests of `requestsTo`
 */
export async function sendTraffic(
  send: Send,
  requests: readonly Asked[],
  { clients, pauseMs, until }: { clients: number; pauseMs: number; until: AbortSignal },
): Promise<Traffic> {
  let answers = 0
  const failures: string[] = []
  const lane = async (client: number) => {
    for (let turn = client; !until.aborted; turn += 1) {
      const [path, init] = requests[turn % requests.length] ?? ['/', {}]
      const what = `${init.method ?? 'GET'} ${path}`
      const failure = await send(path, init).then(
        async (response) => {
          const text = await response.text()
          return response.status < 500 ? undefined : `${what}: ${response.status} ${text.slice(0, 100)}`
        },
        (error: Error) => `${what}: ${error.cause ?? error}`,
      )
      answers += 1
      if (failure !== undefined) failures.push(`${new Date().toISOString()} ${failure}`)
      await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => lane(client)))
  return { answers, failures }
}

/**
 * Everything that a host is asked for, reading and changing, with and without a body.
 * @param clip a short one, of which a session is made first
 */
export async function requestsTo(send: Send, clip: Uint8Array): Promise<readonly Asked[]> {
  const made = await send('/prepare', { method: 'POST', body: formOf(clip) })
  const { session_id } = await jsonOf<{ session_id: string }>(made)
  const post = (body: RequestInit['body'], type?: string): RequestInit => ({
    method: 'POST',
    body: body ?? null,
    ...(type && { headers: { 'Content-Type': type } }),
  })
  const json = (value: unknown) => post(JSON.stringify(value), 'application/json')
  return [
    ['/openapi.json', {}],
    ['/uploads', json({ size: 1000, content_type: 'video/mp4' })],
    [`/preview/${session_id}.mp4`, { headers: { Range: 'bytes=0-99' } }],
    ['/thumbnail', json({ session_id, timestamp: 0.1 })],
    ['/health', { method: 'HEAD' }],
    ['/convert', json({ session_id, range_start: 0, range_end: 0.4, cover_time: 0, speed: 1 })],
    [`/sessions/${session_id}`, {}],
    ['/cleanup', json({ session_id: '0'.repeat(32) })],
    ['/health', {}],
    ['/prepare', post(formOf(clip))],
  ]
}
