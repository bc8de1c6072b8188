import { bestConnection, isBetterConnection } from '#internal/easytier/peer/connectionMonitor'
import {
  type MonitoredConnection,
  newConnection,
  nextPing,
  open,
} from '#internal/easytier/peer/connectionState'
import type { TransportKind } from '#internal/easytier/transport/transports'
import { createFarEnd } from '#support/network/replayTransports'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: the best connection to a neighbour')

function connection(transport: TransportKind, roundTrip: number | undefined): MonitoredConnection {
  const made = newConnection(createFarEnd(() => undefined).link, { transport, isDialler: false }, 0)
  open(made, { peerId: 2, isSharedNode: false }, 0)
  made.roundTrip = roundTrip
  return made
}

/** Whether the first is better, and whether the second is. */
function compare(one: MonitoredConnection, other: MonitoredConnection, now = 0) {
  return [isBetterConnection(one, other, now), isBetterConnection(other, one, now)]
}

for (const [transport, roundTrip, otherTransport, otherRoundTrip, expected] of [
  ['tcp', 3, 'udp', 1, [true, false]],
  ['tcp', 3.1, 'udp', 3.2, [false, true]],
  ['tcp', 3, 'tcp', 1, [false, false]],
  ['udp', 20, 'tcp', 20, [true, false]],
  ['udp', 22, 'tcp', 10, [true, false]],
  ['udp', 24, 'tcp', 10, [false, true]],
  ['udp', 20, 'udp', 21, [true, false]],
  ['udp', 20, 'udp', 20, [false, false]],
  ['ws', 20, 'tcp', 20, [false, false]],
  ['udp', undefined, 'udp', 499, [false, true]],
  ['udp', undefined, 'udp', 501, [true, false]],
] as const) {
  const name = `${transport} of ${roundTrip} ms against ${otherTransport} of ${otherRoundTrip} ms`
  test(name, () => {
    const better = compare(connection(transport, roundTrip), connection(otherTransport, otherRoundTrip))
    assert.equal(better, expected)
  })
}

test('a ping without an answer for more than 1.5 s outweighs any round trip', () => {
  const [fast, slow] = [connection('udp', 1), connection('udp', 400)]
  if (fast.state.phase === 'open') nextPing(fast.state.traffic, 1000)
  assert.equal(compare(fast, slow, 2500), [true, false])
  assert.equal(compare(fast, slow, 2501), [false, true])
})

test('the best of several is found wherever it stands', () => {
  const [best, far] = [connection('udp', 20), connection('udp', 30)]
  assert.is(bestConnection([far, best], 0), best)
  assert.is(bestConnection([best, far], 0), best)
  assert.is(bestConnection([], 0), undefined)
})

test.run()
