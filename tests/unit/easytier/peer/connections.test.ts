import { createConnections } from '#core/easytier/peer/connections'
import type { Handshake } from '#core/easytier/peer/handshake'
import { encodeHello } from '#core/easytier/peer/handshake'
import type { ConnectionProblem } from '#core/easytier/peer/peerConnection'
import type { TransportKind } from '#core/easytier/transport/transports'
import { decodePacket, encodePacket, encodePing, encodePong, packetTypes } from '#core/easytier/wire/packet'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

const test = suite('easytier: the connections of a peer, and how often they are pinged', { setUp: openLinks })

const OWN = 1
const HOST = 2
const NODE = 3
const FAR_MS = 20

const handshake: Handshake = {
  hello: () => new Uint8Array(0),
  verify: ({ myPeerId }) => ({ answer: undefined, problem: undefined, isSharedNode: myPeerId === NODE }),
}

/** Links of one peer whose other ends answer after 20 ms, as long as they live. */
function openLinks(isUsed: (peerId: number) => boolean = () => true) {
  const clock = createFakeClock()
  const sent: { readonly id: number; readonly at: number; readonly type: number }[] = []
  const closed: { readonly id: number; readonly at: number; readonly problem: ConnectionProblem }[] = []
  const deaf = new Set<number>()
  const changes: number[] = []
  const links = createConnections({
    ownId: OWN,
    handshake,
    clock,
    close() {},
    send(id, packet) {
      const type = decodePacket(packet)?.type ?? 0
      sent.push({ id, at: clock.now(), type })
      if (type === packetTypes.ping && !deaf.has(id)) {
        clock.after(FAR_MS, () => deaf.has(id) || links.receive(id, encodePong(packet)))
      }
    },
  })
  links.listen({
    onOpen() {},
    onPacket() {},
    onChange: () => void changes.push(clock.now()),
    onClosed: ({ id }, problem) => void closed.push({ id, problem, at: clock.now() }),
    isUsed: ({ peerId }) => isUsed(peerId),
  })
  const tick = () => {
    links.tick()
    clock.after(500, tick)
  }
  clock.after(500, tick)
  return {
    clock,
    links,
    changes,
    closed,
    deaf,
    open(id: number, peerId: number, transport: TransportKind, isDialler = true) {
      links.add(id, { transport, isDialler })
      greet(id, peerId)
    },
    greet,
    /** When this link was pinged, from a moment on. */
    pings: (id: number, since = 0) =>
      sent.flatMap((one) =>
        one.id === id && one.type === packetTypes.ping && one.at >= since ? [one.at] : [],
      ),
  }

  function greet(id: number, peerId: number): void {
    const hello = encodeHello(peerId, 'room', new Uint8Array(32))
    links.receive(id, encodePacket({ from: peerId, to: 0, type: packetTypes.handshake }, hello))
  }
}

test('the link that packets take every 3 s, a spare one every 10 s, each with two more at first', async () => {
  const { open, clock, pings } = openLinks()
  open(1, HOST, 'udp')
  open(2, HOST, 'tcp')
  await clock.advance(60_000)
  assert.equal(pings(1).slice(0, 5), [0, 500, 1000, 4000, 7000])
  assert.equal(pings(2).slice(0, 5), [0, 500, 1000, 11_500, 22_000])
})

test('a neighbour through which nobody is reached is spare, and pinged as before once somebody is', async () => {
  let isUsed = false
  const { open, clock, pings } = openLinks((peerId) => peerId !== NODE || isUsed)
  open(1, NODE, 'udp')
  await clock.advance(30_000)
  assert.is(pings(1).length, 5)
  isUsed = true
  await clock.advance(9000)
  assert.equal(pings(1, 30_000), [30_500, 33_500, 36_500])
})

test('who relays for others counts as used for 10 s after the last packet', async () => {
  const { open, links, clock, pings } = openLinks(() => false)
  open(1, HOST, 'udp')
  await clock.advance(20_000)
  links.noteRelayed(1)
  await clock.advance(15_000)
  assert.equal(pings(1, 20_000), [20_500, 23_500, 26_500, 29_500])
})

test('what the other side pings by a spare link is not asked again, but measured every 30 s', async () => {
  const { open, links, clock, pings } = openLinks(() => false)
  open(1, HOST, 'udp', false)
  const askedByOther = () => {
    links.receive(1, encodePing(HOST, OWN, 7))
    clock.after(10_000, askedByOther)
  }
  clock.after(10_000, askedByOther)
  await clock.advance(65_000)
  assert.equal(pings(1), [0, 500, 1000, 31_000, 61_000])
})

test('when the used link does not answer, others to the peer and to shared nodes are pinged at once, and the best is another', async () => {
  const { open, links, clock, pings, deaf } = openLinks()
  open(1, HOST, 'udp')
  open(2, HOST, 'tcp')
  open(3, NODE, 'tcp')
  await clock.advance(5000)
  assert.is(links.best(HOST)?.id, 1)
  deaf.add(1)
  await clock.advance(4500)
  const [asked = 0] = pings(1, 5000)
  assert.is(asked, 7000)
  assert.equal(pings(2, 5000), [9000])
  assert.is(links.best(HOST)?.id, 2)
  assert.equal(pings(3, 7500), [9000], 'a shared node is the next way')
})

test('the first round trip of a link is told at once, those after it with the next tick', async () => {
  const { clock, changes, open } = openLinks()
  open(1, 7, 'tcp')
  const opened = changes.length
  await clock.advance(FAR_MS)
  assert.equal(changes.slice(opened), [clock.now()], 'who only probes a node asks for no tick')
  await clock.advance(10_000)
  const later = changes.slice(opened + 1)
  assert.ok(later.length > 0)
  assert.ok(
    later.every((at) => at % 500 === 0),
    later.join(),
  )
})

test('a link is gone 7 s after the first ping that nothing answers, and not before', async () => {
  const { open, clock, closed, deaf } = openLinks()
  open(1, HOST, 'udp')
  open(2, NODE, 'udp')
  await clock.advance(5000)
  deaf.add(1)
  await clock.advance(8500)
  assert.equal(closed, [])
  await clock.advance(60_000)
  assert.equal(closed, [{ id: 1, problem: 'silent', at: 14_000 }])
})

test('what still brings something is not gone, even where pings stay without an answer', async () => {
  const { open, links, clock, closed, deaf } = openLinks()
  open(1, HOST, 'udp')
  deaf.add(1)
  const talk = () => {
    links.receive(1, encodePing(HOST, OWN, 7))
    clock.after(5000, talk)
  }
  talk()
  await clock.advance(60_000)
  assert.equal(closed, [])
})

test('where one of several links is closed, the others are asked at once whether they stand', async () => {
  const { open, links, clock, pings, closed, deaf } = openLinks()
  open(1, HOST, 'udp')
  open(2, HOST, 'tcp')
  await clock.advance(20_000)
  deaf.add(1)
  links.remove(2)
  assert.equal(pings(1, 20_000), [20_000])
  await clock.advance(10_000)
  assert.equal(
    closed.map(({ id, at }) => [id, at]),
    [
      [2, 20_000],
      [1, 27_000],
    ],
  )
})

test('closing all of them asks nobody anything', async ({ open, links, clock, pings }) => {
  open(1, HOST, 'udp')
  open(2, HOST, 'tcp')
  await clock.advance(20_000)
  links.close()
  assert.equal([...pings(1, 20_000), ...pings(2, 20_000)], [])
})

for (const [title, lastMs, problem] of [
  ['whose answer comes half a second after other packets, is open', 499, undefined],
  ['whose answer is lost while the other side takes it for open, is dialled anew', 500, 'no-handshake'],
] as const)
  test(`a link over UDP ${title}`, async ({ links, clock, closed, greet }) => {
    links.add(1, { transport: 'udp', isDialler: true })
    await clock.advance(1000)
    links.receive(1, encodePing(HOST, OWN, 1))
    await clock.advance(lastMs)
    links.receive(1, encodePing(HOST, OWN, 2))
    assert.equal(each(closed, 'problem'), problem === undefined ? [] : [problem])
    if (problem !== undefined) return
    greet(1, HOST)
    await clock.advance(5000)
    assert.equal(closed, [])
  })

test.run()
