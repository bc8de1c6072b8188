import { type Connections, createConnections } from '#core/easytier/peer/connections'
import { memberHandshake } from '#core/easytier/peer/handshake'
import type { ConnectionProblem } from '#core/easytier/peer/peerConnection'
import { decodePacket, packetTypes } from '#core/easytier/wire/packet'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('connections after a change of the network', { setUp: openPair })

const LINK = 1
const WAY_MS = 40

test('a link that does not answer is dropped after 3 s', async ({ meet, near, wait, problems }) => {
  await meet()
  await wait(2600)
  near.cut = true
  near.connections.suspectAll()
  await wait(2500)
  assert.equal(problems, [])
  await wait(1000)
  assert.equal(problems, ['silent'])
})

test('without a change the same link is given more time', async ({ meet, near, wait, problems }) => {
  await meet()
  await wait(2600)
  near.cut = true
  await wait(6000)
  assert.equal(problems, [])
})

test('a link that answers stays, and is not looked at any closer afterwards', async () => {
  const { meet, near, wait, problems, pings } = openPair()
  await meet()
  await wait(5000)
  near.connections.suspectAll()
  await wait(2 * WAY_MS)
  const asked = pings()
  await wait(1400)
  assert.is(pings(), asked)
  await wait(20_000)
  assert.equal(problems, [])
})

test('one or two lost pings are no reason to drop a link', async ({ meet, near, wait, problems }) => {
  await meet()
  await wait(5000)
  near.cut = true
  near.connections.suspectAll()
  await wait(1500)
  near.cut = false
  await wait(10_000)
  assert.equal(problems, [])
})

test('what the other side sends by itself is no answer', async ({ meet, near, wait, problems }) => {
  await meet()
  await wait(5000)
  near.isDumb = true
  near.connections.suspectAll()
  await wait(3500)
  assert.equal(problems, ['silent'])
})

test('an answer to a ping from before the change proves nothing', async ({ meet, near, wait, problems }) => {
  await meet()
  // Just sent: its answer is still on its way.
  await wait(3400 + WAY_MS)
  near.isDumb = true
  near.connections.suspectAll()
  await wait(3500)
  assert.equal(problems, ['silent'])
})

/** Two ends of a link, and a way between that can be cut, or let nothing of the near one out. */
function openPair() {
  const clock = createFakeClock()
  const problems: ConnectionProblem[] = []
  let pings = 0
  const near = { connections: open(11, (bytes) => carry(bytes, far)), cut: false, isDumb: false }
  const far: Connections = open(12, (bytes) => carry(bytes, near.connections))
  return {
    near,
    problems,
    pings: () => pings,
    async meet() {
      far.add(LINK, { transport: 'udp', isDialler: false })
      near.connections.add(LINK, { transport: 'udp', isDialler: true })
      await clock.advance(4 * WAY_MS)
      assert.is(near.connections.established().length, 1)
    },
    async wait(ms: number) {
      for (let left = ms; left > 0; left -= 100) {
        await clock.advance(Math.min(100, left))
        // As a node does it, but the far one speaks more often.
        if (Math.round(clock.now() / 100) % 5 === 0) near.connections.tick()
        far.tick()
      }
    },
  }

  function open(ownId: number, send: (bytes: Uint8Array) => void): Connections {
    const connections = createConnections({
      ownId,
      clock,
      handshake: memberHandshake({ name: 'room', secret: 'secret' }, ownId),
      send: (_, bytes) => send(bytes),
      close() {},
    })
    connections.listen({
      onOpen() {},
      onPacket() {},
      onChange() {},
      isUsed: () => true,
      onClosed: (_, problem) => ownId === 11 && problems.push(problem),
    })
    return connections
  }

  function carry(bytes: Uint8Array, to: Connections): void {
    const packet = decodePacket(bytes)
    const isOfNear = to === far
    if (isOfNear && packet?.type === packetTypes.ping) pings += 1
    if (near.cut || (near.isDumb && isOfNear)) return
    clock.after(WAY_MS, () => to.receive(LINK, bytes))
  }
}

test.run()
