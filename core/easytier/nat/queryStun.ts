import type { Clock } from '@lantern-room/base/async'
import { createDeferred, onAbort, repeat, withDeadline } from '@lantern-room/base/async'
import { equalBytes } from '@lantern-room/base/bytes'
import type { Transports } from '../transport/transports'
import type { UdpTransport } from '../transport/udpTransport'
import type { Endpoint } from '../wire/socketAddress'
import { decodeStun, encodeStunRequest, stunTransactionId } from '../wire/stun'

export type StunOptions = {
  readonly transports: Transports
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
}

/** A datagram may be lost: requests per server, and the time between them. */
const TRIES = 4
const TRY_MS = 300
const TCP_MS = 2500
/** How long to wait for further servers after the first answer, and after the second, which is sufficient. */
const AFTER_ONE_ANSWER_MS = 500
const AFTER_TWO_ANSWERS_MS = 100

/**
 * The public address of a UDP socket as each STUN server sees it, in the order in which they answered. Never rejects.
 * @param enough stops waiting after so many answers; default all servers
 */
export async function queryStun(
  options: StunOptions,
  udp: UdpTransport,
  servers: readonly Endpoint[],
  signal: AbortSignal,
  enough = servers.length,
): Promise<readonly Endpoint[]> {
  const { clock } = options
  const finished = createDeferred()
  const others = new AbortController()
  const either = AbortSignal.any([signal, others.signal])
  const answers: Endpoint[] = []
  let cancel = () => {}
  const queries = servers.map(async (server) => {
    const mapped = await queryOne(options, udp, server, either)
    if (!mapped || others.signal.aborted) return
    answers.push(mapped)
    cancel()
    if (answers.length >= enough) return finished.resolve()
    cancel = clock.after(answers.length > 1 ? AFTER_TWO_ANSWERS_MS : AFTER_ONE_ANSWER_MS, finished.resolve)
  })
  void Promise.all(queries).then(() => finished.resolve())
  await finished.promise
  cancel()
  others.abort()
  return answers
}

/** Our endpoint as seen by the first server to answer; undefined when none answers. Never rejects. */
export async function queryFirst(
  options: StunOptions,
  udp: UdpTransport,
  servers: readonly Endpoint[],
  signal: AbortSignal,
): Promise<Endpoint | undefined> {
  return (await queryStun(options, udp, servers, signal, 1))[0]
}

/** The public address of TCP connections from a local port. @throws Error when the server does not answer in time */
export function queryTcp(
  { clock, transports }: StunOptions,
  server: Endpoint,
  localPort: number,
  signal: AbortSignal,
): Promise<Endpoint> {
  const noAnswer = () => new Error('no answer')
  return withDeadline(clock, TCP_MS, signal, noAnswer, (either) =>
    transports.stunTcp(server, localPort, either),
  )
}

async function queryOne(
  { clock, randomBytes }: StunOptions,
  udp: UdpTransport,
  server: Endpoint,
  signal: AbortSignal,
): Promise<Endpoint | undefined> {
  const transactionId = stunTransactionId(randomBytes(4))
  const request = encodeStunRequest(transactionId)
  const finished = createDeferred<Endpoint | undefined>()
  const stopListening = udp.onStun((bytes) => {
    const message = decodeStun(bytes)
    const isAnswer = message?.kind === 'response' && equalBytes(message.transactionId, transactionId)
    if (isAnswer) finished.resolve(message.mapped)
  })
  const unsubscribe = onAbort(signal, () => finished.resolve(undefined))
  let tries = 0
  const stopSending = repeat(clock, TRY_MS, signal, () => {
    if (tries === TRIES) return finished.resolve(undefined)
    tries += 1
    udp.sendRaw(request, server)
  })
  const mapped = await finished.promise
  stopSending()
  unsubscribe()
  stopListening()
  return mapped
}
