import { equalBytes } from '#core/bytes'
import type { Clock } from '#core/clock'
import type { Transports } from '../transport/transports'
import type { UdpTransport } from '../transport/udpTransport'
import type { Endpoint } from '../wire/socketAddress'
import { decodeStun, encodeStunRequest, stunTransactionId } from './stun'

export type NatTools = {
  readonly transports: Transports
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
}

/** A datagram may be lost: asked so often, so far apart. */
const TRIES = 4
const TRY_MS = 300
const TCP_MS = 2500
/** After one answer, and after two, which are enough: so long the others are waited for. */
const ONE_ANSWER_MS = 500
const TWO_ANSWERS_MS = 100

/** As what the first server that answers sees this socket; undefined when none does. Never rejects. */
export async function mappedAddress(
  udp: UdpTransport,
  servers: readonly Endpoint[],
  tools: NatTools,
  signal: AbortSignal,
): Promise<Endpoint | undefined> {
  return (await askStun(udp, servers, tools, signal, 1))[0]
}

/** As what this server sees connections from this port. @throws Error when it does not answer in time */
export async function askTcp(
  server: Endpoint,
  localPort: number,
  { transports, clock }: NatTools,
  signal: AbortSignal,
): Promise<Endpoint> {
  const limit = new AbortController()
  const cancel = clock.after(TCP_MS, () => limit.abort(new Error('no answer')))
  try {
    return await transports.stunTcp(server, localPort, AbortSignal.any([signal, limit.signal]))
  } finally {
    cancel()
  }
}

/**
 * The answers of servers by UDP, in the order in which they came. Never rejects.
 * @param enough with so many nothing more is waited for
 */
export function askStun(
  udp: UdpTransport,
  servers: readonly Endpoint[],
  { clock, randomBytes }: NatTools,
  signal: AbortSignal,
  enough = servers.length,
): Promise<readonly Endpoint[]> {
  const rest = new AbortController()
  const either = AbortSignal.any([signal, rest.signal])
  const answers: Endpoint[] = []
  let open = servers.length
  let cancel = () => {}
  return new Promise((resolve) => {
    const finish = () => {
      cancel()
      rest.abort()
      resolve(answers)
    }
    if (open === 0) finish()
    for (const server of servers) {
      void askUdp(udp, server, clock, randomBytes, either).then((answer) => {
        open -= 1
        if (answer) answers.push(answer)
        if (open === 0 || answers.length >= enough) return finish()
        if (!answer || rest.signal.aborted) return
        cancel()
        cancel = clock.after(answers.length > 1 ? TWO_ANSWERS_MS : ONE_ANSWER_MS, finish)
      })
    }
  })
}

function askUdp(
  udp: UdpTransport,
  server: Endpoint,
  clock: Clock,
  randomBytes: (size: number) => Uint8Array,
  signal: AbortSignal,
): Promise<Endpoint | undefined> {
  const transactionId = stunTransactionId(randomBytes(4))
  const request = encodeStunRequest(transactionId)
  return new Promise((resolve) => {
    let tries = 0
    let cancel = () => {}
    const finish = (mapped?: Endpoint) => {
      cancel()
      takeOff()
      signal.removeEventListener('abort', onAbort)
      resolve(mapped)
    }
    const onAbort = () => finish()
    const takeOff = udp.onStun((bytes) => {
      const message = decodeStun(bytes)
      if (message?.kind !== 'response' || !equalBytes(message.transactionId, transactionId)) return
      finish(message.mapped)
    })
    const ask = () => {
      if (tries >= TRIES) return finish()
      tries += 1
      udp.sendRaw(request, server)
      cancel = clock.after(TRY_MS, ask)
    }
    if (signal.aborted) return finish()
    signal.addEventListener('abort', onAbort, { once: true })
    ask()
  })
}
