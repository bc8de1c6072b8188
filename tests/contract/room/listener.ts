import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { RoomApi } from '@lantern-room/room'
import type { FeedHello, FeedMessage } from '@lantern-room/room/client'
import { type ClientOptions, WebSocket } from 'ws'

/** Tells a line of the log: entries of the log itself are limited to a few a second. */
export function tellLine(feed: RoomApi['feed'], message: string): void {
  feed.publish({ type: 'log', level: 'info', message, timestamp: new Date().toISOString() })
}

/** Messages that a new client gets at once: hello, state, profiles, guests, status. */
export const SNAPSHOT = 5

export type Told = FeedMessage | FeedHello

/** A client of `/ws`. */
export type Listener = {
  readonly socket: WebSocket
  readonly messages: readonly Told[]
  /** Resolves when so many have come. */
  count(wanted: number): Promise<readonly Told[]>
  /** Close code and reason. */
  readonly closed: Promise<readonly [code: number, reason: string]>
  close(): Promise<void>
}

/** @throws Error when the service refuses */
export async function listen(
  url: string,
  { query = '', protocols = [], ...options }: { query?: string; protocols?: string[] } & ClientOptions = {},
): Promise<Listener> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws${query}`, protocols, options)
  const messages: Told[] = []
  let onMessage = () => {}
  socket.on('message', (data, isBinary) => {
    if (isBinary) throw new Error('messages are text')
    messages.push(JSON.parse(String(data)))
    onMessage()
  })
  const closed = new Promise<readonly [number, string]>((resolve) =>
    socket.once('close', (code, reason) => resolve([code, String(reason)])),
  )
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => {})
  return {
    socket,
    messages,
    closed,
    count: (wanted) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          const last = JSON.stringify(messages.slice(-3))
          reject(new Error(`${messages.length} messages came, not ${wanted}: ${last}`))
        }, 60_000)
        onMessage = () => {
          if (messages.length < wanted) return
          clearTimeout(timer)
          resolve(messages)
        }
        onMessage()
      }),
    async close() {
      socket.close()
      await closed
    },
  }
}

const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

/** Asks for an upgrade. @returns what came instead */
export function askedUpgrade(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const asked = { ...HANDSHAKE, ...headers }
    const request = httpRequest({ host: hostname, port, path, agent: false, headers: asked })
    request.once('error', reject)
    request.once('upgrade', (_response, socket) => {
      socket.destroy()
      resolve(new Response('upgraded', { status: 299 }))
    })
    request.once('response', (response) => {
      const chunks: Uint8Array[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const received = new Headers(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        )
        resolve(new Response(Buffer.concat(chunks), { status: response.statusCode ?? 0, headers: received }))
      })
    })
    request.end()
  })
}

/** A client that has upgraded and then does nothing of its own: it neither reads, nor answers pings, nor says goodbye. */
export async function openMute(url: string, { path = '/ws', allowHalfOpen = false } = {}): Promise<Socket> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen })
  socket.on('error', () => {})
  const lines = Object.entries(HANDSHAKE).map(([name, value]) => `${name}: ${value}`)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('\r\n')}\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.pause()
  return socket
}
