import { createHash } from 'node:crypto'
import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import { type Network, type NetworkOptions, openNetwork } from '#core/easytier/network'
import { abortReason } from '#core/errors'
import { RoomFailure } from '../failure'
import { PROGRAM_VERSION } from './members'
import type { RoomNetworkOptions } from './roomNetworkOptions'

/** What differs from one peer of a room to another. */
export type PeerOrder = Omit<NetworkOptions, keyof RoomNetworkOptions | 'onDown' | 'lan'> & {
  readonly isHost: boolean
}

/** A peer that ends by its order's signal, by `close`, or by itself when the machine takes its sockets away. */
export type OpenPeer = {
  readonly peer: Network
  /** Aborts at its end; when it ended by itself the reason is a RoomFailure `network-failed`. */
  readonly signal: AbortSignal
  /** Resolves with that failure; never where it ended otherwise. */
  readonly down: Promise<RoomFailure>
  close(reason: Error): Promise<void>
}

/** @throws RoomFailure `network-failed`, or the reason of the order's signal */
export async function openPeer(options: RoomNetworkOptions, order: PeerOrder): Promise<OpenPeer> {
  const end = new AbortController()
  const signal = AbortSignal.any([order.signal, end.signal])
  let tellDown: (failure: RoomFailure) => void = () => {}
  const down = new Promise<RoomFailure>((resolve) => {
    tellDown = resolve
  })
  const onDown = (cause: Error) => {
    if (signal.aborted) return
    options.log.error('the network of the room is down', { cause: String(cause) })
    const failure = new RoomFailure('network-failed', 'The virtual network has failed.', { cause })
    end.abort(failure)
    tellDown(failure)
  }
  try {
    const peer = await openNetwork({
      ...options,
      ...order,
      signal,
      onDown,
      version: PROGRAM_VERSION,
      lan: { key: lanKey(order.identity), announces: order.isHost },
    })
    return {
      peer,
      signal,
      down,
      async close(reason) {
        end.abort(reason)
        await peer.closed
      },
    }
  } catch (cause) {
    if (signal.aborted) throw abortReason(signal)
    throw new RoomFailure('network-failed', 'The network could not be started.', { cause })
  }
}

/**
 * Under which a host announces its listener on the LAN. Members of the room can compute it; it does not help others to guess
 * the secret any more than a handshake does.
 */
function lanKey({ name, secret }: NetworkIdentity): string {
  return createHash('sha256').update(`lantern-room lan\n${name}\n${secret}`).digest('hex').slice(0, 32)
}

export function isOnNode(peer: Network): boolean {
  return peer.nodes().some(({ state }) => state === 'connected')
}

export function noNode(peer: Network): RoomFailure {
  const problems = peer.nodes().map(({ url, problem }) => `${url}: ${problem ?? 'no answer'}`)
  return new RoomFailure('no-relay-reachable', `No shared node can be reached (${problems.join('; ')}).`)
}
