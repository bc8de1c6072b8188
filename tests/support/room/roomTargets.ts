import { mkdir } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { type RoomApi, readRoomConfig } from '@lantern-room/room'
import type { RoomNetwork } from '@lantern-room/room/network'
import { serveRoom } from '../../../local-runner/room/roomHost'
import type { ServerProcess, Settings } from '../process/serverProcess'
import { makeTempFolder, removeFolders } from '../process/tempFolder'
import { openRoom } from './openRoom'
import { startRoomProcess } from './roomProcess'

/** A place where the room service answers. */
export type RoomTarget = {
  /** `http://127.0.0.1:…`, without a final slash. */
  readonly url: string
  /** Sends exactly these headers, and `Host`, `Content-Length` where a program would. */
  send(path: string, init?: RoomRequest): Promise<Response>
  stop(): Promise<void>
}

export type RoomRequest = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whole; an array goes out in pieces, without a length. */
  readonly body?: string | readonly string[]
}

/** The service in this process, so that a test can look inside. */
export type InnerTarget = RoomTarget & { readonly api: RoomApi }

/** Nothing of a test leaves the machine. */
const ALONE: Settings = { ROOM_LAN_INTERFACES: '127.0.0.1', ROOM_NODES: '', ROOM_STUN: '', ROOM_PORT: '0' }

/** The app itself, called without any server. */
export async function openDirectTarget(
  roomNetwork: RoomNetwork,
  settings: Settings = {},
): Promise<InnerTarget> {
  const room = openRoom(roomNetwork, settings)
  const host = '127.0.0.1:5062'
  return {
    api: room,
    url: `http://${host}`,
    stop: room.close,
    send: (path, init = {}) => room.app(toRequest(`http://${host}${path}`, host, init)),
  }
}

/** The app behind the server of the local runner, in this process. */
export async function openServedTarget(
  roomNetwork: RoomNetwork,
  settings: Settings = {},
): Promise<InnerTarget> {
  const room = openRoom(roomNetwork, settings)
  const config = readRoomConfig({ ...ALONE, ...settings })
  const dataFolder = await makeTempFolder('served')
  await mkdir(join(dataFolder, 'room'))
  const listening = await serveRoom({ api: room, config, dataFolder })
  return {
    api: room,
    url: listening.url,
    send: (path, init) => sendOverSocket(listening.url, path, init),
    async stop() {
      await listening.close()
      listening.cut()
      await room.close()
      await removeFolders(dataFolder)
    },
  }
}

/** The program as it is built, with a data folder of its own. */
export async function startProcessTarget(
  settings: Settings = {},
): Promise<RoomTarget & { readonly server: ServerProcess }> {
  const { url, process, close } = await startRoomProcess({ settings: { LOG_LEVEL: 'warn', ...settings } })
  return { url, server: process, stop: close, send: (path, init) => sendOverSocket(url, path, init) }
}

/** What a server makes of the same bytes. */
function toRequest(url: string, host: string, { method, headers = {}, body }: RoomRequest): Request {
  const isWhole = typeof body === 'string'
  const length = isWhole ? String(new TextEncoder().encode(body).length) : undefined
  return new Request(url, {
    ...(method !== undefined && { method }),
    ...(body !== undefined && { body: isWhole ? body : piecesOf(body), duplex: 'half' }),
    headers: {
      Host: host,
      ...(length !== undefined && { 'Content-Length': length }),
      ...(body !== undefined && !isWhole && { 'Transfer-Encoding': 'chunked' }),
      ...headers,
    },
  })
}

function piecesOf(pieces: readonly string[]): ReadableStream<Uint8Array> {
  const rest = [...pieces]
  return new ReadableStream({
    pull(controller) {
      const next = rest.shift()
      if (next === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(next))
    },
  })
}

/** With Node's own client: `fetch` adds headers, and refuses others. */
async function sendOverSocket(base: string, path: string, init: RoomRequest = {}): Promise<Response> {
  const { method = 'GET', headers, body } = init
  const url = new URL(base)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = httpRequest(
      { host: url.hostname, port: url.port, path, method, headers: { ...headers }, agent: false },
      resolve,
    )
    request.once('error', reject)
    if (Array.isArray(body)) {
      for (const piece of body) request.write(piece)
      request.end()
    } else request.end(body)
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const status = answer.statusCode ?? 0
  const received = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    received.set(name, [value ?? ''].flat().join(', '))
  }
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers: received })
}
