import { kcpCommands } from '#core/easytier/streams/kcp/segments'
import type { KcpSegment } from '#support/network/kcpSegments'

/** A segment that brings data. */
export function kcpSegment(fields: Partial<KcpSegment>): KcpSegment {
  return {
    conv: 5,
    command: kcpCommands.push,
    window: 2048,
    timestamp: 0,
    sequence: 0,
    unacknowledged: 0,
    data: new Uint8Array(0),
    ...fields,
  }
}
