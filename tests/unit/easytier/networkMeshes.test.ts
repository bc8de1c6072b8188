import { createDeferred } from '#core/async/deferred'
import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import type { OpenMesh } from '#core/easytier/mesh'
import type { MeshOptions } from '#core/easytier/meshOptions'
import { createNetworkMeshes } from '#core/easytier/networkMeshes'
import type { RemotePeer } from '#core/easytier/peer/peerOptions'
import { createFakeClock } from '#support/network/fakeClock'
import { memberRecord } from '#support/network/memberRecord'
import { playerSettings } from '#support/network/playerSettings'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { createVirtualNet } from '#support/virtualNet/virtualNet'

const test = suite('easytier: the meshes of a network', { setUp })

const ANN = 1
const BEN = 2

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
    payloads: () => ({
      receive: (type, payload, from) => void received.push(`${type} ${payload.join()} ${from}`),
      announce: (peerId) => void announced.push(peerId),
    }),
    onFailed: (error) => void failures.push(String(error)),
  })
  return { clock, meshes, opened, received, announced, failures, state, changes: () => changes }
}

function open(meshes: ReturnType<typeof createNetworkMeshes>, secret: string): Promise<number> {
  const identity: NetworkIdentity = { name: 'room', secret }
  return meshes.open({ identity, lan: { key: secret, announces: false } })
}

function fakeMesh({ own, members, released, failed }: Opened): OpenMesh {
  return {
    peer: {
      peers: () => members.map(remote),
      peer: (peerId) => (members.includes(peerId) ? remote(peerId) : undefined),
      send: () => true,
      call() {},
      own: () => ({ ...memberRecord(7), address: own.address }),
      setOwn() {},
    },
    nodes: () => [],
    mappings: () => [],
    relayed: () => ({ pairs: 0, bytes: 0 }),
    isReachableByAll: () => false,
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
