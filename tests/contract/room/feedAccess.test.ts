import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { type InnerTarget, openServedTarget } from '#support/room/roomTargets'
import { assert, suite } from '#support/runner/suite'
import { refused } from './asking'
import { askedUpgrade, type Listener, listen, openMute, SNAPSHOT } from './listener'
import { GUARD } from './roomContract'

const test = suite('who may listen at /ws')

const { roomNetwork } = createMemoryNetwork()
let open: InnerTarget
let guarded: InnerTarget
let listeners: Listener[] = []

test.before(async () => {
  open = await openServedTarget(roomNetwork)
  guarded = await openServedTarget(roomNetwork, {
    ROOM_API_TOKEN: GUARD.token,
    ROOM_ALLOWED_ORIGINS: GUARD.origin,
  })
})
test.after.each(async () => {
  await Promise.all(listeners.map((listener) => listener.close()))
  listeners = []
})
test.after(() => Promise.all([open.stop(), guarded.stop()]).then(() => {}))

async function heard(url: string, options: Parameters<typeof listen>[1]): Promise<Listener> {
  const listener = await listen(url, options)
  listeners.push(listener)
  await listener.count(SNAPSHOT)
  return listener
}

test('a token is taken in the header, in the address, and as a subprotocol', async () => {
  const { url } = guarded
  await heard(url, { headers: { Authorization: `Bearer ${GUARD.token}` } })
  await heard(url, { query: `?token=${encodeURIComponent(GUARD.token)}` })
  await heard(url, { query: `?since=99999&token=${GUARD.token}` })
  const { socket } = await heard(url, { protocols: ['lantern', GUARD.token] })
  assert.is(socket.protocol, GUARD.token)
  await heard(url, { origin: GUARD.origin, query: `?token=${GUARD.token}` })
})

test('without the right token nobody listens', async () => {
  for (const [path, headers] of [
    ['/ws', {}],
    ['/ws?token=', {}],
    [`/ws?token=${GUARD.token}x`, {}],
    [`/ws?Token=${GUARD.token}`, {}],
    ['/ws', { Authorization: `Basic ${GUARD.token}` }],
    ['/ws', { Authorization: 'Bearer wrong' }],
    ['/ws', { 'Sec-WebSocket-Protocol': 'wrong, also-wrong' }],
  ] as const)
    await refused(askedUpgrade(guarded.url, path, headers), 401, /token is missing or wrong/)
})

test('a foreign page, a foreign host name and a wrong index are refused', async () => {
  for (const Origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', GUARD.origin])
    await refused(askedUpgrade(open.url, '/ws', { Origin }), 403, /may not use this service/)
  for (const Host of ['evil.example', `evil.example:${new URL(open.url).port}`, '10.0.0.1'])
    await refused(askedUpgrade(open.url, '/ws', { Host }), 403, /header Host/)
  await refused(askedUpgrade(open.url, '/ws', { 'Sec-Fetch-Site': 'cross-site' }), 403)
  for (const since of ['-1', 'x', '1.5', '1e3', '9'.repeat(16)])
    await refused(askedUpgrade(open.url, `/ws?since=${since}`), 400, /^since must/)
  await refused(askedUpgrade(open.url, '/ws?sinse=1'), 400, /Did you mean since\?/)
  // The guards come before the token: a page learns nothing of it.
  const foreign = { Origin: 'https://evil.example', Authorization: `Bearer ${GUARD.token}` }
  await refused(askedUpgrade(guarded.url, '/ws', foreign), 403)
})

test('the own page may listen, and a subprotocol that is offered without need is answered', async () => {
  const { origin } = new URL(open.url)
  assert.is((await askedUpgrade(open.url, '/ws', { Origin: origin })).status, 299)
  const { socket } = await heard(open.url, { protocols: ['one', 'two'] })
  assert.is(socket.protocol, 'one')
})

test('there is no WebSocket at any other address', async () => {
  for (const path of ['/', '/meta', '/ws/', '/ws/x', '/state/scanning', '/WS', '//ws', '/x?/ws'])
    await refused(askedUpgrade(open.url, path), 404, /\/ws only/)
  assert.is((await open.send('/state')).status, 200)
})

test('a handshake that is none is refused like everything else', async () => {
  for (const headers of [
    { 'Sec-WebSocket-Key': 'short' },
    { 'Sec-WebSocket-Version': '7' },
    { 'Sec-WebSocket-Protocol': 'a,,b' },
  ])
    await refused(askedUpgrade(open.url, '/ws', headers), 400, /handshake of a WebSocket/)
})

test('one who is refused and does not close is disconnected', async () => {
  const socket = await openMute(open.url, { path: '/nowhere', allowHalfOpen: true })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  // The system tells of a closed connection by the answer to further bytes.
  const asking = setInterval(() => socket.write('x'), 20)
  const late = setTimeout(() => socket.destroy(new Error('it is still open')), 5000)
  await closed
  clearInterval(asking)
  clearTimeout(late)
  assert.not.match(String(socket.errored), /still open/)
})

test('the 33rd listener is told to wait, also when forty come at once', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => heard(open.url, {})))
  assert.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 32)
  const answer = askedUpgrade(open.url, '/ws')
  await refused(answer, 503, /32 listeners/)
  assert.match((await answer).headers.get('Retry-After') ?? '', /^\d+$/)
  await listeners.pop()?.close()
  await heard(open.url, {})
})

test.run()
