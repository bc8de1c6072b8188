import { createDeferred } from '#core/async/deferred'
import { type Mesh, type MeshOptions, openMesh } from '#core/easytier/mesh'
import { natTypes } from '#core/easytier/nat/natType'
import type { Transports } from '#core/easytier/transport/transports'
import { packetTypes } from '#core/easytier/wire/packet'
import { assert, suite } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'
import type { VirtualMachine } from '#support/virtualNet/virtualNet'
import { playerSettings } from './playerSettings'
import { createTestNet } from './testNet'

// Streams, flows and ways of members: network.test.ts.

const test = suite('easytier: a mesh', { setUp, tearDown: ({ close }) => close() })

const PAYLOAD = Uint8Array.of(1, 2, 3)

test('payloads arrive as they were sent, except from members that may not be read', async (parts) => {
  const { clock, open } = parts
  const host = await open({ lan: { key: 'lan', announces: true }, mayRead: (peerId) => peerId !== 3 })
  const guest = await open()
  const stranger = await open()
  assert.is(guest.mesh.send(host.ownId, packetTypes.data, PAYLOAD), false, 'they have not met')
  await clock.advance(3000)
  const met = host.mesh.peers().map(({ record }) => record.hostname)
  assert.equal(met.sort(), ['player-2', 'player-3'])
  assert.ok(guest.mesh.send(host.ownId, packetTypes.data, PAYLOAD))
  assert.ok(stranger.mesh.send(host.ownId, packetTypes.data, PAYLOAD))
  await clock.advance(100)
  assert.equal(host.payloads, [[packetTypes.data, PAYLOAD, guest.ownId]])
})

test('one that listens nowhere meets others at a shared node, and stays there', async (parts) => {
  const { clock, net, open, sharedNode } = parts
  const { settings } = await sharedNode('9.9.9.9')
  const host = await open(settings)
  const guest = await open({ ...settings, isDirect: false })
  await clock.advance(30_000)
  const seen = host.mesh.peer(guest.ownId)
  assert.equal([seen?.connection, seen?.via?.isSharedNode], [undefined, true])
  assert.is(seen?.record.features.refusesDirect, true)
  const { natType, reach, mappings } = guest.mesh
  assert.equal([natType(), reach(), mappings()], [natTypes.unknown, undefined, []])
  assert.not.ok(net.leaks().includes(`${guest.machine.address}: 1 listeners`))
  assert.ok(net.leaks().includes(`${host.machine.address}: 1 listeners`))
})

test('a member that is not wanted directly is reached by the shared node, until it is', async (parts) => {
  const { clock, open, sharedNode } = parts
  const { settings } = await sharedNode('9.9.9.9')
  let isWanted = false
  const host = await open({ ...settings, wantsDirect: () => isWanted })
  const guest = await open({ ...settings, wantsDirect: () => isWanted })
  const isConnected = () => host.mesh.peer(guest.ownId)?.connection !== undefined
  await clock.advance(20_000)
  assert.equal([host.mesh.peers().length, isConnected()], [2, false])
  isWanted = true
  host.mesh.setAddress('10.144.144.77')
  await clock.advance(30_000)
  assert.is(isConnected(), true)
})

test('a shared node is connecting, connected, lost, and dialled at once on another network', async (parts) => {
  const { clock, net, open, newMachine, sharedNode } = parts
  const node = await sharedNode('9.9.9.9', { delayMs: 20 })
  const machine = newMachine()
  const { transports } = machine
  let dials = 0
  const dialTcp: Transports['dialTcp'] = (...args) => {
    dials += 1
    return transports.dialTcp(...args)
  }
  const { mesh, changes } = await open({ ...node.settings, transports: { ...transports, dialTcp } }, machine)
  const state = () => mesh.nodes().map((one) => one.state)
  assert.equal(state(), ['connecting'])
  await clock.advance(2000)
  assert.equal([state(), mesh.nodes()[0]?.url], [['connected'], 'tcp://9.9.9.9:11010'])
  assert.ok((mesh.nodes()[0]?.latencyMs ?? 0) >= 40)
  node.machine.setOnline(false)
  await clock.advance(60_000)
  assert.equal(state(), ['failed'])
  // A dial takes five seconds, and seven at least pass before the next one.
  const dialled = dials
  for (let step = 0; dials === dialled && step < 200; step += 1) await clock.advance(100)
  await clock.advance(5100)
  node.machine.setOnline(true)
  const before = changes()
  machine.moveTo(net.house({ publicAddress: '20.0.7.1', nat: 'cone' }))
  await clock.advance(500)
  assert.equal(state(), ['connected'])
  assert.ok(changes() > before, 'and it is told')
})

test('a node that refuses the name is told from one that takes it', async ({ clock, open, sharedNode }) => {
  const deaf = await sharedNode('9.9.9.9', { accepts: () => false })
  const { mesh } = await open(deaf.settings)
  await clock.advance(5000)
  assert.equal([mesh.wasRefused(), mesh.isRefusedEverywhere()], [true, true])
  const good = await sharedNode('9.9.9.8')
  const nodes = [...deaf.settings.nodes, ...good.settings.nodes]
  const other = await open({ nodes })
  await clock.advance(5000)
  assert.equal([other.mesh.wasRefused(), other.mesh.isRefusedEverywhere()], [true, false])
  const alone = await open()
  assert.is(alone.mesh.isRefusedEverywhere(), false, 'without nodes nobody refuses it')
})

test('what it relays is offered while all others can reach it', async ({ clock, net, open, sharedNode }) => {
  const { settings } = await sharedNode('9.9.9.9')
  const relays = { bytesPerSecond: 1e6 }
  const open1 = await open({ ...settings, relays }, net.machine('30.0.0.1'))
  const hidden = await open({ ...settings, relays })
  const plain = await open(settings, net.machine('30.0.0.3'))
  await clock.advance(5000)
  assert.equal([open1.mesh.reach(), hidden.mesh.reach()], ['public-address', undefined])
  const types = [open1.mesh.natType(), hidden.mesh.natType()]
  assert.equal(types, [natTypes.openInternet, natTypes.portRestricted])
  const avoidsRelay = (ownId: number) => plain.mesh.peer(ownId)?.record.features.avoidsRelay
  assert.equal([avoidsRelay(open1.ownId), avoidsRelay(hidden.ownId)], [false, true])
  assert.is(open1.mesh.peer(plain.ownId)?.record.features.avoidsRelay, true, 'without relays it never is')
  assert.equal(open1.mesh.relayed(), { pairs: 0, bytes: 0 })
})

test('a socket that the system closes is a failure; what is left is released before', async () => {
  for (const kind of ['UDP socket', 'TCP listener']) {
    const { clock, net, open, newMachine } = setUp()
    const gone = createDeferred()
    const machine = newMachine()
    const { transports } = machine
    const { mesh } = await open(
      {
        transports: {
          ...transports,
          async openUdp(...args) {
            const socket = await transports.openUdp(...args)
            return kind === 'UDP socket' ? { ...socket, closed: gone.promise } : socket
          },
          async listenTcp(...args) {
            const listener = await transports.listenTcp(...args)
            return kind === 'TCP listener' ? { ...listener, closed: gone.promise } : listener
          },
        },
      },
      machine,
    )
    const isReleased = hasResolved(mesh.released)
    gone.resolve()
    assert.is(await mesh.closed.catch(String), `Error: the system has closed the ${kind}`)
    await clock.advance(1000)
    assert.equal([isReleased(), net.leaks(), clock.timers], [true, [], 0])
  }
})

test('a start that fails, and one that is stopped, leave nothing open', async () => {
  const { clock, net, open, newMachine } = setUp()
  const machine = newMachine()
  const listenTcp = () => Promise.reject(new Error('no port'))
  const failed = open({ transports: { ...machine.transports, listenTcp } }, machine)
  assert.is(await failed.catch(String), 'Error: no port')
  await clock.advance(1000)
  assert.equal([net.leaks(), clock.timers], [[], 0])
})

type Opened = {
  readonly ownId: number
  readonly mesh: Mesh
  readonly machine: VirtualMachine
  readonly payloads: readonly (readonly [type: number, payload: Uint8Array, from: number])[]
  changes(): number
}

/** A house behind a router, and whatever is put on the internet. */
function setUp() {
  const testNet = createTestNet()
  const { clock, random, net } = testNet
  const house = net.house({ publicAddress: '20.0.0.1', nat: 'cone' })
  let lastId = 0

  async function open(changes: Partial<MeshOptions> = {}, machine = house.machine()): Promise<Opened> {
    lastId += 1
    const ownId = lastId
    const stopping = new AbortController()
    const payloads: [number, Uint8Array, number][] = []
    let changed = 0
    const mesh = await openMesh({
      ...playerSettings(ownId),
      transports: machine.transports,
      clock,
      randomBytes: random.fork(`player ${ownId}`).bytes,
      onChange: () => {
        changed += 1
      },
      ownId,
      mayRead: () => true,
      onRefused() {},
      onPayload: (type, payload, from) => payloads.push([type, payload.slice(), from]),
      signal: stopping.signal,
      ...changes,
    })
    testNet.atEnd(() => {
      stopping.abort(new Error('stopped'))
      return mesh.closed
    })
    return { ownId, mesh, machine, payloads, changes: () => changed }
  }

  return { ...testNet, open, newMachine: () => house.machine() }
}

test.run()
