import { ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { createEmitter, onAbort, withDeadline, within } from '@lantern-room/base/async'
import { type ByteStream, CLOSED_FLOW } from '@lantern-room/base/bytes'
import { setNewest } from '@lantern-room/base/limits'
import type { OwnPorts, PortTransport, PortUse } from '@lantern-room/base/network'
import { SERVER_NAME } from '@lantern-room/base/network'
import { isVerified } from '@lantern-room/game'
import type { LocalNet, ProbeGame } from '@lantern-room/game/ports'
import type { ExtraPort } from '@lantern-room/protocol'

export type PortGuard = ReturnType<typeof createPortGuard>

/** The ports that a request wants to share. */
type SharingOrder = {
  readonly gamePort?: number | undefined
  readonly extraPorts?: readonly ExtraPort[]
  /** Where the room protocol is going to listen, if the request opens a room. */
  readonly scaffoldingPort?: number
}

type SharedPort = { readonly [T in PortTransport]?: number | undefined }

/** A port that a request names. */
type WantedPort = {
  /** The name by which the client knows it. */
  readonly field: string
  readonly transport: PortTransport
  readonly port: number
  /** The purpose that the request gives the port, if any. */
  readonly use: PortUse | undefined
}

/** How long a service may take to answer. */
const ANSWER_MS = 1000
/** For so long an order waits for that: a service of this machine answers within a few milliseconds, a world keeps silent. */
const ORDER_MS = 80
/** A timer that is so late shows a busy machine, whose services are late, too: there the order waits for the whole answer. */
const BUSY_MS = 20
/** Several times the ports of a room. */
const MAX_CHECKED = 256
const MAX_HEAD = 8192
const HEAD_END = '\r\n\r\n'
const REQUEST = 'HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'

const USES: Readonly<Record<PortUse | 'service', string>> = {
  api: 'where this program takes orders',
  media: 'used by the motion photo API',
  metrics: 'used by the metrics',
  room: 'used by the room protocol',
  forward: 'used by this program, and leads to a friend’s room',
  network: 'used by this program’s network',
  service: 'used by another Lantern Room on this machine',
}

type PortGuardDependencies = {
  readonly ownPorts: OwnPorts
  readonly localNet: Pick<LocalNet, 'connect'>
  /** Whether an address is one of this machine's. */
  readonly isHere: (address: string) => boolean
  readonly clock: Clock
  readonly stopping: AbortSignal
}

/** Tells ports that may be shared from those of this program, and of others of its kind on this machine. */
export function createPortGuard(dependencies: PortGuardDependencies) {
  const { ownPorts, isHere, clock, stopping } = dependencies
  /** What is known of TCP ports that were ordered: whether a service has them, or a promise of it. */
  const checked = new Map<number, boolean | Promise<boolean>>()
  const changes = createEmitter<void>()
  return {
    /** Whether this program has one of its transports, or another service of its kind, as far as that is known. */
    isOwn: ({ tcp, udp }: SharedPort): boolean =>
      (tcp !== undefined && (ownPorts.useOf('tcp', tcp) !== undefined || checked.get(tcp) === true)) ||
      (udp !== undefined && ownPorts.useOf('udp', udp) !== undefined),

    /** Whether it is still being found out what has the port: nobody may reach it meanwhile. */
    isUnknown: ({ tcp }: SharedPort): boolean => tcp !== undefined && typeof checked.get(tcp) === 'object',

    /** Calls when a port is not unknown any more. */
    onKnown: changes.subscribe,

    /** A probe that passes over what is no game on this machine: this program, and others of its kind. */
    guard:
      (probe: ProbeGame): ProbeGame =>
      (at, signal) =>
        isHere(at.address) ? probeHere(probe, at, signal) : probe(at, signal),

    /**
     * Takes less than 100 ms, unless the machine is busy: what is not known by then is found out while the room is being opened.
     * @param isPatient waits for the whole answer: a second at most
     * @throws ServiceError `invalid-request` that names the first field with a port that no room may lead to
     */
    async refuse(order: SharingOrder, isPatient = false): Promise<void> {
      const wanted = wantedPorts(order)
      const uses = await Promise.all(wanted.map((one) => useOf(one, isPatient)))
      wanted.forEach((one, at) => {
        const use = uses[at]
        if (use) throw new ServiceError('invalid-request', refusalOf(one, use))
      })
    },
  }

  /** As `guard`, at an address of this machine. */
  async function probeHere(probe: ProbeGame, at: Parameters<ProbeGame>[0], signal: AbortSignal) {
    if (ownPorts.useOf('tcp', at.port) || checked.get(at.port) === true) return undefined
    const status = await probe(at, signal)
    if (!status || isVerified(status)) return status
    return (await isServiceAt(at.port, dependencies, signal)) ? undefined : status
  }

  async function useOf(
    { transport, port, use }: WantedPort,
    isPatient: boolean,
  ): Promise<PortUse | 'service' | undefined> {
    const own = ownPorts.useOf(transport, port) ?? use
    if (own || transport === 'udp') return own
    const checking = check(port)
    return (await (isPatient ? checking : promptly(checking))) ? 'service' : undefined
  }

  async function promptly(checking: Promise<boolean>): Promise<boolean> {
    const startedAt = clock.now()
    const late = () => new Error('nothing answers yet')
    const isService = await within(clock, ORDER_MS, checking, late).catch(() => undefined)
    if (isService !== undefined) return isService
    return clock.now() - startedAt > ORDER_MS + BUSY_MS ? checking : false
  }

  function check(port: number): Promise<boolean> {
    const before = checked.get(port)
    if (typeof before === 'object') return before
    const checking = isServiceAt(port, dependencies, stopping).then((isService) => {
      setNewest(checked, port, isService, MAX_CHECKED)
      changes.emit()
      return isService
    })
    setNewest(checked, port, checking, MAX_CHECKED)
    return checking
  }
}

function wantedPorts({ gamePort, extraPorts = [], scaffoldingPort }: SharingOrder): readonly WantedPort[] {
  return [
    ...wanted('gamePort', 'tcp', gamePort),
    ...extraPorts.flatMap(({ tcp, udp }, at) => [
      ...wanted(`ports.${at}.tcp`, 'tcp', tcp),
      ...wanted(`ports.${at}.udp`, 'udp', udp),
    ]),
  ]

  function wanted(field: string, transport: PortTransport, port: number | undefined): readonly WantedPort[] {
    if (port === undefined) return []
    const isRoomPort = transport === 'tcp' && port === scaffoldingPort
    return [{ field, transport, port, use: isRoomPort ? 'room' : undefined }]
  }
}

const SERVER_LINE = new RegExp(`^HTTP/1\\.[01] .*\\r\\nServer: ${SERVER_NAME}(\\r\\n|$)`, 'is')

function refusalOf({ field, transport, port }: WantedPort, use: keyof typeof USES): string {
  return `${field}: ${transport.toUpperCase()} port ${port} is ${USES[use]}, which no guest may reach. Give the port of your world, which the game shows, or of a program that you want to share.`
}

/** Whether a service of this kind answers, be it in another process. Takes a second at most. */
async function isServiceAt(port: number, { localNet, clock }: PortGuardDependencies, signal: AbortSignal) {
  const late = () => new Error('no answer')
  try {
    return await withDeadline(clock, ANSWER_MS, signal, late, async (limited) => {
      const stream = await localNet.connect(port, limited)
      const unsubscribe = onAbort(limited, () => stream.destroy())
      try {
        await stream.write(new TextEncoder().encode(REQUEST))
        return SERVER_LINE.test(await readHead(stream))
      } finally {
        unsubscribe()
        stream.destroy()
      }
    })
  } catch {
    return false
  }
}

/** The lines before the first empty one. */
async function readHead(stream: ByteStream): Promise<string> {
  const decoder = new TextDecoder('latin1')
  let text = ''
  while (!text.includes(HEAD_END) && text.length < MAX_HEAD) {
    const bytes = await stream.read()
    if (bytes === undefined) break
    text += decoder.decode(bytes, { stream: true })
  }
  return text.split(HEAD_END, 1)[0] ?? ''
}

/**
 * Notes the ports on which rooms listen, and refuses to lead anything to a port of this program: the last defence, by whatever
 * order, announcement or kept room a port came to be shared.
 */
export function guardLocalNet(localNet: LocalNet, ownPorts: OwnPorts): LocalNet {
  return {
    async listen(ports, onStream, signal, at) {
      const listening = await localNet.listen(ports, onStream, signal, at)
      // Only games come to a forward, and these use every address.
      const forget = ownPorts.add('tcp', listening.port, at === 'every-address' ? 'forward' : 'room')
      void listening.closed.then(forget)
      return listening
    },

    async listenDatagrams(port, onFlow, signal) {
      const isOpen = await localNet.listenDatagrams(port, onFlow, signal)
      if (isOpen) onAbort(signal, ownPorts.add('udp', port, 'forward'))
      return isOpen
    },

    async connect(port, signal, address) {
      if (ownPorts.useOf('tcp', port)) throw new Error(`TCP port ${port} is this program’s own`)
      return localNet.connect(port, signal, address)
    },

    openDatagrams: (port, address) =>
      ownPorts.useOf('udp', port) ? CLOSED_FLOW : localNet.openDatagrams(port, address),
  }
}
