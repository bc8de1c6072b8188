import { createMemoryBudget } from '#core/easytier/streams/kcp/memoryBudget'
import { createPacketBuffer } from '#core/easytier/streams/kcp/outbox'
import { type KcpSegment, kcpCommands } from '#core/easytier/streams/kcp/segments'
import { createStreamConnection, type StreamConnectionOptions } from '#core/easytier/streams/streamConnection'

/** The connection of a stream that sends nothing anywhere, unless the test says so. */
export function openConnection(options: Partial<StreamConnectionOptions>) {
  return createStreamConnection({
    peerId: 7,
    conv: 5,
    now: 0,
    budget: createMemoryBudget(1_000_000),
    idleLimit: Number.POSITIVE_INFINITY,
    buffer: createPacketBuffer(0),
    sendData() {},
    sendFlags() {},
    wake() {},
    onOver() {},
    ...options,
  })
}

/** A segment that brings data. */
export function kcpSegment(fields: Partial<KcpSegment>): KcpSegment {
  return {
    conv: 5,
    command: kcpCommands.push,
    window: 1024,
    timestamp: 0,
    sequence: 0,
    unacknowledged: 0,
    data: new Uint8Array(0),
    ...fields,
  }
}
