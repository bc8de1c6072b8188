import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { CONTRACT_VERSION, ServiceError } from '@lantern-room/base'
import { failureOf } from '@lantern-room/base/http'
import type { RoomApi, RoomConfig } from '@lantern-room/room'
import { admitToFeed, toStatusReport } from '@lantern-room/room'
import type { FeedHello, FeedMessage } from '@lantern-room/room/client'
import { type WebSocket, WebSocketServer } from 'ws'

type FeedAccess = Awaited<ReturnType<typeof admitToFeed>>

const MAX_CLIENTS = 32
const TOO_MANY = `There are ${MAX_CLIENTS} listeners already: close one.`
/** A client with more unsent data than this does not read. */
const MAX_BEHIND_BYTES = 1024 * 1024
const PING_MS = 20_000
/** Messages from clients are ignored. */
const MAX_INCOMING_BYTES = 64 * 1024

/** The library's own message stays here: it is not part of the contract. */
const WRONG_HANDSHAKE =
  'This is not a valid handshake of a WebSocket: it needs GET, "Upgrade: websocket", "Sec-WebSocket-Version: 13" and a Sec-WebSocket-Key.'

/** The feed at `/ws`: a snapshot, or the messages since an index; then every message as it comes. */
export function createWebSocketFeed(dependencies: {
  readonly feed: RoomApi['feed']
  readonly roomState: Pick<RoomApi['roomState'], 'view'>
  readonly config: Pick<RoomConfig, 'token' | 'allowedOrigins'>
  /** Interval of pings; a client that has not answered by the next one is disconnected. */
  readonly pingMs?: number
}) {
  const { feed, roomState, config, pingMs = PING_MS } = dependencies
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: MAX_INCOMING_BYTES,
    handleProtocols: (offered, request) => accessOf.get(request)?.protocol ?? [...offered][0] ?? false,
  })
  server.on('wsClientError', (cause, socket) => {
    refuse(socket, new ServiceError('invalid-request', WRONG_HANDSHAKE, { cause }))
  })
  const accessOf = new WeakMap<IncomingMessage, FeedAccess>()
  const alive = new WeakSet<WebSocket>()

  const pinging = setInterval(() => {
    for (const client of server.clients) {
      if (!alive.has(client)) client.terminate()
      alive.delete(client)
      client.ping()
    }
  }, pingMs).unref()

  return {
    /** For the `upgrade` event of the server. */
    onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      socket.on('error', () => socket.destroy())
      void admit(request).then(
        (access) => {
          // Counted here, since others may have connected while the token was compared.
          if (server.clients.size >= MAX_CLIENTS)
            return refuse(socket, new ServiceError('unavailable', TOO_MANY))
          accessOf.set(request, access)
          server.handleUpgrade(request, socket, head, (client) => serve(client, access))
        },
        (error: unknown) => refuse(socket, error),
      )
    },
    /** Closes every connection with code 1001. */
    close(): void {
      clearInterval(pinging)
      for (const client of server.clients) client.close(1001, 'The service is stopping.')
      server.close()
      setTimeout(() => {
        for (const client of server.clients) client.terminate()
      }, 500).unref()
    },
  }

  async function admit(request: IncomingMessage): Promise<FeedAccess> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname !== '/ws') throw new ServiceError('not-found', 'WebSockets are at /ws only.')
    const headers = Object.entries(request.headers)
    const joined = headers.map(([name, value]) => [name, [value ?? ''].flat().join(', ')] as const)
    return admitToFeed({ url, headers: new Headers(Object.fromEntries(joined)) }, config)
  }

  function serve(client: WebSocket, { since, runId }: FeedAccess): void {
    alive.add(client)
    client.on('pong', () => alive.add(client))
    // A client may send pings without reading the answers.
    client.on('ping', () => client.bufferedAmount > MAX_BEHIND_BYTES && client.terminate())
    client.on('error', () => client.terminate())
    const send = (message: FeedMessage | FeedHello) => {
      if (client.bufferedAmount > MAX_BEHIND_BYTES) return client.terminate()
      client.send(JSON.stringify(message))
    }
    const isSameRun = runId === undefined || runId === feed.runId
    const missed = since !== undefined && isSameRun ? feed.since(since) : undefined
    // A client keeps the index of every message: if its connection is cut among the missed ones, it resumes there again.
    send({
      type: 'hello',
      runId: feed.runId,
      contractVersion: CONTRACT_VERSION,
      isResumed: missed !== undefined,
      index: missed && since !== undefined ? since : feed.index(),
    })
    for (const message of missed ?? snapshot()) send(message)
    const unsubscribe = feed.subscribe(send)
    client.once('close', unsubscribe)
  }

  function snapshot(): readonly FeedMessage[] {
    const view = roomState.view()
    const { state, role, room, players, guests, connections } = view
    const index = feed.index()
    return [
      { type: 'state', state, role, room, index },
      { type: 'profiles', profiles: players, index },
      { type: 'guests', guests, connections, index },
      { type: 'status', ...toStatusReport(view), index },
    ]
  }
}

function refuse(socket: Duplex, thrown: unknown): void {
  const { error, status, headers } = failureOf(thrown)
  const body = JSON.stringify({ error: error.detail, code: error.code })
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close'],
  ]
  // The server no longer looks after it: a client that never closes its side would keep it open.
  socket.once('finish', () => socket.destroy()).end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
