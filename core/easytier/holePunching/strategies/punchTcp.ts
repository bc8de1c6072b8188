import { sleep, withDeadline } from '@lantern-room/base/async'
import { queryTcp } from '#easytier/nat/queryStun'
import { randomFraction, randomLocalPort } from '#easytier/random'
import type { Connection } from '#easytier/transport/transports'
import { type Endpoint, fromSocketAddr, toSocketAddr } from '#easytier/wire/socketAddress'
import { punchable } from '../sockets/punchDatagrams'
import type { PunchContext } from './punchContext'

/** A TCP simultaneous open, between two ports whose public addresses are known. */

const CALL_MS = 6000
/** Real nodes dial for 3 s and then listen for 10 s; the other side dials 5 times within 10 s. */
const DIAL_MS = 3000
const LISTEN_MS = 7000
const SERVE_MS = 10_000
const SERVE_TRIES = 5
/** A router that rejects unknown packets answers at once: the next try may meet the other side's. */
const CALLER_TRIES = 30
const MIN_PAUSE_MS = 10
const MAX_PAUSE_MS = 100
/** The chosen port may be in use. */
const PORT_TRIES = 3

type MappedPort = { readonly port: number; readonly mapped: Endpoint }

type Dial = {
  readonly localPort: number
  readonly to: Endpoint
  readonly tries: number
  readonly limitMs: number
}

/** The client's part. The server starts the handshake, so the client takes the listener's role. */
export async function punchTcp(context: PunchContext, peerId: number, signal: AbortSignal): Promise<void> {
  const { rpcClient, attach, transports, clock } = context
  const { port, mapped } = await mapPort(context, signal)
  const request = { connectorMappedAddr: toSocketAddr(mapped) }
  const response = await rpcClient.call(peerId, 'exchangeMappedAddr', request, CALL_MS, signal)
  const to = punchable(fromSocketAddr(response?.listenerMappedAddr))
  const take = (connection: Connection) =>
    attach(connection, { isDialler: false, expectPeer: peerId, isPunched: true })
  const dial = { localPort: port, to, tries: CALLER_TRIES, limitMs: DIAL_MS }
  const connection = await dialRepeatedly(context, dial, signal)
  if (connection) {
    take(connection)
    // The signal ends this when the handshake is done.
    return sleep(clock, LISTEN_MS, signal)
  }
  // Our router still lets the other side in, whose connection may be the one that succeeds.
  const stop = new AbortController()
  const { closed } = await transports.listenTcp(port, take, AbortSignal.any([signal, stop.signal]))
  try {
    await sleep(clock, LISTEN_MS, signal)
  } finally {
    stop.abort(new Error('no connection came in time'))
    await closed
  }
}

/**
 * The server's part. Resolves at once with the address that the client has to dial, and dials the client meanwhile.
 * @throws Error when no STUN server reports our address
 */
export async function servePunchTcp(
  context: PunchContext,
  to: Endpoint,
  from: number,
  signal: AbortSignal,
): Promise<Endpoint> {
  const { attach, log } = context
  const { port, mapped } = await mapPort(context, signal)
  const dial = { localPort: port, to, tries: SERVE_TRIES, limitMs: SERVE_MS }
  dialRepeatedly(context, dial, signal).then(
    (connection) => connection && attach(connection, { isDialler: true, expectPeer: from, isPunched: true }),
    (error: unknown) => log.debug('TCP hole punching failed', { member: from, cause: String(error) }),
  )
  return mapped
}

/** A free port and its public address. */
async function mapPort(context: PunchContext, signal: AbortSignal): Promise<MappedPort> {
  const servers = context.natInfo().tcpServers
  let problem: unknown = new Error('no STUN server for TCP is known')
  for (let count = 0; count < PORT_TRIES; count += 1) {
    const server = servers[count % servers.length]
    if (!server) break
    const port = randomLocalPort(context.randomBytes)
    try {
      return { port, mapped: await queryTcp(context, server, port, signal) }
    } catch (error) {
      signal.throwIfAborted()
      problem = error
    }
  }
  throw problem
}

/** @returns undefined when nothing answered in time */
async function dialRepeatedly(
  context: PunchContext,
  dial: Dial,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const { transports, clock } = context
  const { localPort, to } = dial
  const until = clock.now() + dial.limitMs
  for (let count = 0; count < dial.tries && clock.now() < until; count += 1) {
    const limitMs = Math.min(DIAL_MS, until - clock.now())
    const connection = await withDeadline(
      clock,
      limitMs,
      signal,
      () => new Error('no answer'),
      (either) => transports.dialTcp(to, either, { localPort }),
    ).catch(() => undefined)
    if (signal.aborted) connection?.close()
    signal.throwIfAborted()
    if (connection) return connection
    const pauseMs = MIN_PAUSE_MS + randomFraction(context.randomBytes) * (MAX_PAUSE_MS - MIN_PAUSE_MS)
    await sleep(clock, pauseMs, signal)
  }
  return undefined
}
