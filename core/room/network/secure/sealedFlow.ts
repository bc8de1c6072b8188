import type { DatagramFlow } from '@lantern-room/base/bytes'
import { viewOf } from '@lantern-room/base/bytes'
import type { SecureStream } from '../../ports'
import { createDatagramSeal, type DatagramSeal, ID_SIZE } from './datagramSeal'

type DatagramSeals = ReturnType<typeof createDatagramSeals>

/** The keys for datagrams of the connections to the room port that are open, the newest last. */
export function createDatagramSeals(side: 'guest' | 'host') {
  const seals = new Map<bigint, DatagramSeal>()
  return {
    /** Takes the keys of a new connection, until it closes. */
    add(secure: SecureStream): void {
      const seal = createDatagramSeal(secure, side)
      seals.set(seal.id, seal)
      void secure.stream.closed.then(() => seals.delete(seal.id))
    },
    newest: (): DatagramSeal | undefined => [...seals.values()].at(-1),
    /** The keys by which a datagram says that it is sealed. */
    of: (sealed: Uint8Array): DatagramSeal | undefined =>
      sealed.length < ID_SIZE ? undefined : seals.get(viewOf(sealed).getBigUint64(0)),
  }
}

/** A guest's flow to a port of the host: datagrams are sealed under the newest keys, and dropped while there are none. */
export function sealFlow(flow: DatagramFlow, port: number, seals: DatagramSeals): DatagramFlow {
  return {
    closed: flow.closed,
    close: flow.close,
    send(bytes) {
      const seal = seals.newest()
      if (seal) flow.send(seal.seal(port, bytes))
    },
    onDatagram(listener) {
      flow.onDatagram((sealed) => {
        const plain = seals.of(sealed)?.open(port, sealed)
        if (plain) listener(plain)
      })
    },
  }
}

/**
 * A flow of a member at the host. It is passed on with its first authentic datagram, and closed when that is none; answers
 * are sealed under the keys of the last authentic one.
 */
export function admitFlow(
  flow: DatagramFlow,
  port: number,
  seals: DatagramSeals,
  onFlow: (flow: DatagramFlow) => void,
): void {
  let current: DatagramSeal | undefined
  let deliver: ((bytes: Uint8Array) => void) | undefined
  const opened: DatagramFlow = {
    closed: flow.closed,
    close: flow.close,
    send(bytes) {
      if (current) flow.send(current.seal(port, bytes))
    },
    onDatagram(listener) {
      deliver = listener
    },
  }
  flow.onDatagram((sealed) => {
    const seal = seals.of(sealed)
    const plain = seal?.open(port, sealed)
    const isFirst = current === undefined
    if (plain) {
      current = seal
      if (isFirst) onFlow(opened)
      deliver?.(plain)
    } else if (isFirst) flow.close()
  })
}
