import { X509Certificate } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { WebSocket } from 'ws'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { listenWs } from '#core/adapters/transports/listenWs'
import { createNodeTransports } from '#core/adapters/transports/nodeTransports'
import { createNodeProbe } from '#core/easytier/dialing/nodeProbe'
import { decodePacket, packetTypes } from '#core/easytier/wire/packet'
import { decodeStun, encodeStunRequest, stunTransactionId } from '#core/easytier/wire/stun'
import { startRelay } from '#support/network/relay'
import { closingOfEachTest } from '#support/process/closing'
import { openSocketServer } from '#support/process/openPort'
import { listening, runRoomCommand, testCommands } from '#support/room/roomCommand'
import { testCertificate } from '#support/room/testCredentials'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { silentLog } from '#support/values/testLog'
import { hello, ROOM } from '../../unit/easytier/relay/meeting'

const test = suite('room relay', { timeoutMs: 60_000 })
const onPosix = test.skipUnless(process.platform !== 'win32', 'there are no signals')

const ANY = ['--host', '127.0.0.1', '--tcp', 'any', '--udp', 'any', '--ws', 'any']
const clock = createSystemClock()
const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
const probe = createNodeProbe({ transports, clock, randomBytes: noise })
const { keep, add } = closingOfEachTest(test)
const { start: startCommand, makeFolder } = testCommands(test)

async function start(args: readonly string[] = ANY, settings: Readonly<Record<string, string>> = {}) {
  const command = startCommand(['relay', ...args], settings)
  return { command, ...(await listening<{ urls: Record<string, string>; pid: number }>(command)) }
}

test('its counters are there for Prometheus, and its health for a monitor', async () => {
  const command = startCommand(['relay', ...ANY, '--metrics-port', 'any'])
  const [, url] = await command.said(/"metrics":"(http:\/\/127\.0\.0\.1:\d+)"/)
  const metrics = await fetch(`${url}/metrics`)
  assert.match(metrics.headers.get('Content-Type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.match(await metrics.text(), /^room_relay_rooms 0$/m)
  assert.equal(await (await fetch(`${url}/health`)).json(), { status: 'ok' })
  assert.is((await fetch(`${url}/other`)).status, 404)
  assert.is((await command.stop('SIGTERM')).exit, 0)
})

test('a spent quota outlives a restart, and its health says so', async () => {
  const folder = await makeFolder()
  const month = new Date().toISOString().slice(0, 7)
  await writeFile(join(folder, 'relay-mine.json'), JSON.stringify({ month, bytes: 2000 }))
  const more = ['--metrics-port', 'any', '--monthly-bytes', '1000', '--data-dir', folder, '--name', 'mine']
  const command = startCommand(['relay', ...ANY, ...more])
  const [, url] = await command.said(/"metrics":"(http:\/\/127\.0\.0\.1:\d+)"/)
  const health = await fetch(`${url}/health`)
  assert.is(health.status, 503)
  const { status, quota } = (await health.json()) as { status: string; quota: Record<string, unknown> }
  assert.equal([status, quota.limit, quota.bytes], ['quota-spent', 1000, 2000])
  assert.match(await (await fetch(`${url}/metrics`)).text(), /^room_relay_quota_spent_bytes 2000$/m)
  assert.match(command.stderr(), 'the monthly quota is spent')
  assert.is((await command.stop('SIGTERM')).exit, 0)
  assert.equal(await readdir(folder), ['relay-mine.json'])
  await writeFile(join(folder, 'relay-mine.json'), 'nonsense')
  const refused = await runRoomCommand(['relay', ...ANY, ...more])
  assert.is(refused.exit, 3)
  assert.match(refused.stderr, /relay-mine\.json is not the count/)
})

test('with a certificate its ws port serves wss, and wss alone', async () => {
  const folder = await makeFolder()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const { cert, key } = testCertificate(1)
  await writeFile(certFile, cert)
  await writeFile(keyFile, key)
  const { command, urls } = await start([...ANY, '--tls-cert', certFile, '--tls-key', keyFile])
  assert.equal(Object.keys(urls), ['tcp', 'udp', 'ws'])
  const url = urls.ws ?? ''
  assert.match(url, /^wss:/)
  for (let round = 0; round < 3; round += 1) {
    const client = new WebSocket(url, { rejectUnauthorized: false })
    client.on('error', () => {})
    await once(client, 'open')
    const answered = once(client, 'message')
    client.send(hello(ROOM, 7 + round))
    const [answer] = (await answered) as [Uint8Array]
    assert.is(decodePacket(answer)?.type, packetTypes.handshake)
    client.terminate()
  }
  const plain = new WebSocket(url.replace('wss:', 'ws:'))
  const [error] = await once(plain, 'error').catch((cause: unknown) => [cause])
  assert.ok(error instanceof Error)
  assert.is((await command.stop('SIGTERM')).exit, 0)
})

test('with a password it is found at that path of the ws port alone', async () => {
  const password = 'correct-horse.battery'
  const { command, urls } = await start(['--host', '127.0.0.1', '--ws', 'any'], {
    ROOM_RELAY_PASSWORD: password,
  })
  assert.equal(Object.keys(urls), ['ws'])
  const answer = await probe(`${urls.ws}/${password}`, 60_000)
  assert.is('isSharedNode' in answer && answer.isSharedNode, true, JSON.stringify(answer))
  for (const path of ['', '/', `/${password}/`, `/${password}?x`, `/${password.toUpperCase()}`, '/health']) {
    const refused = await probe(`${urls.ws}${path}`, 60_000)
    assert.match('problem' in refused ? refused.problem : '', /status 404/, path)
  }
  assert.not.match(command.stdout() + command.stderr(), password)
})

test('the ws port tells monitors elsewhere how it is, in one word', async () => {
  const { urls } = await start()
  const health = await fetch(`${urls.ws?.replace('ws:', 'http:')}/health`)
  assert.is(health.status, 200)
  assert.equal(await health.json(), { status: 'ok' })
})

test('a renewed certificate holds for the next connection', async () => {
  const stopping = new AbortController()
  let renew: (pair: { readonly cert: string; readonly key: string }) => void = () => {}
  const certificate = {
    current: () => testCertificate(1),
    onRenewed: (listener: typeof renew) => {
      renew = listener
    },
  }
  const { port, closed } = await listenWs(['127.0.0.1'], 0, () => {}, stopping.signal, { certificate })
  add(() => {
    stopping.abort(new Error('done'))
    return closed
  })
  const shown = async () => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { fingerprint256 } = socket.getPeerCertificate()
    socket.destroy()
    return fingerprint256
  }
  assert.is(await shown(), new X509Certificate(testCertificate(1).cert).fingerprint256)
  renew(testCertificate(2))
  assert.is(await shown(), new X509Certificate(testCertificate(2).cert).fingerprint256)
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
  const id = stunTransactionId(noise(8))
  socket.send(encodeStunRequest(id), port, '127.0.0.1')
  await once(socket, 'message')
  const answer = decodeStun(heard[0] ?? new Uint8Array(0))
  assert.is(answer?.kind, 'response')
  assert.equal([...(answer?.transactionId ?? [])], [...id])
  if (answer?.kind === 'response') {
    assert.equal(answer.mapped, { address: '127.0.0.1', port: socket.address().port })
  }
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
  assert.is(relay.counters().connections, 0)
})
