import { createDeferred } from '#core/async/deferred'
import type { PunchSocket } from '#core/easytier/holePunching/sockets/punchSockets'
import type { PunchContext } from '#core/easytier/holePunching/strategies/punchContext'
import { UNKNOWN_NAT } from '#core/easytier/nat/natObserver'
import type { Connection } from '#core/easytier/transport/transports'
import type { RpcMethodName } from '#core/easytier/wire/messages'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { createFakeClock } from '#support/network/fakeClock'
import { silentLog } from '#support/values/testLog'

export type Datagram = {
  readonly at: number
  /** The port of the socket that sends it. */
  readonly port: number
  readonly id: number
  readonly to: Endpoint
  readonly member: number
}

export type Call = { readonly at: number; readonly method: RpcMethodName; readonly request: Uint8Array }

/** Answers a call of the member. */
export type Answer = (call: Call) => Promise<Uint8Array>

type FakeSocket = {
  readonly socket: PunchSocket
  readonly receive: (id: number, from: Endpoint) => void
  isReleased: boolean
}

/**
 * What a strategy works with, over fake sockets with the ports 1, 2, 3, …: a router maps port n to 20.0.0.1:40000+n. All random
 * bytes are `random`.
 */
export function createPunchParts({
  answer = () => new Promise(() => {}),
  random = 0,
  changes = {},
}: {
  readonly answer?: Answer
  readonly random?: number
  readonly changes?: Partial<PunchContext>
} = {}) {
  const clock = createFakeClock()
  const controller = new AbortController()
  const calls: Call[] = []
  const datagrams: Datagram[] = []
  const attached: unknown[] = []
  const dialled: (Endpoint & { readonly port: number; readonly from: number })[] = []
  const opened: FakeSocket[] = []
  const open = async (): Promise<PunchSocket> => {
    const port = opened.length + 1
    const listeners = new Set<(id: number, from: Endpoint) => void>()
    const udp = {
      port,
      accept() {},
      onPunch(listener: (id: number, from: Endpoint) => void) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      async dial(to: Endpoint) {
        dialled.push({ ...to, from: port })
        return { closed: createDeferred().promise } as Connection
      },
    }
    const fake: FakeSocket = {
      isReleased: false,
      receive(id, from) {
        for (const listener of [...listeners]) listener(id, from)
      },
      socket: {
        udp: udp as unknown as PunchSocket['udp'],
        connections: 0,
        carry() {},
        release() {
          fake.isReleased = true
        },
      },
    }
    opened.push(fake)
    return fake.socket
  }
  const context = {
    clock,
    randomBytes: (size: number) => new Uint8Array(size).fill(random),
    log: silentLog(),
    natInfo: () => UNKNOWN_NAT,
    stun: {
      queryFirst: async ({ port }: { readonly port: number }) => ({
        address: '20.0.0.1',
        port: 40_000 + port,
      }),
    },
    rpcClient: {
      call(_peerId: number, method: RpcMethodName, request: Uint8Array) {
        const call = { at: clock.now(), method, request }
        calls.push(call)
        return answer(call)
      },
    },
    datagrams: {
      punch({ port }: { readonly port: number }, id: number, to: Endpoint, member: number) {
        datagrams.push({ at: clock.now(), port, id, to, member })
      },
    },
    sockets: { open, openMany: (count: number) => Promise.all(Array.from({ length: count }, open)) },
    attach: (_connection: Connection, origin: unknown) => void attached.push(origin),
    ...changes,
  } as unknown as PunchContext
  return {
    clock,
    controller,
    signal: controller.signal,
    context,
    calls,
    datagrams,
    attached,
    dialled,
    /** Ports of the sockets that are still open. */
    openPorts: () => opened.flatMap(({ isReleased }, at) => (isReleased ? [] : [at + 1])),
    receive: (port: number, id: number, from: Endpoint) => opened[port - 1]?.receive(id, from),
  }
}

/** The text of a failure, as soon as there is one. */
export function failureOf(work: Promise<unknown>): { text: string | undefined } {
  const failure: { text: string | undefined } = { text: undefined }
  work.catch((error: unknown) => {
    failure.text = String(error)
  })
  return failure
}
