import { createHash } from 'node:crypto'
import { createSystemClock } from '@lantern-room/adapters/system'
import { within } from '@lantern-room/base/async'
import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
import {
  generatePrivateRoomCode,
  generateRoomCode,
  type RoomCode,
  type RoomPrivacy,
} from '@lantern-room/protocol'
import type {
  ExposedPorts,
  GuestConnection,
  HostConnection,
  Incoming,
  JoinStep,
  NetworkEvent,
  RoomNetwork,
} from '@lantern-room/room/network'
import type { HostCredentials } from '@lantern-room/room/ports'
import * as assert from 'uvu/assert'
import { echoAll } from '#support/network/byteStreams'
import { testCredentials } from '#support/room/testCredentials'
import type { Test } from '#support/runner/suite'

/** Where one test takes place: a network of its own. */
export type NetworkFixture = {
  /** The network layer of another player each time; the first one hosts. */
  roomNetwork(): RoomNetwork
  /** The line between host and guests; absent where it cannot be cut. */
  readonly line?: {
    cut(room: RoomCode): Promise<void>
    heal(room: RoomCode): Promise<void>
  }
  /** What is still open; asked when all has been stopped. */
  leaks(): readonly string[]
  close(): Promise<void>
}

/** What tells one network from another; everything else is the same for all. */
export type NetworkTraits = {
  /** The kind of room in which streams are tried; open by default. */
  readonly privacy?: RoomPrivacy
  /** Whether a guest sees every member at once. */
  readonly seesEveryHost: boolean
  /** Bytes of the large transfer, each way. */
  readonly bulk: number
  /** How long it may take to find that nobody hosts. */
  readonly searchMs: number
}

/** A test and the fixture that it stands on, a new one each time. */
export type NetworkTest = {
  readonly test: Test<unknown>
  readonly fixture: () => NetworkFixture
  readonly traits: NetworkTraits
}

export const ROOM_PORT = 13_448
export const GAME_PORT = 25_565
export const exposed: ExposedPorts = { tcp: [ROOM_PORT, GAME_PORT], udp: [GAME_PORT] }

export type OpenHost = {
  readonly session: HostConnection
  readonly room: RoomCode
  /** What came in, in order. */
  readonly streams: (Incoming & { readonly stream: ByteStream })[]
  readonly flows: (Incoming & { readonly flow: DatagramFlow })[]
  /** Ends the session and waits until nothing of it is left. */
  stop(): Promise<void>
}

/** A host that sends back what it gets, unless `onStream` says otherwise. */
export async function openHost(
  roomNetwork: RoomNetwork,
  options: {
    room?: RoomCode
    credentials?: HostCredentials
    /** Of a new code. */
    privacy?: RoomPrivacy
    onStream?: (stream: ByteStream, port: number) => void
  } = {},
): Promise<OpenHost> {
  const { privacy = 'open', credentials = testCredentials(), onStream = echoAll } = options
  const { room = privacy === 'open' ? generateRoomCode() : generatePrivateRoomCode() } = options
  const controller = new AbortController()
  const streams: OpenHost['streams'] = []
  const flows: OpenHost['flows'] = []
  const session = await roomNetwork.host({
    room,
    roomPort: ROOM_PORT,
    exposed,
    credentials,
    signal: controller.signal,
    onStream(stream, from) {
      streams.push({ stream, ...from })
      onStream(stream, from.port)
    },
    onFlow(flow, from) {
      flows.push({ flow, ...from })
      flow.onDatagram((bytes) => flow.send(bytes))
    },
  })
  return {
    session,
    room,
    streams,
    flows,
    async stop() {
      controller.abort(new Error('the host stops'))
      await session.closed
    },
  }
}

export type OpenGuest = {
  readonly session: GuestConnection
  readonly steps: readonly JoinStep[]
  readonly events: readonly NetworkEvent[]
  /** Waits for an event of this kind after the ones that were waited for before. */
  next(kind: NetworkEvent['kind'], limitMs?: number): Promise<NetworkEvent>
  stop(): Promise<void>
}

export async function openGuest(
  roomNetwork: RoomNetwork,
  room: RoomCode,
  { signal, hostKey }: { signal?: AbortSignal; hostKey?: Uint8Array | undefined } = {},
): Promise<OpenGuest> {
  const controller = new AbortController()
  const steps: JoinStep[] = []
  const events: NetworkEvent[] = []
  const session = await roomNetwork.join({
    room,
    hostKey,
    onStep: (step) => void steps.push(step),
    signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
  })
  let taken = 0
  let wake = () => {}
  session.onEvent((event) => {
    events.push(event)
    wake()
  })
  return {
    session,
    steps,
    events,
    next: (kind, limitMs = 60_000) =>
      inTime(limitMs, `the event ${kind}`, async () => {
        for (;;) {
          const event = events[taken]
          if (event) taken += 1
          if (event?.kind === kind) return event
          if (!event)
            await new Promise<void>((resolve) => {
              wake = resolve
            })
        }
      }),
    async stop() {
      controller.abort(new Error('the guest stops'))
      await session.closed
    },
  }
}

/** A host and a guest of its room. */
export async function openPair(fixture: NetworkFixture, options: Parameters<typeof openHost>[1] = {}) {
  const host = await openHost(fixture.roomNetwork(), options)
  const guest = await openGuest(fixture.roomNetwork(), host.room)
  return { host, guest, stop: () => Promise.all([guest.stop(), host.stop()]) }
}

/** Sends bytes, which must come back. */
export async function echo(stream: ByteStream, bytes: readonly number[] = [9, 8, 7]): Promise<void> {
  await stream.write(Uint8Array.from(bytes))
  assert.equal([...(await inTime(60_000, 'the echo', () => readBytes(stream, bytes.length)))], bytes)
}

/** Reads exactly so many bytes. */
export async function readBytes(stream: ByteStream, size: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for (let length = 0; length < size; ) {
    const piece = await stream.read()
    if (!piece) throw new Error(`closed after ${length} of ${size} bytes`)
    pieces.push(piece)
    length += piece.length
  }
  return Buffer.concat(pieces)
}

export async function writeAll(stream: ByteStream, bytes: Uint8Array, piece: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += piece) await stream.write(bytes.slice(at, at + piece))
}

export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function inTime<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
  return within(createSystemClock(), ms, work(), () => new Error(`${what} did not come in ${ms} ms`))
}
