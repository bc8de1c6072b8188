import { rpcMethods } from '@lantern-room/easytier/wire'
import { fromSocketAddr } from '#internal/easytier/wire/socketAddress'
import { assert, suite } from '#support/runner/suite'
import { ofKind } from './packetMeaning'
import { sayTheSame } from './sameMeaning'

const test = suite('easytier: our peer in the place of the native one in recorded punching')

test('as client: select, datagrams, the call, and a Syn to where the first datagram came from', async () => {
  const { replay, ours: said, real } = await sayTheSame('punch-cone-native-client')
  const calls = ofKind(said, 'call').filter(({ rpc }) => rpc.method.service === 'UdpHolePunchRpc')
  assert.equal(
    calls.map(({ name, isSealed }) => [name, isSealed]),
    [
      ['selectPunchListener', true],
      ['sendPunchPacketCone', true],
    ],
  )
  const { request } = rpcMethods.sendPunchPacketCone
  const [ours, theirs] = [
    calls[1],
    ofKind(real, 'call').find(({ name }) => name === 'sendPunchPacketCone'),
  ].map((call) => call && request.decode(call.request))
  assert.ok(ours && theirs)
  for (const field of ['packetCountPerBatch', 'packetBatchCount', 'packetIntervalMs'] as const)
    assert.is(ours[field], theirs[field], field)

  const [first, ...rest] = replay.datagrams
  const syn = rest.at(-1)
  assert.ok(first && syn)
  assert.equal([first.type, first.connectionId], ['holePunch', ours.transactionId])
  assert.equal(first.to, fromSocketAddr(ours.listenerMappedAddr))
  assert.is(fromSocketAddr(ours.destAddr)?.port, first.port)
  assert.equal([syn.type, syn.to, syn.port], ['syn', first.to, first.port])
  // The real program's first one came after 2005.4 ms.
  assert.is(syn.at, 2005.4)
})

test('as server: its socket is told, it sends the number it was given, and takes the Syn', async () => {
  const { session, replay, ours, real } = await sayTheSame('punch-cone-native-server')
  const select = ofKind(ours, 'answer').find(({ name }) => name === 'selectPunchListener')
  assert.ok(select?.answer.kind === 'response')
  const told = rpcMethods.selectPunchListener.response.decode(select.answer.response)?.listenerMappedAddr
  const punches = replay.datagrams.filter(({ type }) => type === 'holePunch')
  const sacks = replay.datagrams.filter(({ type }) => type === 'sack')
  const theirs = session.events.flatMap(({ isNative, what }) =>
    isNative && what.kind === 'datagram' && what.datagram !== 'stun' ? [what.datagram] : [],
  )
  const wanted = (type: string) =>
    theirs.filter((one) => one.type === type).map(({ connectionId }) => connectionId)
  assert.ok(punches.length >= 2)
  assert.equal(new Set(punches.map(({ connectionId }) => connectionId)), new Set(wanted('holePunch')))
  assert.equal(
    sacks.map(({ connectionId }) => connectionId),
    wanted('sack'),
  )
  for (const { port, to } of replay.datagrams) {
    assert.is(port, fromSocketAddr(told)?.port)
    assert.equal(to, replay.datagrams[0]?.to)
  }
  assert.ok(ofKind(real, 'answer').some(({ name }) => name === 'sendPunchPacketCone'))
})

test.run()
