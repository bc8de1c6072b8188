import { createDeferred } from '#core/async/deferred'
import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import type { Mesh, MeshOptions } from '#core/easytier/mesh'
import { natTypes } from '#core/easytier/nat/natType'
import { createNetworkMeshes } from '#core/easytier/networkMeshes'
import type { RemotePeer } from '#core/easytier/peer/peer'
import { createFakeClock, settle } from '#support/network/fakeClock'
import { memberRecord } from '#support/network/memberRecord'
import { assert, suite } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'
import { createPrng } from '#support/values/prng'
import { createVirtualNet } from '#support/virtualNet/virtualNet'
import { playerSettings } from './playerSettings'

const test = suite('easytier: the meshes of a network', { setUp })

const ANN = 1
const BEN = 2

test('generations are numbered in the order of opening, and take over our address', async () => {
  const { meshes, opened, changes } = setUp()
  assert.equal([await open(meshes, 'a'), changes()], [0, 1])
  meshes.oldest()?.setAddress('10.144.144.9')
  assert.equal([await open(meshes, 'b'), changes()], [1, 2])
  assert.equal(
    opened.map(({ own }) => [own.identity.secret, own.address]),
    [
      ['a', '10.144.144.1'],
      ['b', '10.144.144.9'],
    ],
  )
  assert.equal(meshes.list(), [0, 1])
  assert.is(meshes.oldest(), meshes.at(0))
  assert.is(meshes.all()[1], meshes.at(1))
})

test('payloads count until their sender has moved, and a move is announced', async () => {
  const { clock, meshes, opened, received, announced } = setUp()
  await open(meshes, 'a')
  await open(meshes, 'b')
  const [first, second] = opened
  first?.own.onPayload(1, Uint8Array.of(5), ANN)
  assert.equal(received, [`1 5 ${ANN}`])
  meshes.move(ANN, 1)
  assert.equal(announced, [ANN])
  await clock.advance(60_000)
  first?.own.onPayload(1, Uint8Array.of(6), ANN)
  first?.own.onPayload(1, Uint8Array.of(7), BEN)
  second?.own.onPayload(1, Uint8Array.of(8), ANN)
  assert.equal(received.slice(1), [`1 7 ${BEN}`, `1 8 ${ANN}`])
})

test('a member that is left in a newer mesh alone is reached by it', async ({ meshes, opened }) => {
  await open(meshes, 'a')
  await open(meshes, 'b')
  const [first, second] = opened
  first?.members.push(ANN)
  second?.members.push(ANN)
  second?.own.onChange()
  assert.is(meshes.meshOf(ANN), meshes.at(0))
  first?.members.pop()
  second?.own.onChange()
  assert.is(meshes.meshOf(ANN), meshes.at(1))
})

test('closing one ends it alone, and resolves when nothing of it is left', async () => {
  const { meshes, opened, changes } = setUp()
  await open(meshes, 'a')
  await open(meshes, 'b')
  const before = changes()
  const closing = meshes.close(0)
  const isClosed = hasResolved(closing)
  assert.equal([meshes.list(), changes()], [[1], before + 1])
  const aborted = opened.map(({ own }) => own.signal.aborted)
  assert.equal(aborted, [true, false])
  await settle()
  assert.not(isClosed())
  opened[0]?.released.resolve()
  await closing
  await meshes.close(0)
})

test('closing all ends those that are being opened, too', async ({ meshes, opened, state }) => {
  await open(meshes, 'a')
  const opening = createDeferred()
  state.opening = opening.promise
  const failed = open(meshes, 'b').catch(String)
  const closing = meshes.closeAll(new Error('stopped'))
  opening.resolve()
  await settle()
  for (const { released } of opened) released.resolve()
  await closing
  assert.is(await failed, 'Error: stopped')
  assert.equal(meshes.list(), [0])
})

test('a mesh that cannot be opened leaves nothing behind, and its number is not used again', async () => {
  const { meshes, state, changes } = setUp()
  state.opening = Promise.reject(new Error('no socket'))
  assert.is(await open(meshes, 'a').catch(String), 'Error: no socket')
  assert.equal([meshes.list(), changes()], [[], 0])
  await meshes.closeAll(new Error('stopped'))
  state.opening = Promise.resolve()
  assert.is(await open(meshes, 'b'), 1)
})

test('a mesh that fails by itself is reported', async ({ meshes, opened, failures }) => {
  await open(meshes, 'a')
  opened[0]?.failed.reject(new Error('its socket was closed'))
  await settle()
  assert.equal(failures, ['Error: its socket was closed'])
})

type Opened = {
  readonly own: MeshOptions
  readonly members: number[]
  readonly released: ReturnType<typeof createDeferred<void>>
  readonly failed: ReturnType<typeof createDeferred<void>>
}

function setUp() {
  const clock = createFakeClock()
  const opened: Opened[] = []
  const received: string[] = []
  const announced: number[] = []
  const failures: string[] = []
  const state = { opening: Promise.resolve() }
  let changes = 0
  const random = createPrng(1)
  const { transports } = createVirtualNet({ clock, random: random.next }).machine('1.1.1.1')
  const meshes = createNetworkMeshes({
    shared: {
      ...playerSettings(1),
      ownId: 7,
      isDirect: false,
      transports,
      clock,
      randomBytes: random.bytes,
      onChange() {
        changes += 1
      },
      wantsDirect: () => false,
      mayRead: () => true,
      onRefused() {},
    },
    async openMesh(own) {
      await state.opening
      const one = { own, members: [], released: createDeferred(), failed: createDeferred() }
      opened.push(one)
      return fakeMesh(one)
    },
    onFailed: (error) => void failures.push(String(error)),
  })
  meshes.deliverTo({
    receive: (type, payload, from) => void received.push(`${type} ${payload.join()} ${from}`),
    announce: (peerId) => void announced.push(peerId),
  })
  return { clock, meshes, opened, received, announced, failures, state, changes: () => changes }
}

function open(meshes: ReturnType<typeof createNetworkMeshes>, secret: string): Promise<number> {
  const identity: NetworkIdentity = { name: 'room', secret }
  return meshes.open({ identity, lan: { key: secret, announces: false } })
}

function fakeMesh({ own, members, released, failed }: Opened): Mesh {
  let { address } = own
  return {
    peers: () => members.map(remote),
    peer: (peerId) => (members.includes(peerId) ? remote(peerId) : undefined),
    send: () => true,
    call() {},
    nodes: () => [],
    address: () => address,
    setAddress(next) {
      address = next
    },
    natType: () => natTypes.unknown,
    mappings: () => [],
    relayed: () => ({ pairs: 0, bytes: 0 }),
    reach: () => undefined,
    wasRefused: () => false,
    isRefusedEverywhere: () => false,
    released: released.promise,
    closed: failed.promise,
  }
}

function remote(peerId: number): RemotePeer {
  const record = { ...memberRecord(peerId), raw: new Uint8Array(0) }
  return { record, connection: undefined, via: undefined }
}

test.run()
