import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { createNodeProbe } from '@lantern-room/easytier'
import { encodeStunRequest } from '@lantern-room/easytier/wire'
import { WebSocket } from 'ws'
import { startRelay } from '#support/network/relay'
import { readStunResponse } from '#support/network/stun'
import { closingOfEachTest } from '#support/process/closing'
import { openSocketServer } from '#support/process/openPort'
import { listening, runRoomCommand, testCommands } from '#support/room/roomCommand'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { silentLog } from '#support/values/testLog'
import { until } from '#support/values/until'

const test = suite('room relay', { timeoutMs: 60_000 })
const onPosix = test.skipUnless(process.platform !== 'win32', 'there are no signals')

const ANY = ['--host', '127.0.0.1', '--tcp', 'any', '--udp', 'any', '--ws', 'any']
const clock = createSystemClock()
const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
const probe = createNodeProbe({ transports, clock, randomBytes: noise })
const { keep, add } = closingOfEachTest(test)
const { start: startCommand } = testCommands(test)

async function start(args: readonly string[] = ANY, settings: Readonly<Record<string, string>> = {}) {
  const command = startCommand(['relay', ...args], settings)
  return { command, ...(await listening<{ urls: Record<string, string>; pid: number }>(command)) }
}

test('settings and options that no longer exist are told, with what to use instead', async () => {
  const { command } = await start(ANY, { ROOM_RELAY_MONTHLY_BYTES: '1000', ROOM_RELAY_TLS_CERT: '/cert.pem' })
  assert.match(
    command.stderr(),
    /^ROOM_RELAY_MONTHLY_BYTES no longer exists: ROOM_RELAY_TOTAL_BYTES_PER_SECOND/m,
  )
  assert.match(command.stderr(), /^ROOM_RELAY_TLS_CERT no longer exists: .*reverse proxy/m)
  const refused = await runRoomCommand(['relay', ...ANY], { ROOM_RELAY_PASSWORD: 'correct-horse.battery' })
  assert.equal([refused.exit, refused.stdout], [3, ''])
  assert.match(refused.stderr, /^ROOM_RELAY_PASSWORD no longer exists: .*reverse proxy/m)
  assert.match(refused.stderr, 'open to everyone')
  assert.not.match(refused.stderr, 'correct-horse')
})

test('the ws port tells monitors elsewhere how it is, in one word', async () => {
  const { urls } = await start()
  const health = await fetch(`${urls.ws?.replace('ws:', 'http:')}/health`)
  assert.is(health.status, 200)
  assert.equal(await health.json(), { status: 'ok' })
})

test('it says where it listens, and is a shared node there by tcp, udp and ws', async () => {
  const { command, urls, pid } = await start()
  assert.is(pid, command.child.pid)
  assert.equal(Object.keys(urls), ['tcp', 'udp', 'ws'])
  for (const url of Object.values(urls)) {
    const askedAt = performance.now()
    const answer = await probe(url, 60_000)
    const took = performance.now() - askedAt
    assert.ok('isSharedNode' in answer, `${url}: ${JSON.stringify(answer)}`)
    assert.is(answer.isSharedNode, true)
    assert.ok(answer.latencyMs >= 0 && answer.latencyMs <= took, `${answer.latencyMs} of ${took} ms`)
  }
  assert.is(command.stdout().trim().split('\n').length, 1)
})

onPosix('SIGTERM and SIGINT stop it in order, with members on it, in less than two seconds', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { command, urls } = await start()
    const socket = connect(Number(new URL(urls.tcp ?? '').port), '127.0.0.1')
    await once(socket, 'connect')
    const cut = once(socket, 'close')
    const { exit, ms } = await command.stop(signal)
    assert.is(exit, 0)
    command.isPrompt(ms)
    await cut
    assert.match(command.stderr(), '"message":"relay"')
  }
})

onPosix('SIGUSR1 logs its counters', async () => {
  const { command } = await start()
  command.child.kill('SIGUSR1')
  const [line] = await command.said(/^\{.*"message":"relay".*\}$/m)
  const { rooms, members, links, relayedBytes } = JSON.parse(line) as Record<string, unknown>
  assert.equal([rooms, members, links, relayedBytes], [0, 0, 0, 0])
  await sleep(100)
  assert.is(command.child.exitCode, null)
})

test('a listener is left out with port 0, and none at all is refused', async () => {
  const { urls } = await start(['--host', '127.0.0.1', '--tcp', 'any', '--udp', '0', '--ws', '0'])
  assert.equal(Object.keys(urls), ['tcp'])
  const none = await runRoomCommand(['relay', '--tcp', '0', '--udp', '0', '--ws', '0'])
  assert.is(none.exit, 3)
  assert.match(none.stderr, /one of them is needed/)
})

test('an address that this machine does not have is named with its setting', async () => {
  const { exit, stderr } = await runRoomCommand(['relay', ...ANY, '--host', '192.0.2.1'])
  assert.is(exit, 3)
  assert.match(stderr, /: This machine has no address 192\.0\.2\.1: set ROOM_RELAY_HOST to one that it has/)
})

test('a port that is in use is named with its setting, and nothing stays open', async () => {
  const { port, close } = await openSocketServer(() => {})
  add(close)
  const { exit, stderr, stdout } = await runRoomCommand(['relay', ...ANY, '--tcp', String(port)])
  assert.equal([exit, stdout], [3, ''])
  assert.match(stderr, `The tcp port ${port} on 127.0.0.1 cannot be used (the port is in use)`)
  assert.match(stderr, 'ROOM_RELAY_TCP_PORT')
})

test('its udp listener is a STUN server for nodes, and silent for others', async () => {
  const relay = keep(await startRelay())
  const socket = createSocket('udp4')
  add(async () => socket.close())
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const port = Number(new URL(relay.urls.udp.replace('udp:', 'http:')).port)
  const heard: Uint8Array[] = []
  socket.on('message', (bytes) => void heard.push(bytes))
  socket.send(encodeStunRequest(noise(12)), port, '127.0.0.1')
  await sleep(200)
  assert.is(heard.length, 0)
  const id = Uint8Array.of(0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 0, ...noise(4))
  socket.send(encodeStunRequest(id), port, '127.0.0.1')
  await once(socket, 'message')
  const answer = readStunResponse(heard[0] ?? new Uint8Array(0))
  assert.equal([...(answer?.id ?? [])], [...id])
  assert.equal(answer?.mapped, { address: '127.0.0.1', port: socket.address().port })
})

test('by WebSocket only binary messages of a packet are taken, and proxies are not believed', async () => {
  const relay = keep(await startRelay({ connectionsPerAddress: 2 }))
  const web = relay.urls.ws.replace('ws:', 'http:')
  const plain = await fetch(web)
  await plain.body?.cancel()
  assert.is(plain.status, 426)
  for (const message of ['text', noise(15), noise(2001)]) {
    const client = new WebSocket(relay.urls.ws)
    client.on('error', () => {})
    await once(client, 'open')
    const closed = once(client, 'close')
    client.send(message)
    await closed
  }
  const open = (address: string) => {
    const client = new WebSocket(relay.urls.ws, { headers: { 'X-Forwarded-For': address } })
    return client.on('error', () => {})
  }
  const clients = [open('192.0.2.1'), open('192.0.2.2')]
  await Promise.all(clients.map((client) => once(client, 'open')))
  await once(open('192.0.2.3'), 'close')
  assert.is(relay.counters().connections, 2)
  for (const client of clients) client.terminate()
})

test('slow and silent connections are cut off, half a request too', async () => {
  const relay = keep(await startRelay())
  const ports = [relay.urls.tcp, relay.urls.ws].map((url) => Number(url.split(':').at(-1)))
  const sockets = ports.map((port) => connect(port, '127.0.0.1'))
  for (const socket of sockets) socket.on('error', () => {}).resume()
  sockets[1]?.write('GET / HTTP/1.1\r\nHost: x\r\n')
  const startedAt = performance.now()
  await Promise.all(sockets.map((socket) => once(socket, 'close')))
  const ms = performance.now() - startedAt
  assert.ok(ms > 3000 && ms < 60_000, `${ms} ms`)
  // The relay may hear of it later than the other end.
  await until('no connection is left', () => relay.counters().connections === 0)
})

test.run()
