import type { Clock } from '@lantern-room/base/async'
import { createDeferred } from '@lantern-room/base/async'
import type { DatagramFlow } from '@lantern-room/base/bytes'

/** The payload limit of an IPv4 datagram. */
const MAX_DATAGRAM = 65_507

/** A flow, and the function that feeds it. */
export type FlowEnd = { readonly flow: DatagramFlow; receive(bytes: Uint8Array): void }

/**
 * A flow over `send`, which is only called while the flow is open and with bytes that fit a datagram.
 * @param options.idleMs closes the flow after so long without datagrams in either direction; undefined = never
 */
export function createFlow(
  send: (bytes: Uint8Array) => void,
  options: { readonly clock: Clock; readonly idleMs: number | undefined; readonly onClose: () => void },
): FlowEnd {
  const { clock, idleMs, onClose } = options
  const closed = createDeferred()
  let listener: ((bytes: Uint8Array) => void) | undefined
  let isOpen = true
  let usedAt = clock.now()
  let cancelTimer = () => {}
  if (idleMs !== undefined) scheduleCheck(idleMs, idleMs)

  return {
    receive(bytes) {
      if (!isOpen) return
      usedAt = clock.now()
      listener?.(bytes)
    },
    flow: {
      closed: closed.promise,
      close,
      send(bytes) {
        if (!isOpen || bytes.length > MAX_DATAGRAM) return
        usedAt = clock.now()
        send(bytes)
      },
      onDatagram(next) {
        listener = next
      },
    },
  }

  function close(): void {
    if (!isOpen) return
    isOpen = false
    cancelTimer()
    onClose()
    closed.resolve()
  }

  /** Checks at the earliest possible end, rather than starting a timer with every datagram. */
  function scheduleCheck(ms: number, whole: number): void {
    cancelTimer = clock.after(ms, () => {
      const left = usedAt + whole - clock.now()
      if (left <= 0) close()
      else scheduleCheck(left, whole)
    })
  }
}
