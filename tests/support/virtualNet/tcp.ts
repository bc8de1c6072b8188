import type { Connection } from '@lantern-room/easytier/transport'
import { type Endpoint, formatEndpoint } from '@lantern-room/easytier/wire'
import { connect, type Side } from './tcpEnd'
import { type Arrival, arrive, type Departure, depart, expected, lineBetween } from './ways'
import type { Dial, Machine, Process, World } from './world'

/** A Syn without an answer comes again after this, then after twice as long. */
const SYN_MS = 1000

/**
 * Opens a connection as TCP does: to a listener, or to somebody who dials just this port from just that address
 * (simultaneous open). Nobody there: silence, until the signal aborts. @throws Error when refused
 */
export function dialTcp(
  world: World,
  side: Omit<Side, 'remote'>,
  to: Endpoint,
  signal: AbortSignal,
): Promise<Connection> {
  const { machine, process, localPort } = side
  return shake(world, machine, process, localPort, to, signal, (departure, at, dial) => {
    const far = at.machine.process
    const accept = far.tcpListeners.get(at.port)
    const other = accept ? undefined : dialFrom(far, at.port, departure.from)
    // Dialled itself, where another house has the same addresses: nobody would own the second end.
    if (other === dial || (!accept && !other)) return new Error('connection refused')
    const farSide = { machine: at.machine, process: far, localPort: at.port, remote: departure.from }
    const [nearEnd, farEnd] = connect(world, { ...side, remote: to }, farSide)
    other?.succeed(farEnd.link)
    accept?.(farEnd.link)
    dial.succeed(nearEnd.link)
    return undefined
  })
}

/** Asks a STUN server over TCP as whom it sees connections from this port. */
export function stunTcp(
  world: World,
  machine: Machine,
  process: Process,
  localPort: number,
  server: Endpoint,
  signal: AbortSignal,
): Promise<Endpoint> {
  let seen: Endpoint = server
  return shake(world, machine, process, localPort, server, signal, (departure, at, dial) => {
    if (!at.machine.stunPorts.has(at.port)) return new Error('connection refused')
    seen = departure.from
    dial.succeed(NO_LINK)
    return undefined
  }).then(() => seen)
}

/** Sends Syns until somebody answers. `meet` decides, after a round trip, what comes of it: an error refuses. */
function shake(
  world: World,
  machine: Machine,
  process: Process,
  localPort: number,
  to: Endpoint,
  signal: AbortSignal,
  meet: (departure: Departure, at: Arrival, dial: Dial) => Error | undefined,
): Promise<Connection> {
  const { clock, random } = world
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    let isOver = false
    let pause = SYN_MS
    let cancel = () => {}
    const finish = (act: () => void) => {
      isOver = true
      cancel()
      process.dials.delete(dial)
      signal.removeEventListener('abort', onAbort)
      act()
    }
    const onAbort = () => finish(() => reject(signal.reason))
    const dial: Dial = {
      machine,
      process,
      localPort,
      to,
      isOver: () => isOver,
      succeed: (link) => finish(() => resolve(link)),
    }
    process.dials.add(dial)
    signal.addEventListener('abort', onAbort, { once: true })
    syn()

    function syn(): void {
      cancel = clock.after(pause, syn)
      pause *= 2
      const departure = machine.isOnline && process.isAlive && depart(world, machine, 'tcp', localPort, to)
      if (!departure) return
      const line = lineBetween(world, machine, expected(world, departure))
      if (line.isCut || (line.loss > 0 && random() < line.loss)) return
      clock.after(line.delayMs, () => {
        const at = isOver ? undefined : arrive(world, departure)
        if (at?.machine.isOnline) clock.after(line.delayMs, () => answered(departure, at))
      })
    }

    function answered(departure: Departure, at: Arrival): void {
      if (isOver || !machine.isOnline || !process.isAlive) return
      const refusal = meet(departure, at, dial)
      if (refusal) finish(() => reject(refusal))
    }
  })
}

function dialFrom(process: Process, port: number, to: Endpoint): Dial | undefined {
  const place = formatEndpoint(to)
  return [...process.dials].find((dial) => dial.localPort === port && formatEndpoint(dial.to) === place)
}

const NO_LINK: Connection = {
  transport: 'tcp',
  remote: { address: '0.0.0.0', port: 0 },
  localPort: 0,
  closed: Promise.resolve(),
  send() {},
  onPacket() {},
  close() {},
}
