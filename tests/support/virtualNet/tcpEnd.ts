import { createDeferred } from '@lantern-room/base/async'
import type { Endpoint } from '@lantern-room/easytier/wire'
import { lineBetween } from './ways'
import type { Machine, Process, TcpEnd, World } from './world'

export type Side = {
  readonly machine: Machine
  readonly process: Process
  readonly localPort: number
  readonly remote: Endpoint
}

/** As much as a socket lets wait; packets beyond that are dropped, as transports do it. */
const MAX_WAITING = 4 * 1024 * 1024
/** How often a cable that was pulled is looked at, and what a lost packet costs at least. */
const AGAIN_MS = 200

type Waiting = { readonly at: number; readonly size: number; readonly act: () => void }

/** Both ends of a connection that stands from now on. */
export function connect(world: World, one: Side, other: Side): readonly [TcpEnd, TcpEnd] {
  const isInside = one.machine.house !== undefined && one.machine.house === other.machine.house
  const near = tcpEnd(world, one, isInside)
  const far = tcpEnd(world, other, isInside)
  near.peer = far
  far.peer = near
  return [near, far]
}

function tcpEnd(world: World, { machine, process, localPort, remote }: Side, isInside: boolean): TcpEnd {
  const { clock, random } = world
  let listener: ((packet: Uint8Array) => void) | undefined
  const early: Uint8Array[] = []
  const queue: Waiting[] = []
  let waiting = 0
  let lastAt = 0
  let cancel: (() => void) | undefined
  const { promise: closed, resolve: tellClosed } = createDeferred()
  const end: TcpEnd = {
    machine,
    process,
    isInside,
    peer: undefined,
    isSevered: false,
    deliver(packet) {
      if (listener) listener(packet)
      else early.push(packet)
    },
    shut() {
      process.ends.delete(end)
      tellClosed()
    },
    link: {
      transport: 'tcp',
      remote,
      localPort,
      closed,
      send(packet) {
        if (!process.ends.has(end) || waiting + packet.length > MAX_WAITING) return
        const copy = packet.slice()
        carry(copy.length, () => end.peer?.process.ends.has(end.peer) && end.peer.deliver(copy))
      },
      onPacket(next) {
        listener = next
        for (const packet of early.splice(0)) next(packet)
      },
      close() {
        if (!process.ends.has(end)) return tellClosed()
        end.shut()
        carry(0, () => end.peer?.shut())
      },
    },
  }
  process.ends.add(end)
  return end

  /** In order, and held back while a cable is pulled. */
  function carry(size: number, act: () => void): void {
    if (end.isSevered || !process.isAlive) return
    const line = lineBetween(world, machine, end.peer?.machine)
    const repeated = line.loss > 0 && random() < line.loss ? Math.max(AGAIN_MS, 2 * line.delayMs) : 0
    const jitter = line.jitterMs > 0 ? random() * line.jitterMs : 0
    const at = Math.max(clock.now() + line.delayMs + jitter + repeated, lastAt)
    lastAt = at
    waiting += size
    queue.push({ at, size, act })
    if (!cancel) flushAt(at)
  }

  function flushAt(at: number): void {
    cancel = clock.after(at - clock.now(), () => flush(at))
  }

  /** @param due when it was to be called: a real timer may be a little early */
  function flush(due: number): void {
    cancel = undefined
    const { peer } = end
    if (!peer?.process.ends.has(peer) || end.isSevered) {
      clear()
      return
    }
    if (!machine.isOnline || !peer.machine.isOnline || lineBetween(world, machine, peer.machine).isCut) {
      flushAt(clock.now() + AGAIN_MS)
      return
    }
    const until = Math.max(due, clock.now())
    for (let next = queue[0]; next && next.at <= until; next = queue[0]) {
      queue.shift()
      waiting -= next.size
      next.act()
    }
    const [next] = queue
    if (next) flushAt(next.at)
  }

  function clear(): void {
    queue.length = 0
    waiting = 0
  }
}
