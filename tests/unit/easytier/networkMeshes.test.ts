import type { OpenMesh } from '#internal/easytier/mesh'
import { createNetworkMeshes, type OfGeneration } from '#internal/easytier/networkMeshes'
import { createFakeClock } from '#support/network/fakeClock'
import { memberRecord } from '#support/network/memberRecord'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: the meshes of a network')

const ANN = 1
const BEN = 2

test('payloads count until their sender has moved, and a move is announced', async () => {
  const clock = createFakeClock()
  const opened: OfGeneration[] = []
  const received: string[] = []
  const announced: number[] = []
  const meshes = createNetworkMeshes({
    address: '10.144.144.1',
    clock,
    onChange() {},
    async openMesh(own) {
      opened.push(own)
      const peer = { peers: () => [], peer: () => undefined, own: () => memberRecord(7) }
      return { peer, closed: new Promise<void>(() => {}) } as unknown as OpenMesh
    },
    onFailed: () => assert.unreachable(),
  })
  meshes.deliverTo({
    receive: (type, payload, from) => void received.push(`${type} ${payload.join()} ${from}`),
    announce: (peerId) => void announced.push(peerId),
  })
  for (const secret of ['a', 'b'])
    await meshes.open({ identity: { name: 'room', secret }, lan: { key: secret, announces: false } })
  const [first, second] = opened
  first?.onPayload(1, Uint8Array.of(5), ANN)
  assert.equal(received, [`1 5 ${ANN}`])
  meshes.move(ANN, 1)
  assert.equal(announced, [ANN])
  await clock.advance(60_000)
  first?.onPayload(1, Uint8Array.of(6), ANN)
  first?.onPayload(1, Uint8Array.of(7), BEN)
  second?.onPayload(1, Uint8Array.of(8), ANN)
  assert.equal(received.slice(1), [`1 7 ${BEN}`, `1 8 ${ANN}`])
})

test.run()
