import { encodeStreamPacket, encodeStreamRoute, streamFlags } from '#internal/easytier/streams/streamPacket'
import type { StreamLimits } from '#internal/easytier/streams/streamPlaces'
import { Streams } from '#internal/easytier/streams/streams'
import { packetTypes } from '#internal/easytier/wire/packet'
import { assert, suite } from '#support/runner/suite'
import { ROUTE } from './streamPeers'

const test = suite('easytier: shares of streams')

const OWN = 1
const { syn, ack, data, rst } = streamFlags

/** A peer whose members open streams packet by packet. */
function start(limits: Partial<StreamLimits>) {
  const sent: string[] = []
  const opened: number[] = []
  const refused: (number | string | undefined)[] = []
  const streams = new Streams({
    ownId: OWN,
    limits,
    random32: () => 0,
    wake() {},
    accepts: () => true,
    onStream: ({ peerId }) => void opened.push(peerId),
    onRefused: (peerId, denial) => void refused.push(denial === 'refused' ? peerId : `${peerId} ${denial}`),
    send: (peerId, _type, payload) => void sent.push(`${peerId} ${payload[0]} ${payload[12]}`),
  })
  const send = (peerId: number, conv: number, flags: number) => {
    const body = flags === syn ? encodeStreamRoute(ROUTE) : new Uint8Array(0)
    const packet = encodeStreamPacket({ conv, source: peerId, destination: OWN, flags, body })
    streams.receive(packetTypes.kcpSource, packet, peerId, 0)
  }
  const open = (peerId: number, conv: number) => {
    send(peerId, conv, syn)
    send(peerId, conv, ack | data)
  }
  return { streams, sent, opened, refused, send, open }
}

test('a peer gets its share, and its next SYN an RST', () => {
  const { streams, sent, opened, refused, open } = start({ streamsPerPeer: 3, streams: 10 })
  for (let conv = 1; conv <= 4; conv += 1) open(7, conv)
  assert.equal([opened, refused, streams.count], [[7, 7, 7], [7], 3])
  assert.ok(sent.includes(`7 4 ${rst}`))
  open(8, 1)
  assert.is(opened.at(-1), 8)
})

test('when all are taken the newest of the peer with most is broken off, one that is half open first', () => {
  const { streams, sent, opened, refused, send, open } = start({ streamsPerPeer: 3, streams: 4 })
  open(7, 1)
  send(7, 2, syn)
  open(7, 3)
  open(8, 1)
  open(9, 1)
  assert.equal([opened.at(-1), refused, streams.count], [9, ['7 withdrawn'], 4])
  assert.ok(sent.includes(`7 2 ${rst}`))
  open(10, 1)
  assert.ok(sent.includes(`7 3 ${rst}`))
  open(11, 1)
  assert.equal(
    [opened.at(-1), refused],
    [10, ['7 withdrawn', '7 withdrawn', '11 full']],
    'nobody has more than one',
  )
})

test('streams that we open ourselves are no one else’s share', () => {
  const { streams, opened, refused, open } = start({ streamsPerPeer: 1, streams: 3 })
  for (let count = 0; count < 2; count += 1) streams.open(7, ROUTE, 0).opened.catch(() => undefined)
  open(7, 1)
  assert.equal([opened, refused], [[7], []])
})

test.run()
