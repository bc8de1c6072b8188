import * as assert from 'uvu/assert'
import type { FeedMessage } from '#core/room/service/feed'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { type InnerTarget, openServedTarget } from '#support/room/roomTargets'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { suite } from '#support/runner/suite'
import { hasShape, postJson, refused, until } from './asking'
import { type Listener, listen } from './listener'

const test = suite('the feed at /ws')

const { roomNetwork } = createMemoryNetwork()
let world: TestWorld
let target: InnerTarget
let open: Listener[] = []

test.before(async () => {
  world = await startWorld()
})
test.before.each(async () => {
  target = await openServedTarget(roomNetwork)
})
test.after.each(async () => {
  await Promise.all(open.map((listener) => listener.close()))
  open = []
  await target.stop()
})
test.after(() => world.close())

async function connected(options?: Parameters<typeof listen>[1]): Promise<Listener> {
  const listener = await listen(target.url, options)
  open.push(listener)
  return listener
}

test('begins with the state and the players, so that nobody needs to ask', async () => {
  const listener = await connected()
  const [state, profiles] = await listener.count(2)
  const index = target.api.feed.index()
  assert.equal(state, { type: 'state', state: 'waiting', role: null, room: null, index })
  assert.equal(profiles, { type: 'profiles', profiles: [], index })
})

test('tells every change of a room in order, each with the next index', async () => {
  const listener = await connected()
  await listener.count(2)
  const first = target.api.feed.index()
  await target.send(`/state/scanning?player=Alex&gamePort=${world.port}`)
  const { room } = await until(target, 'host-ok')
  await postJson(target, '/room/stop')
  await listener.count(2 + target.api.feed.index() - first)
  const news = listener.messages.slice(2)
  assert.equal(
    news.map(({ index }) => index),
    news.map((_, at) => first + 1 + at),
  )
  for (const message of news) hasShape(message, SHAPES[message.type])
  assert.equal(
    news.flatMap((message) =>
      message.type === 'state' ? [[message.state, message.role, message.room]] : [],
    ),
    [
      ['host-scanning', 'host', room],
      ['host-scanning', 'host', room],
      ['host-starting', 'host', room],
      ['host-starting', 'host', room],
      ['host-ok', 'host', room],
      ['waiting', null, null],
      ['waiting', null, null],
    ],
  )
  const players = news.flatMap((message) => (message.type === 'profiles' ? [message.profiles.length] : []))
  assert.equal(players, [1, 0])
  const logs = news.flatMap((message) => (message.type === 'log' ? [message] : []))
  assert.ok(logs.length >= 3)
  for (const { level, message } of logs) {
    assert.ok(['info', 'warn', 'error'].includes(level))
    assert.not.ok(message.includes(room?.slice(12) ?? '?'), message)
  }
})

const SHAPES: Readonly<Record<FeedMessage['type'], Readonly<Record<string, string>>>> = {
  state: { type: 'string', state: 'string', role: 'string?', room: 'string?', index: 'integer' },
  profiles: { type: 'string', profiles: 'array', index: 'integer' },
  log: { type: 'string', level: 'string', message: 'string', timestamp: 'time', index: 'integer' },
}

test('goes on after the last message that a client has seen', async () => {
  const { log, feed } = target.api
  for (let number = 1; number <= 5; number++) log.info(`line ${number}`)
  const seen = feed.index() - 2
  const listener = await connected({ query: `?since=${seen}` })
  log.info('line 6')
  const messages = await listener.count(3)
  assert.equal(
    messages.map((message) => [message.index, message.type === 'log' && message.message]),
    [
      [seen + 1, 'line 4'],
      [seen + 2, 'line 5'],
      [seen + 3, 'line 6'],
    ],
  )
})

test('a client that has seen all gets nothing but what is new', async () => {
  const { log, feed } = target.api
  const listener = await connected({ query: `?since=${feed.index()}` })
  log.warn('news')
  const [message] = await listener.count(1)
  assert.is(message?.type, 'log')
  assert.is(listener.messages.length, 1)
})

test('an index that is too old, or of another run, gets a snapshot', async () => {
  const { log, feed } = target.api
  for (let number = 0; number < 1005; number++) log.info(`line ${number}`)
  for (const since of [0, 1, feed.index() - 1001, feed.index() + 1, 999_999]) {
    const listener = await connected({ query: `?since=${since}` })
    const messages = await listener.count(2)
    assert.equal(
      messages.map(({ type, index }) => [type, index]),
      [
        ['state', feed.index()],
        ['profiles', feed.index()],
      ],
      `since ${since}`,
    )
  }
  const oldest = await connected({ query: `?since=${feed.index() - 1000}` })
  assert.is((await oldest.count(1000)).length, 1000)
})

test('goes to every listener, and to none that has left', async () => {
  const [first, second] = [await connected(), await connected()]
  await Promise.all([first.count(2), second.count(2)])
  await first.close()
  target.api.log.info('hello')
  await second.count(3)
  assert.is(first.messages.length, 2)
})

test('what a client says is not listened to', async () => {
  const listener = await connected()
  await listener.count(2)
  for (const said of ['', '{"type":"stop"}', 'x'.repeat(60_000), Buffer.alloc(1000, 0xff)])
    listener.socket.send(said)
  target.api.log.info('still there')
  await listener.count(3)
})

test('a client that says too much, or nonsense, is dropped, and nobody else', async () => {
  const bystander = await connected()
  await bystander.count(2)
  const huge = await connected()
  huge.socket.send('x'.repeat(64 * 1024 + 1))
  await huge.closed
  const garbled = await connected()
  // @ts-expect-error the socket below, to write what no client would
  garbled.socket._socket.write(Buffer.from('ffffffffffffffffffff', 'hex'))
  await garbled.closed
  target.api.log.info('still there')
  await bystander.count(3)
  assert.is((await target.send('/meta')).status, 200)
})

test('an offer of another protocol than WebSocket is passed over', async () => {
  const headers = {
    Connection: 'Upgrade, HTTP2-Settings',
    Upgrade: 'h2c',
    'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
  }
  for (const path of ['/meta', '/state']) assert.is((await target.send(path, { headers })).status, 200)
  const posted = await target.send('/config/launcher', {
    method: 'POST',
    body: JSON.stringify({ launcherCustomString: 'Java' }),
    headers: { ...headers, 'Content-Type': 'application/json' },
  })
  assert.is(posted.status, 200, await posted.text())
  const pieces = ['{"launcherCustomString"', ':7', '}']
  await refused(
    target.send('/config/launcher', {
      method: 'POST',
      body: pieces,
      headers: { ...headers, 'Content-Type': 'application/json' },
    }),
    400,
    /^launcherCustomString/,
  )
  await refused(target.send('/ws', { headers }), 426)
  await refused(target.send('/meta', { headers: { ...headers, Origin: 'https://evil.example' } }), 403)
})

test.run()
