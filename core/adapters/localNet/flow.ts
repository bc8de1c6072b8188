import type { Clock } from '#core/async/clock'
import { createDeferred } from '#core/async/deferred'
import type { DatagramFlow } from '#core/byteStream'

/** The payload limit of an IPv4 datagram. */
const MAX_DATAGRAM = 65_507

/** A flow, and the function that feeds it. */
export type FlowEnd = { readonly flow: DatagramFlow; receive(bytes: Uint8Array): void }

export type FlowOptions = {
  readonly clock: Clock
  /** Closes the flow after so long without datagrams in either direction; undefined = never. */
  readonly idleMs: number | undefined
  readonly onClose: () => void
}

/** A flow over `send`, which is only called while the flow is open and with bytes that fit a datagram. */
export function createFlow(send: (bytes: Uint8Array) => void, options: FlowOptions): FlowEnd {
  const flow = new Flow(send, options)
  // Plain objects, because callers pass the methods of a flow on.
  return {
    receive: (bytes) => flow.receive(bytes),
    flow: {
      send: (bytes) => flow.send(bytes),
      onDatagram: (listener) => flow.onDatagram(listener),
      close: () => flow.close(),
      closed: flow.closed,
    },
  }
}

class Flow implements DatagramFlow {
  readonly #sendBytes: (bytes: Uint8Array) => void
  readonly #options: FlowOptions
  readonly #closed = createDeferred()
  #listener: ((bytes: Uint8Array) => void) | undefined
  #isOpen = true
  #usedAt: number
  #cancelTimer = () => {}

  constructor(send: (bytes: Uint8Array) => void, options: FlowOptions) {
    this.#sendBytes = send
    this.#options = options
    this.#usedAt = options.clock.now()
    if (options.idleMs !== undefined) this.#scheduleCheck(options.idleMs, options.idleMs)
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  receive(bytes: Uint8Array): void {
    if (!this.#isOpen) return
    this.#usedAt = this.#options.clock.now()
    this.#listener?.(bytes)
  }

  send(bytes: Uint8Array): void {
    if (!this.#isOpen || bytes.length > MAX_DATAGRAM) return
    this.#usedAt = this.#options.clock.now()
    this.#sendBytes(bytes)
  }

  onDatagram(listener: (bytes: Uint8Array) => void): void {
    this.#listener = listener
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#cancelTimer()
    this.#options.onClose()
    this.#closed.resolve()
  }

  /** Checks at the earliest possible end, rather than starting a timer with every datagram. */
  #scheduleCheck(ms: number, whole: number): void {
    const { clock } = this.#options
    this.#cancelTimer = clock.after(ms, () => {
      const left = this.#usedAt + whole - clock.now()
      if (left <= 0) this.close()
      else this.#scheduleCheck(left, whole)
    })
  }
}
