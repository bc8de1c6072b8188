import { randomBytes } from 'node:crypto'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { detectTcpNat, detectUdpNat, stunServers } from '#internal/easytier/nat/detectNat'
import { natTypes } from '#internal/easytier/nat/natType'
import { namedNodes } from '#internal/easytier/transport/namedNode'
import { createUdpTransport, type UdpTransport } from '#internal/easytier/transport/udpTransport'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('How the internet sees a socket, on real ones')

const clock = createSystemClock()
const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
const tools = { transports, clock, randomBytes: (size: number) => new Uint8Array(randomBytes(size)) }
const { signal } = new AbortController()
let opened: UdpTransport[] = []

const open = async () => {
  const endpoint = createUdpTransport({ ...tools, socket: await transports.openUdp(0) })
  opened.push(endpoint)
  return endpoint
}
/** What a shared node's listener does. */
const server = async () => {
  const endpoint = await open()
  endpoint.accept((link) => link.close())
  return { address: '127.0.0.1', port: endpoint.port }
}

test.after.each(() => {
  for (const endpoint of opened) endpoint.close()
  opened = []
})

test('two servers that see the same address, which is our own: no router between', async () => {
  const udp = await open()
  const { type, mapped } = await detectUdpNat(udp, [await server(), await server()], tools, signal)
  assert.is(type, natTypes.openInternet)
  assert.equal(mapped, { address: '127.0.0.1', port: udp.port })
})

test('one answer is too few to know, and none is no failure', async () => {
  const udp = await open()
  const dead = { address: '127.0.0.1', port: 9 }
  assert.is((await detectUdpNat(udp, [await server(), dead], tools, signal)).type, natTypes.unknown)
  const nothing = { type: natTypes.unknown, mapped: undefined, addresses: [] }
  assert.equal(await detectUdpNat(udp, [dead], tools, signal), nothing)
  assert.is(await detectTcpNat([dead, dead], 0, tools, signal), natTypes.unknown)
})

test('a stop ends the asking, without any of the time that it would take', async () => {
  const controller = new AbortController()
  const still = { ...tools, clock: createFakeClock() }
  const asking = detectUdpNat(await open(), [{ address: '127.0.0.1', port: 9 }], still, controller.signal)
  controller.abort()
  assert.is((await asking).type, natTypes.unknown)
  assert.is(still.clock.timers, 0)
})

test('servers are those that are configured, and the UDP listeners of shared nodes, but none of an invitation that is here', async () => {
  const found = await stunServers(
    ['127.0.0.2:3478', 'name.invalid:3478'],
    namedNodes({
      nodes: ['tcp://127.0.0.3:11010', 'udp://127.0.0.4:11010', 'udp://127.0.0.4:11010'],
      invitedNodes: ['udp://127.0.0.5:11010', 'udp://[::1]:11010'],
    }),
    tools,
    signal,
  )
  assert.equal(found, [
    { address: '127.0.0.4', port: 11_010 },
    { address: '127.0.0.2', port: 3478 },
  ])
})

test.run()
