import { sleep } from '#core/async/alarm'
import { askTcp } from '#core/easytier/nat/askStun'
import type { Connection } from '#core/easytier/transport/transports'
import { rpcMethods } from '#core/easytier/wire/messages'
import { type Endpoint, fromSocketAddr, toSocketAddr } from '#core/easytier/wire/socketAddress'
import { fraction, type PunchContext } from '../punchContext'
import { punchable } from '../sockets/targets'
import { limited } from '../timing'

/** Two TCP connections from ports whose public addresses are known meet: a simultaneous open. */

const CALL_MS = 6000
/** Real nodes dial for 3 s and then listen for 10 s; the other side dials 5 times within 10 s. */
const DIAL_MS = 3000
const LISTEN_MS = 7000
const SERVE_MS = 10_000
const SERVE_TRIES = 5
/** A router that refuses what it does not know yet answers at once: the next try may meet the other side's. */
const CALLER_TRIES = 30
const SHORTEST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 100
/** A port may be taken. */
const PORT_TRIES = 3
const FIRST_PORT = 20_000
const PORTS = 40_000

type MappedPort = { readonly port: number; readonly mapped: Endpoint }

/** The caller's part. The asked side says the handshake first, so the caller is the listener of the link. */
export async function punchTcp(context: PunchContext, peerId: number, signal: AbortSignal): Promise<void> {
  const { asking, attach, transports, clock } = context
  const { port, mapped } = await mapPort(context, signal)
  const request = rpcMethods.exchangeMappedAddr.request.encode({ connectorMappedAddr: toSocketAddr(mapped) })
  const answer = await asking.ask(peerId, 'exchangeMappedAddr', request, CALL_MS, signal)
  const response = rpcMethods.exchangeMappedAddr.response.decode(answer)
  const far = punchable(fromSocketAddr(response?.listenerMappedAddr))
  const take = (link: Connection) => attach(link, { isDialler: false, expectPeer: peerId, isPunched: true })
  const link = await dialFrom(context, { port, to: far, tries: CALLER_TRIES, limitMs: DIAL_MS }, signal)
  if (link) {
    take(link)
    // The signal ends this when the handshake is done.
    return sleep(clock, LISTEN_MS, signal)
  }
  await listen(transports, port, take, (either) => sleep(clock, LISTEN_MS, either), signal)
}

/**
 * The asked side's part. Resolves at once with the address that the caller is to dial, and dials it meanwhile.
 * @throws Error when the own address cannot be found
 */
export async function serveTcp(
  context: PunchContext,
  far: Endpoint,
  from: number,
  signal: AbortSignal,
): Promise<Endpoint> {
  const { attach, log } = context
  const { port, mapped } = await mapPort(context, signal)
  const wish = { port, to: far, tries: SERVE_TRIES, limitMs: SERVE_MS }
  dialFrom(context, wish, signal).then(
    (link) => link && attach(link, { isDialler: true, expectPeer: from, isPunched: true }),
    (error: unknown) => log.debug('TCP was not punched', { member: from, cause: String(error) }),
  )
  return mapped
}

/** A free port and its public address. */
async function mapPort(context: PunchContext, signal: AbortSignal): Promise<MappedPort> {
  const servers = context.view().tcpServers
  let problem: unknown = new Error('no STUN server for TCP is known')
  for (let at = 0; at < PORT_TRIES; at += 1) {
    const server = servers[at % servers.length]
    if (!server) break
    const port = FIRST_PORT + Math.floor(fraction(context) * PORTS)
    try {
      return { port, mapped: await askTcp(server, port, context, signal) }
    } catch (error) {
      signal.throwIfAborted()
      problem = error
    }
  }
  throw problem
}

/** @returns undefined when it was not answered in time */
async function dialFrom(
  context: PunchContext,
  wish: { readonly port: number; readonly to: Endpoint; readonly tries: number; readonly limitMs: number },
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const { transports, clock } = context
  const until = clock.now() + wish.limitMs
  for (let at = 0; at < wish.tries && clock.now() < until; at += 1) {
    const ms = Math.min(DIAL_MS, until - clock.now())
    const link = await limited(clock, ms, signal, (either) =>
      transports.dialTcp(wish.to, either, { localPort: wish.port }),
    ).catch(() => undefined)
    if (signal.aborted) link?.close()
    signal.throwIfAborted()
    if (link) return link
    const pause = SHORTEST_PAUSE_MS + fraction(context) * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS)
    await sleep(clock, pause, signal)
  }
  return undefined
}

/** Our router still lets the other side in: it may be the one that dials last. */
async function listen(
  transports: PunchContext['transports'],
  port: number,
  take: (link: Connection) => void,
  wait: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const { closed } = await transports.listenTcp(port, take, either)
  try {
    await wait(signal)
  } finally {
    stop.abort(new Error('the time is over'))
    await closed
  }
}
