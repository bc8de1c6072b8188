import { createHash } from 'node:crypto'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createTlsStreams } from '@lantern-room/adapters/tls'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import type { SecureStreams } from '@lantern-room/room/ports'
import { startRelay } from '#support/network/relay'
import { closingOfEachTest } from '#support/process/closing'
import { networkKey, secretDigest } from '#support/room/networkTraces'
import { openNetworkOf } from '#support/room/openNetworkOf'
import { openRoom } from '#support/room/openRoom'
import { privateNetworkOf } from '#support/room/privateNetworks'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { type Spy, spyOnLan, spyOnTcp, spyOnUdp } from './spy'

// Two players, a shared node and a machine on their LAN that write down every byte.
const test = suite('What others see of a private room')
const { keep } = closingOfEachTest(test)

for (const kind of ['direct', 'relayed'] as const) {
  test(`${kind}: nothing that the characters of the code alone lead to`, async () => {
    const { seen, code, networks } = await playWatched({ isPrivate: true, isDirect: kind === 'direct' })
    assert.match(code, /^L\//)
    const open = openNetworkOf(code)
    assert.equal(found(seen, tracesOf(open)), [])
    const [first, second, third, fourth] = code.slice(2).split('-')
    assert.equal(found(seen, [`${first}${second}`, `${second}-${third}`, `${third}${fourth}`]), [])
    assert.is(networks, 1, 'the shared node has met one network')
    // The spies were there: they have seen what the stretched key leads to.
    const stretched = await privateNetworkOf(code)
    assert.ok(seen.includes(stretched.name))
    assert.ok(holds(seen, secretDigest(stretched)))
    assert.is(seen.includes(lanKey(stretched)), kind === 'direct')
    for (const secret of [stretched.secret, networkKey(stretched.secret)]) {
      assert.not(holds(seen, secret), 'the secret itself is never sent')
    }
  })
}

test('the same spies see all of that of an open room, and nothing of a private one', async () => {
  const { seen, code, networks } = await playWatched({ isPrivate: false, isDirect: true })
  const open = openNetworkOf(code)
  assert.ok(seen.includes(open.name))
  assert.ok(holds(seen, secretDigest(open)))
  assert.ok(seen.includes(lanKey(open)))
  assert.is(networks, 1)
  for (const text of [code, code.replace('U/', 'L/')]) {
    const stretched = await privateNetworkOf(text)
    assert.equal(found(seen, tracesOf(stretched)), [])
  }
})

test('a host that does not encrypt is a failure that says so, and nothing stays open', async () => {
  const plain: SecureStreams = {
    ...createTlsStreams(),
    // An older program takes the first bytes for a request that is too long.
    createAcceptor: () => async (stream) => {
      await stream.read()
      await stream.write(Buffer.from([255, 0, 0, 0, 2, 110, 111]))
      await stream.end()
      return { kind: 'closed', cause: undefined }
    },
  }
  const relay = keep(await startRelay())
  const world = keep(await startWorld())
  const nodes = [relay.urls.tcp]
  const settings = { ROOM_NODES: nodes.join(',') }
  const host = keep(openRoom(network(nodes, false, plain), settings))
  const guest = keep(openRoom(network(nodes, false), settings))
  await host.ask('/room/host/start', { gamePort: world.port, private: true })
  await host.until('host-ok')
  await guest.ask('/room/guest/start', { roomCode: host.roomState.view().room })
  await guest.until('exception')
  const { failure } = guest.roomState.view()
  assert.is(failure?.code, 'not-encrypted')
  assert.is(failure?.stage, 'Guest_ConnectingScaffolding')
  assert.match(failure?.hint ?? '', /ask your friend to update their program/i)
})

type Network = { readonly name: string; readonly secret: string }

/** A host, a guest that is in its world, and what the spies have seen of them. */
async function playWatched(options: { isPrivate: boolean; isDirect: boolean }) {
  const relay = keep(await startRelay())
  const [tcp, udp] = [relay.urls.tcp, relay.urls.udp].map((url) => Number(new URL(url).port))
  const nodes = [keep(await spyOnTcp(tcp ?? 0)), keep(await spyOnUdp(udp ?? 0))] as const
  const lan = [keep(await spyOnLan('224.0.0.251', 5353)), keep(await spyOnLan('224.0.2.60', 4445))]
  const spies: readonly Spy[] = [...nodes, ...lan]
  const urls = [`tcp://127.0.0.1:${nodes[0].port}`, `udp://127.0.0.1:${nodes[1].port}`]
  const world = keep(await startWorld())
  const settings = { ROOM_NODES: urls.join(',') }
  const host = keep(openRoom(network(urls, options.isDirect), settings))
  const guest = keep(openRoom(network(urls, options.isDirect), settings))
  await host.ask('/room/host/start', { gamePort: world.port, private: options.isPrivate })
  await host.until('host-ok')
  const code = host.roomState.view().room ?? ''
  await guest.ask('/room/guest/start', { roomCode: code })
  await guest.until('guest-ok')
  assert.is(guest.roomState.view().network?.privacy, options.isPrivate ? 'private' : 'open')
  assert.is(await world.echoThrough(guest.roomState.view().gamePort, 'hello'), 'hello')
  const { networks } = relay.counters()
  await Promise.all([host.close(), guest.close()])
  return { seen: Buffer.concat(spies.flatMap(({ chunks }) => [...chunks])), code, networks }
}

function network(nodes: readonly string[], isDirect: boolean, secureStreams = createTlsStreams()) {
  const clock = createSystemClock()
  const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
  return testRoomNetwork({ secureStreams, transports, nodes, isDirect, clock })
}

/** Everything that a program makes of a network's name and secret, and the code as a whole. */
function tracesOf(network: Network): readonly (string | Uint8Array)[] {
  return [network.name, network.secret, secretDigest(network), networkKey(network.secret), lanKey(network)]
}

function lanKey({ name, secret }: Network): string {
  return createHash('sha256').update(`lantern-room lan\n${name}\n${secret}`).digest('hex').slice(0, 32)
}

function holds(seen: Buffer, trace: string | Uint8Array): boolean {
  return seen.includes(Buffer.from(trace))
}

/** Those that occur, as bytes or written out, in any case and in either order of bytes. */
function found(seen: Buffer, traces: readonly (string | Uint8Array)[]): readonly string[] {
  const text = seen.toString('latin1').toLowerCase()
  return traces.flatMap((trace) => {
    const bytes = Buffer.from(trace)
    const forms = [bytes, Buffer.from(bytes).reverse()].flatMap((form) => [
      form.toString('latin1'),
      form.toString('hex'),
      form.toString('base64').replace(/=+$/, ''),
      form.toString('base64url'),
    ])
    return forms.some((form) => text.includes(form.toLowerCase())) ? [String(trace)] : []
  })
}

test.run()
