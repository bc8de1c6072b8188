import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { type InnerTarget, openServedTarget } from '#support/room/roomTargets'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'
import { type OpenApi, problemBy } from '../http/openApi'
import { got, postJson, refused, statusOf, untilState } from './asking'
import { type Listener, listen, SNAPSHOT, tellLine } from './listener'

const test = suite('the feed at /ws')

const SNAPSHOT_TYPES = ['hello', 'state', 'profiles', 'guests', 'status']
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

test('begins with a greeting, the state, the players and the status, so that nobody needs to ask', async () => {
  const listener = await connected()
  const [hello, state, profiles, guests, status] = await listener.count(SNAPSHOT)
  const index = target.api.feed.index()
  const { runId, contractVersion } = await got(target.send('/meta'))
  assert.equal(hello, { type: 'hello', runId, contractVersion, isResumed: false, index })
  assert.equal(state, { type: 'state', state: 'waiting', role: null, room: null, index })
  assert.equal(profiles, { type: 'profiles', profiles: [], index })
  assert.equal(guests, { type: 'guests', guests: [], connections: [], index })
  const { players: _1, guests: _2, connections: _3, lastUpdate: _4, ...record } = await statusOf(target)
  assert.equal(status, { type: 'status', ...record, url: null, index })
})

/** The name by which the document describes such a message. */
function schemaOf({ type }: { readonly type: string }): string {
  return `Feed${type[0]?.toUpperCase()}${type.slice(1)}`
}

test('every message is as the document says', async () => {
  const document = await got<OpenApi>(target.send('/openapi.json'))
  const listener = await connected()
  await listener.count(SNAPSHOT)
  const first = target.api.feed.index()
  await target.send(`/state/scanning?player=Alex&gamePort=${world.port}`)
  await untilState(target, 'host-ok')
  target.api.feed.publish({ type: 'worlds', servers: [], count: 0 })
  await listener.count(SNAPSHOT + target.api.feed.index() - first)
  const types = { hello: 0, state: 0, profiles: 0, guests: 0, status: 0, worlds: 0, log: 0 }
  for (const message of listener.messages) {
    types[message.type] += 1
    const name = schemaOf(message)
    const schema = document.components.schemas[name]
    assert.ok(schema, name)
    assert.equal(Object.keys(message).sort(), [...(schema.required ?? [])].sort())
    assert.is(problemBy(document, name, message), undefined, JSON.stringify(message))
  }
  const isEachThere = Object.values(types).every((count) => count > 0)
  assert.ok(isEachThere, JSON.stringify(types))
})

test('the world’s port and what the host waits for are told', async () => {
  const listener = await connected()
  await listener.count(SNAPSHOT)
  await target.send('/state/scanning?player=Alex&gamePort=1')
  await untilState(target, 'host-scanning')
  await postJson(target, '/room/host/game', { gamePort: world.port })
  await untilState(target, 'host-ok')
  const told = listener.messages.flatMap((message) =>
    message.type === 'status' ? [[message.gamePort, message.hint?.slice(0, 25) ?? null]] : [],
  )
  const isAsked = told.some(([port, hint]) => port === 0 && hint === 'Open your world on port 1')
  assert.ok(isAsked, JSON.stringify(told))
  assert.equal(told.at(-1), [world.port, null])
})

test('tells every change of a room in order, each with the next index', async () => {
  const listener = await connected()
  await listener.count(SNAPSHOT)
  const first = target.api.feed.index()
  await target.send(`/state/scanning?player=Alex&gamePort=${world.port}`)
  const { room } = await untilState(target, 'host-ok')
  await postJson(target, '/room/stop')
  await listener.count(SNAPSHOT + target.api.feed.index() - first)
  const news = listener.messages.slice(SNAPSHOT)
  const expected = news.map((_, at) => first + 1 + at)
  assert.equal(each(news, 'index'), expected)
  const document = await got<OpenApi>(target.send('/openapi.json'))
  for (const message of news) assert.is(problemBy(document, schemaOf(message), message), undefined)
  const states = news.flatMap((message) => (message.type === 'state' ? [message] : []))
  const hosting = ['host-scanning', 'host-scanning', 'host-starting', 'host-starting', 'host-ok']
  assert.equal(each(states, 'state'), [...hosting, 'waiting', 'waiting'])
  assert.equal(each(states, 'role'), [...hosting.map(() => 'host'), null, null])
  assert.equal(each(states, 'room'), [...hosting.map(() => room), null, null])
  const players = news.flatMap((message) => (message.type === 'profiles' ? [message.profiles.length] : []))
  assert.equal(players, [1, 0])
  const logs = news.flatMap((message) => (message.type === 'log' ? [message] : []))
  assert.ok(logs.length >= 3)
  for (const { level, message } of logs) {
    assert.ok(['info', 'warn', 'error'].includes(level))
    assert.not.ok(message.includes(room?.slice(12) ?? '?'), message)
  }
})

test('goes on after the last message that a client has seen', async () => {
  const { feed } = target.api
  for (let number = 1; number <= 5; number++) tellLine(feed, `line ${number}`)
  const seen = feed.index() - 2
  const listener = await connected({ query: `?since=${seen}` })
  tellLine(feed, 'line 6')
  const [hello, ...messages] = await listener.count(4)
  // A client that keeps every index asks for the same messages again if its connection is cut before they come.
  assert.equal([hello?.type === 'hello' && hello.isResumed, hello?.index], [true, seen])
  const lines = messages.map((message) => message.type === 'log' && message.message)
  assert.equal(each(messages, 'index'), [seen + 1, seen + 2, seen + 3])
  assert.equal(lines, ['line 4', 'line 5', 'line 6'])
})

test('an index of another run gets a snapshot, one of this run what was missed', async () => {
  const { log, feed } = target.api
  log.info('line 1')
  log.info('line 2')
  const since = feed.index() - 1
  const stranger = await connected({ query: `?since=${since}&run=another` })
  assert.equal(each(await stranger.count(SNAPSHOT), 'type'), SNAPSHOT_TYPES)
  const same = await connected({ query: `?since=${since}&run=${feed.runId}` })
  const [hello, missed] = await same.count(2)
  assert.equal([hello?.type, missed?.type, missed?.index], ['hello', 'log', feed.index()])
})

test('an index that is too old, or ahead, gets a snapshot', async () => {
  const { feed } = target.api
  for (let number = 0; number < 1005; number++) tellLine(feed, `line ${number}`)
  for (const since of [0, 1, feed.index() - 1001, feed.index() + 1, 999_999]) {
    const listener = await connected({ query: `?since=${since}` })
    const messages = await listener.count(SNAPSHOT)
    assert.equal(each(messages, 'type'), SNAPSHOT_TYPES, `since ${since}`)
    const last = SNAPSHOT_TYPES.map(() => feed.index())
    assert.equal(each(messages, 'index'), last, `since ${since}`)
  }
  const oldest = await connected({ query: `?since=${feed.index() - 1000}` })
  assert.is((await oldest.count(1001)).length, 1001)
})

test('goes to every listener, and to none that has left', async () => {
  const [first, second] = [await connected(), await connected()]
  await Promise.all([first.count(SNAPSHOT), second.count(SNAPSHOT)])
  await first.close()
  // A change of the room can come beside the snapshot.
  const heard = [first.messages.length, second.messages.length] as const
  target.api.log.info('hello')
  await second.count(heard[1] + 1)
  assert.is(first.messages.length, heard[0])
})

test('what a client says is not listened to', async () => {
  const listener = await connected()
  await listener.count(SNAPSHOT)
  for (const said of ['', '{"type":"stop"}', 'x'.repeat(60_000), Buffer.alloc(1000, 0xff)])
    listener.socket.send(said)
  target.api.log.info('still there')
  await listener.count(SNAPSHOT + 1)
})

test('a client that says too much, or nonsense, is dropped, and nobody else', async () => {
  const bystander = await connected()
  await bystander.count(SNAPSHOT)
  const huge = await connected()
  huge.socket.send('x'.repeat(64 * 1024 + 1))
  await huge.closed
  const garbled = await connected()
  // @ts-expect-error the socket below, to write what no client would
  garbled.socket._socket.write(Buffer.from('ffffffffffffffffffff', 'hex'))
  await garbled.closed
  target.api.log.info('still there')
  await bystander.count(SNAPSHOT + 1)
  assert.is((await target.send('/meta')).status, 200)
})

test('an offer of another protocol than WebSocket is passed over', async () => {
  const headers = {
    Connection: 'Upgrade, HTTP2-Settings',
    Upgrade: 'h2c',
    'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
  }
  for (const path of ['/meta', '/state']) assert.is((await target.send(path, { headers })).status, 200)
  const post = (body: string | string[]) =>
    target.send('/config/launcher', {
      method: 'POST',
      body,
      headers: { ...headers, 'Content-Type': 'application/json' },
    })
  const posted = await post(JSON.stringify({ launcherCustomString: 'Java' }))
  assert.is(posted.status, 200, await posted.text())
  await refused(post(['{"launcherCustomString"', ':7', '}']), 400, /^launcherCustomString/)
  await refused(target.send('/ws', { headers }), 426)
  await refused(target.send('/meta', { headers: { ...headers, Origin: 'https://evil.example' } }), 403)
})

test.run()
