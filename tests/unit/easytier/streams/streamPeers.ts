import type { StreamHandle } from '#internal/easytier/streams/byteStream'
import type { StreamEndpoint } from '#internal/easytier/streams/streamPacket'
import type { StreamLimits } from '#internal/easytier/streams/streamPlaces'
import { Streams } from '#internal/easytier/streams/streams'
import { assert } from '#support/runner/suite'
import type { Link, LinkOptions, Simulation } from './simulation'

export type StreamPeer = {
  readonly id: number
  readonly streams: Streams
  /** What it has accepted. */
  readonly accepted: { readonly handle: StreamHandle; readonly destination: StreamEndpoint }[]
  /** Streams that were refused because there were too many. */
  refused: number
  /** Towards the other one. */
  readonly link: Link
  /** Sees every packet before it is sent; false drops it. */
  filter: (type: number, payload: Uint8Array) => boolean
}

export type StreamPeers = {
  readonly opener: StreamPeer
  readonly acceptor: StreamPeer
  /** To be called after every event: lets both do what is due and plans the next time. */
  settle(): void
  /** Begins to open a stream. @returns its end once there is one, and what the opening failed with */
  start(route?: typeof ROUTE): {
    readonly found: { handle?: StreamHandle }
    readonly failure: Promise<unknown>
  }
  /** @returns both ends of a new stream */
  open(): Promise<[StreamHandle, StreamHandle]>
}

export const ROUTE = {
  source: { address: 0x7f000001, port: 50_000 },
  destination: { address: 0x0a909001, port: 25_565 },
}

/** What lies around a packet of a stream on the wire: header 16, seal 28, transport 8, UDP and IP 28. */
export const WIRE_OVERHEAD = 80

/** Two tables of streams with a line between. */
export function createStreamPeers(
  simulation: Simulation,
  there: LinkOptions,
  back: LinkOptions = there,
  limits: Partial<StreamLimits> = {},
): StreamPeers {
  let plannedAt = Number.POSITIVE_INFINITY

  const settle = () => {
    for (const { streams } of [opener, acceptor]) {
      if (streams.nextDeadline() <= simulation.now) streams.tick(simulation.now)
    }
    const next = Math.min(opener.streams.nextDeadline(), acceptor.streams.nextDeadline())
    if (plannedAt > simulation.now && plannedAt <= next) return
    if (next === Number.POSITIVE_INFINITY) return
    plannedAt = Math.max(next, simulation.now)
    simulation.at(plannedAt, () => {})
  }

  const createPeer = (id: number, options: LinkOptions, other: () => StreamPeer): StreamPeer => {
    const link = simulation.link(options)
    const accepted: StreamPeer['accepted'] = []
    const peer: StreamPeer = {
      id,
      link,
      accepted,
      refused: 0,
      filter: () => true,
      streams: new Streams({
        ownId: id,
        limits,
        random32: simulation.random32,
        wake: () => {},
        onRefused() {
          peer.refused += 1
        },
        accepts: ({ address, port }) =>
          address === ROUTE.destination.address && port === ROUTE.destination.port,
        onStream: (handle, destination) => accepted.push({ handle, destination }),
        send(_to, type, payload) {
          if (!peer.filter(type, payload)) return
          const copy = payload.slice()
          link.send(copy.length, () => other().streams.receive(type, copy, id, simulation.now))
        },
      }),
    }
    return peer
  }
  const opener: StreamPeer = createPeer(1001, there, () => acceptor)
  const acceptor: StreamPeer = createPeer(2002, back, () => opener)
  const start: StreamPeers['start'] = (route = ROUTE) => {
    const { opened } = opener.streams.open(acceptor.id, route, simulation.now)
    const found: { handle?: StreamHandle } = {}
    const failure = opened.then(
      (handle) => void Object.assign(found, { handle }),
      (error: unknown) => error,
    )
    return { found, failure }
  }

  return {
    opener,
    acceptor,
    settle,
    start,
    async open() {
      const before = acceptor.accepted.length
      const { found } = start()
      const isOpen = () => found.handle !== undefined && acceptor.accepted.length > before
      await simulation.runAsync(simulation.now + 11_000, isOpen, settle)
      const there = acceptor.accepted[before]?.handle
      assert.ok(found.handle && there, 'the stream did not open')
      return [found.handle, there]
    },
  }
}
