import type { Log } from '@lantern-room/base'
import { createEmitter } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import type { Denial } from '@lantern-room/base/limits'
import type { MemberShare } from '#internal/protocol/members'
import { createPlayerRegistry } from '#internal/protocol/scaffolding/players/registry'
import { createScaffoldingServer } from '#internal/protocol/scaffolding/server'
import type { Commands } from '#internal/protocol/scaffolding/serverCommands'
import {
  createFrameReader,
  decodeResponse,
  encodeRequest,
  type ResponseFrame,
} from '#internal/protocol/scaffolding/wire/frames'
import { createFakeClock, type FakeClock } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { hex } from '#support/values/hex'
import vectors from '../../../fixtures/room/scaffolding-frames.json'
import { OPEN_SERVER } from './openPolicy'

export const HOST = { name: 'Alex', machineId: 'a'.repeat(32), vendor: 'Demo 1.0' }
export const STEVE = { name: 'Steve', machineId: '0123456789abcdef0123456789abcdef', vendor: 'Demo 1.0' }

/** Steve as a player's ping tells of it. */
export const wire = { name: 'Steve', machine_id: STEVE.machineId, vendor: 'Demo 1.0' }

/** A room's host on held time. */
export function createHosted(extraCommands: Commands = {}, offeredCommands: Commands = {}) {
  /** `member share`, for each time that a member had too much, and what became of it where it was not refused. */
  const overShares: string[] = []
  const onOverShare = (memberId: string, share: MemberShare, denial?: Denial) =>
    void overShares.push([memberId, share, denial].filter(Boolean).join(' '))
  const clock: FakeClock = createFakeClock()
  const stop = new AbortController()
  const lines: string[] = []
  const note = (message: string) => void lines.push(message)
  const log: Log = { debug: () => {}, info: note, warn: note, error: note }
  const portChanges = createEmitter<void>()
  let port: number | undefined = 25565
  const world = {
    get port() {
      return port
    },
    set port(next: number | undefined) {
      port = next
      portChanges.emit()
    },
  }
  const connections: { readonly stream: ByteStream; readonly served: Promise<void> }[] = []
  const registry = createPlayerRegistry({ host: HOST, clock, onOverShare, signal: stop.signal })
  const server = createScaffoldingServer({
    ...OPEN_SERVER,
    registry,
    gamePort: () => world.port,
    onGamePort: portChanges.subscribe,
    clock,
    log,
    extraCommands,
    offeredCommands,
    onOverShare,
    signal: stop.signal,
  })
  /** The connections that the host serves. */
  const serving = new Set<ByteStream>()
  return { clock, stop, lines, world, registry, server, overShares, connections, serving }
}

export type Hosted = ReturnType<typeof createHosted>

/** Breaks the connections that `connect` has made, and waits until the host has noticed. */
export async function disconnect({ connections }: Hosted): Promise<void> {
  for (const { stream } of connections) stream.destroy()
  await Promise.all(connections.map(({ served }) => served))
}

/** A request as a guest sends it. */
export const encode = (kind: string, body: string | Uint8Array = '') =>
  encodeRequest({ kind, body: typeof body === 'string' ? new TextEncoder().encode(body) : body })

/** A connection of a member to a host. */
export function connect(hosted: Hosted, { capacity = 1024 * 1024, memberId = 'a member' } = {}) {
  const [stream, far] = streamPair({ capacity })
  hosted.serving.add(stream)
  const served = hosted.server.serve(far, memberId).finally(() => hosted.serving.delete(stream))
  hosted.connections.push({ stream, served })
  const read = createFrameReader(stream, decodeResponse)
  const ask = async (request: Uint8Array) => {
    await stream.write(request)
    return read()
  }
  return { stream, served, read, ask }
}

/** A response as its status and its text. */
export function shown(response: ResponseFrame | undefined): string {
  return response ? `${response.status} ${new TextDecoder().decode(response.data)}` : 'closed'
}

type Exchange = (typeof vectors.exchanges)[number]

/** The recorded exchanges as bytes, both ways. */
export const exchanges = vectors.exchanges.map((exchange) => ({
  name: exchange.name,
  request: requestOf(exchange),
  /** Whole, or only the status where the text is everyone's own. */
  response: responseOf(exchange),
}))

function requestOf({ request, requestKind, requestText }: Exchange): Uint8Array {
  if (request !== undefined) return hex(request)
  const kind = new TextEncoder().encode(requestKind)
  const body = new TextEncoder().encode(requestText)
  return Uint8Array.of(kind.length, ...kind, 0, 0, body.length >> 8, body.length & 0xff, ...body)
}

function responseOf({ response, responseStatus, responseLength, responseText }: Exchange): Uint8Array {
  if (response !== undefined) return hex(response)
  const text = new TextEncoder().encode(responseText ?? '')
  return Uint8Array.of(...hex(`${responseStatus}${responseLength ?? ''}`), ...text)
}
