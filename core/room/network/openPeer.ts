import { type Network, type NetworkOptions, openNetwork } from '#core/easytier/network'
import { abortReason } from '#core/errors'
import { RoomFailure } from '../failure'
import { PROGRAM_VERSION } from './members'
import type { RoomNetworkOptions } from './roomNetworkOptions'

/** What differs from one peer of a room to another. */
export type PeerOrder = Omit<NetworkOptions, keyof RoomNetworkOptions | 'onDown'>

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
    const peer = await openNetwork({ ...options, ...order, signal, onDown, version: PROGRAM_VERSION })
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

export function isOnNode(peer: Network): boolean {
  return peer.nodes().some(({ state }) => state === 'connected')
}

export function noNode(peer: Network): RoomFailure {
  const problems = peer.nodes().map(({ url, problem }) => `${url}: ${problem ?? 'no answer'}`)
  return new RoomFailure('no-relay-reachable', `No shared node can be reached (${problems.join('; ')}).`)
}
