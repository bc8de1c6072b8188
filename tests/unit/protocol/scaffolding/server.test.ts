import { THIS_MACHINE } from '#internal/protocol/members'
import { FRAME_TIMEOUT_MS } from '#internal/protocol/scaffolding/wire/exchange'
import { isSettled, settle } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { hex } from '#support/values/hex'
import { connect, createHosted, disconnect, encode, shown, wire } from './hosted'

const test = suite('the room protocol’s server', { setUp: () => createHosted(), tearDown: disconnect })

test('requests that come at once are answered one by one and in order', async (hosted) => {
  const { stream, read } = connect(hosted, { memberId: THIS_MACHINE })
  const bodies = Array.from({ length: 300 }, (_, count) => `${count}`)
  await stream.write(Uint8Array.from(bodies.flatMap((body) => [...encode('c:ping', body)])))
  for (const body of bodies) assert.is(shown(await read()), `0 ${body}`)
})

test('who does not read the answers is not answered further, and loses nothing', async (hosted) => {
  const { stream, served, read } = connect(hosted, { capacity: 64, memberId: THIS_MACHINE })
  const asked = (async () => {
    for (let count = 0; count < 200; count++) await stream.write(encode('c:ping', `${count}`))
  })()
  await settle()
  for (let count = 0; count < 200; count++) assert.is(shown(await read()), `0 ${count}`)
  await asked
  await stream.end()
  await served
})

test('an oversized body is refused when only its header is there, after which the stream closes', async () => {
  const hosted = createHosted()
  const { stream, served, ask } = connect(hosted)
  assert.is(
    shown(await ask(hex('06 633a70696e67 00010001'))),
    '255 The body of 65537 bytes is too long: at most 65536.',
  )
  assert.is(await stream.read(), undefined)
  await served
  assert.is(hosted.serving.size, 0)
})

test('a connection that ends within a request ends quietly', async (hosted) => {
  const { stream, served } = connect(hosted)
  await stream.write(hex('06 633a'))
  await stream.end()
  await served
  assert.equal(hosted.lines, [])
  assert.is(hosted.clock.timers, 0)
})

test('a connection that says nothing is closed after 64 s', async (hosted) => {
  const { stream, served } = connect(hosted)
  await hosted.clock.advance(FRAME_TIMEOUT_MS - 1)
  assert.is(await isSettled(stream.closed), false)
  await hosted.clock.advance(1)
  assert.is(await isSettled(stream.closed), true)
  await served
})

test('a byte now and then does not keep a connection open; a whole request does', async (hosted) => {
  const slow = connect(hosted)
  const busy = connect(hosted)
  const request = encode('c:ping', 'a request of some length')
  for (let at = 0; at < 12; at++) {
    await slow.stream.write(request.slice(at, at + 1)).catch(() => {})
    assert.is(shown(await busy.ask(request)).slice(0, 2), '0 ')
    await hosted.clock.advance(8_000)
    assert.is(hosted.serving.size, at < 7 ? 2 : 1, `after ${at + 1} bytes`)
  }
  await slow.served
  busy.stream.destroy()
  await busy.served
  assert.is(hosted.clock.timers, 0)
})

test('64 connections are served and the next one is closed, until one goes', async (hosted) => {
  const connections = Array.from({ length: 64 }, (_, at) => connect(hosted, { memberId: `member ${at}` }))
  for (const { ask } of connections) assert.is(shown(await ask(encode('c:ping', 'x'))), '0 x')
  for (const late of [connect(hosted), connect(hosted)]) {
    await late.served
    assert.is(await isSettled(late.stream.closed), true)
  }
  assert.equal(hosted.lines, ['the room protocol refuses more connections'])
  connections[0]?.stream.destroy()
  await connections[0]?.served
  const next = connect(hosted)
  assert.is(shown(await next.ask(encode('c:ping', 'x'))), '0 x')
  for (const { stream } of [...connections, next]) stream.destroy()
  await Promise.all([...connections, next].map(({ served }) => served))
  assert.is(hosted.serving.size, 0)
})

test('a member’s requests beyond its rate are answered later, over all of its connections; others wait for none', async () => {
  const hosted = createHosted()
  const { clock, overShares } = hosted
  const [one, other] = [connect(hosted), connect(hosted)]
  for (let count = 0; count < 100; count++) await one.ask(encode('c:ping', 'x'))
  const answers: string[] = []
  const asked = [one, other].map(({ ask }) =>
    ask(encode('c:ping', 'late')).then((answer) => answers.push(shown(answer))),
  )
  const friend = connect(hosted, { memberId: 'a friend' })
  assert.is(shown(await friend.ask(encode('c:ping', 'x'))), '0 x')
  assert.equal([answers, overShares], [[], ['a member requests delayed', 'a member requests delayed']])
  await clock.advance(100)
  assert.is(answers.length, 1)
  await clock.advance(100)
  await Promise.all(asked)
  for (const { stream } of [one, other, friend]) stream.destroy()
  await Promise.all([one, other, friend].map(({ served }) => served))
  assert.is(clock.timers, 0)
})

test('a storm of renames is two a second after the first ten', async (hosted) => {
  const { stream, served, read } = connect(hosted)
  const names = Array.from({ length: 50 }, (_, count) => `Steve ${count}`)
  const storm = names.flatMap((name) => [...encode('c:player_ping', JSON.stringify({ ...wire, name }))])
  await stream.write(Uint8Array.from(storm))
  let answered = 0
  const listening = (async () => {
    while (await read()) answered += 1
  })().catch(() => {})
  await settle()
  assert.equal([answered, hosted.registry.list()[1]?.name], [10, 'Steve 9'])
  await hosted.clock.advance(2000)
  assert.equal([answered, hosted.registry.list()[1]?.name], [14, 'Steve 13'])
  stream.destroy()
  await Promise.all([served, listening])
})

test.run()
