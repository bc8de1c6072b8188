import { randomBytes } from 'node:crypto'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { detectNat, natTypes } from '@lantern-room/easytier'
import { createUdpTransport } from '@lantern-room/easytier/transport'
import { reportNat } from '@lantern-room/room/network'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('How the internet sees a socket, on real ones')

const clock = createSystemClock()
const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
const tools = { transports, clock, randomBytes: (size: number) => new Uint8Array(randomBytes(size)) }
const { signal } = new AbortController()
let opened: ReturnType<typeof createUdpTransport>[] = []

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

test('the types of both transports are detected by sockets of its own; without an answer they are unknown', async () => {
  const [one, other] = [await server(), await server()]
  const nodes = [one, other].map(({ port }) => `udp://127.0.0.1:${port}`)
  const { openInternet, unknown } = natTypes
  const none: readonly string[] = []
  assert.equal(await detectNat({ ...tools, stunServers: none, nodes }, signal), {
    udp: openInternet,
    tcp: unknown,
  })
  assert.equal(await detectNat({ ...tools, stunServers: none, nodes: none }, signal), {
    udp: unknown,
    tcp: unknown,
  })
})

test('the report is in words, and undefined where nobody answers', async () => {
  const [one, other] = [await server(), await server()]
  const stun = [one, other].map(({ address, port }) => `${address}:${port}`)
  assert.equal(await reportNat({ ...tools, stun, nodes: [] }, 3000), {
    kind: 'open',
    udp: 'open internet',
    tcp: 'unknown',
  })
  assert.is(await reportNat({ ...tools, stun: ['127.0.0.1:9'], nodes: [] }, 500), undefined)
})

test.run()
