import * as assert from 'uvu/assert'
import type { ByteStream } from '#core/byteStream'
import { ServiceError } from '#core/errors'
import { THIS_MACHINE } from '#core/room/ports'
import { failed, ok } from '#core/room/scaffolding/commands'
import { createFrameReader } from '#core/room/scaffolding/frameReader'
import { decodeResponse, encodeRequest, type ResponseFrame } from '#core/room/scaffolding/frames'
import { portsCommand } from '#core/room/scaffolding/portsCommand'
import { FRAME_TIMEOUT_MS } from '#core/room/scaffolding/watchdog'
import { settle } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { suite } from '#support/runner/suite'
import { hex, toHex } from '../../media/hex'
import { createHosted, exchanges, HOST, STEVE } from './hosted'

const test = suite('the room protocol’s server')

const encode = (kind: string, body: string | Uint8Array = '') =>
  encodeRequest({ kind, body: typeof body === 'string' ? new TextEncoder().encode(body) : body })

function connect(
  hosted: ReturnType<typeof createHosted>,
  { capacity = 1024 * 1024, memberId = 'a member' } = {},
) {
  const [stream, far] = streamPair({ capacity })
  const served = hosted.server.serve(far, memberId)
  const reader = createFrameReader(stream, decodeResponse)
  const ask = async (request: Uint8Array) => {
    await stream.write(request)
    return reader.read()
  }
  return { stream, served, reader, ask }
}

async function isClosed(stream: ByteStream): Promise<boolean> {
  let closed = false
  void stream.closed.then(() => {
    closed = true
  })
  await settle()
  return closed
}

function shown(response: ResponseFrame | undefined): string {
  return response ? `${response.status} ${new TextDecoder().decode(response.data)}` : 'closed'
}

for (const { name, request, response } of exchanges) {
  test(`${name}: answered as recorded`, async () => {
    const hosted = createHosted()
    const isBeforeGame = name.includes('before the game is up')
    if (isBeforeGame) hosted.world.port = undefined
    const { stream, served } = connect(hosted)
    await stream.write(request)
    if (isBeforeGame) await hosted.clock.advance(55_000)
    const answer = (await stream.read()) ?? hex('')
    assert.is(toHex(answer.subarray(0, response.length)), toHex(response))
    if (response.length > 1) assert.is(answer.length, response.length)
    stream.destroy()
    await served
  })
}

test('what a player says of itself is in the list, with the host first and kind not its own choice', async () => {
  const { served, stream, ask } = connect(createHosted())
  const said = {
    name: ' Ste\nve\u202E ',
    machine_id: STEVE.machineId,
    vendor: 'Demo 1.0',
    kind: 'HOST',
    more: [1],
  }
  assert.is(shown(await ask(encode('c:player_ping', JSON.stringify(said)))), '0 ')
  assert.is(
    shown(await ask(encode('c:player_profiles_list'))),
    `0 [{"name":"Alex","machine_id":"${HOST.machineId}","vendor":"Demo 1.0","kind":"HOST"},` +
      `{"name":"Steve","machine_id":"${STEVE.machineId}","vendor":"Demo 1.0","kind":"GUEST"}]`,
  )
  stream.destroy()
  await served
})

const wire = { name: 'Steve', machine_id: STEVE.machineId, vendor: 'Demo 1.0' }
const refused: readonly (readonly [what: string, request: Uint8Array, answer: string])[] = [
  ['a ping of 32 bytes', encode('c:ping', new Uint8Array(32)), '255 At most 31 bytes are echoed.'],
  ['a player that is no JSON', encode('c:player_ping', '{'), '255 The text is not JSON.'],
  ['a player that is nothing', encode('c:player_ping'), '255 The text is not JSON.'],
  ['a player that is not UTF-8', encode('c:player_ping', hex('22ff22')), '255 The text is not UTF-8.'],
  ['a player that is a list', encode('c:player_ping', '[]'), '255 JSON: must be an object.'],
  [
    'a player without vendor',
    encode('c:player_ping', JSON.stringify({ ...wire, vendor: undefined })),
    '255 vendor: must be text.',
  ],
  [
    'a player whose name is a number',
    encode('c:player_ping', JSON.stringify({ ...wire, name: 7 })),
    '255 name: must be text.',
  ],
  [
    'a player with the host’s machine id',
    encode('c:player_ping', JSON.stringify({ ...wire, machine_id: HOST.machineId })),
    '255 This machine_id is the host’s: use one of your own.',
  ],
  ['an unknown command', encode('c:nothing'), '255 Unknown command c:nothing.'],
  ['a command in capitals', encode('C:PING'), '255 The kind is not namespace:value.'],
  ['a command without namespace', encode('ping'), '255 The kind is not namespace:value.'],
  ['a command after a byte order mark', encode('\uFEFFc:ping'), '255 The kind is not namespace:value.'],
  ['a command of an object', encode('__proto__'), '255 The kind is not namespace:value.'],
  ['no command', hex('00 00000000'), '255 The kind is not namespace:value.'],
  ['a command that is not UTF-8', hex('03 633aff 00000000'), '255 The kind is not namespace:value.'],
]

for (const [what, request, answer] of refused) {
  test(`${what} is refused, and the connection stays open`, async () => {
    const { stream, served, ask } = connect(createHosted())
    assert.is(shown(await ask(request)), answer)
    assert.is(shown(await ask(encode('c:ping', 'still'))), '0 still')
    stream.destroy()
    await served
  })
}

test('a player without a name that can be shown is registered as Guest', async () => {
  const { stream, served, ask } = connect(createHosted())
  for (const name of ['', ' \u0000 ']) {
    assert.is(shown(await ask(encode('c:player_ping', JSON.stringify({ ...wire, name })))), '0 ')
    assert.match(shown(await ask(encode('c:player_profiles_list'))), /"name":"Guest"/)
  }
  stream.destroy()
  await served
})

test('bodies that a command has no use for are not looked at', async () => {
  const { stream, served, ask } = connect(createHosted())
  assert.equal((await ask(encode('c:server_port', hex('ff'))))?.data, hex('63dd'))
  assert.is((await ask(encode('c:protocols', 'c:ping\0other:thing')))?.data.length, 69)
  assert.is((await ask(encode('c:player_profiles_list', '{}')))?.status, 0)
  stream.destroy()
  await served
})

test('a command is offered to guests that know it, and to no other', async () => {
  const { stream, served, ask } = connect(
    createHosted(
      {},
      portsCommand(() => []),
    ),
  )
  const listed = async (body = '') =>
    shown(await ask(encode('c:protocols', body))).endsWith('\0lantern:ports')
  assert.equal([await listed(), await listed('c:ping\0lantern:other')], [false, false])
  assert.ok(await listed('c:ping\0lantern:ports'))
  stream.destroy()
  await served
})

test('the port follows the game', async () => {
  const hosted = createHosted()
  const { stream, served, ask } = connect(hosted)
  const answers: string[] = []
  for (const port of [undefined, 1, 25565, 65535, undefined]) {
    hosted.world.port = port
    const answer = await ask(encode('c:server_port', 'now'))
    answers.push(`${answer?.status} ${toHex(answer?.data ?? hex(''))}`)
  }
  assert.equal(answers, ['32 ', '0 0001', '0 63dd', '0 ffff', '32 '])
  stream.destroy()
  await served
})

test('a guest of another program that asks for the port gets it when there is a game, or 32 after 55 s', async () => {
  const hosted = createHosted()
  hosted.world.port = undefined
  const { stream, served, ask } = connect(hosted)
  const answers: string[] = []
  const held = ask(encode('c:server_port')).then((answer) => answers.push(shown(answer)))
  await hosted.clock.advance(40_000)
  assert.equal(answers, [])
  hosted.world.port = 0x4142
  await held
  assert.equal(answers, ['0 AB'])
  hosted.world.port = undefined
  const refused = ask(encode('c:server_port')).then((answer) => answers.push(shown(answer)))
  await hosted.clock.advance(54_999)
  assert.is(answers.length, 1)
  await hosted.clock.advance(1)
  await refused
  assert.equal(answers, ['0 AB', '32 '])
  stream.destroy()
  await served
})

test('a guest that leaves while its answer is held leaves nothing', async () => {
  const hosted = createHosted()
  const { clock, server } = hosted
  hosted.world.port = undefined
  const { stream, served } = connect(hosted)
  const timers = clock.timers
  await stream.write(encode('c:server_port'))
  await settle()
  assert.is(clock.timers, timers + 1)
  stream.destroy()
  await served
  assert.equal([server.connections, clock.timers, hosted.lines], [0, timers - 1, []])
})

test('requests that come at once are answered one by one and in order', async () => {
  const { stream, served, reader } = connect(createHosted(), { memberId: THIS_MACHINE })
  const bodies = Array.from({ length: 300 }, (_, count) => `${count}`)
  await stream.write(Uint8Array.from(bodies.flatMap((body) => [...encode('c:ping', body)])))
  for (const body of bodies) assert.is(shown(await reader.read()), `0 ${body}`)
  stream.destroy()
  await served
})

test('a request in two pieces is answered, wherever it is cut', async () => {
  const { stream, served, ask } = connect(createHosted())
  const request = encode('c:ping', 'abc')
  for (let cut = 1; cut < request.length; cut++) {
    await stream.write(request.slice(0, cut))
    await settle()
    assert.is(shown(await ask(request.slice(cut))), '0 abc', `cut at ${cut}`)
  }
  stream.destroy()
  await served
})

test('who does not read the answers is not answered further, and loses nothing', async () => {
  const hosted = createHosted()
  const { stream, served, reader } = connect(hosted, { capacity: 64, memberId: THIS_MACHINE })
  const asked = (async () => {
    for (let count = 0; count < 200; count++) await stream.write(encode('c:ping', `${count}`))
  })()
  await settle()
  for (let count = 0; count < 200; count++) assert.is(shown(await reader.read()), `0 ${count}`)
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
  assert.is(hosted.server.connections, 0)
})

test('requests before an oversized one are answered first', async () => {
  const { stream, served, reader } = connect(createHosted())
  await stream.write(Uint8Array.of(...encode('c:ping', 'a'), ...hex('00 ffffffff'), ...encode('c:ping', 'b')))
  assert.is(shown(await reader.read()), '0 a')
  assert.match(shown(await reader.read()), /^255 .*4294967295/)
  assert.is(shown(await reader.read()), 'closed')
  await served
})

test('a connection that ends within a request ends quietly', async () => {
  const hosted = createHosted()
  const { stream, served } = connect(hosted)
  await stream.write(hex('06 633a'))
  await stream.end()
  await served
  assert.equal(hosted.lines, [])
  assert.is(hosted.clock.timers, 0)
})

test('a connection that says nothing is closed after 64 s', async () => {
  const hosted = createHosted()
  const { stream, served } = connect(hosted)
  await hosted.clock.advance(FRAME_TIMEOUT_MS - 1)
  assert.is(await isClosed(stream), false)
  await hosted.clock.advance(1)
  assert.is(await isClosed(stream), true)
  await served
})

test('a byte now and then does not keep a connection open; a whole request does', async () => {
  const hosted = createHosted()
  const slow = connect(hosted)
  const busy = connect(hosted)
  const request = encode('c:ping', 'a request of some length')
  for (let at = 0; at < 12; at++) {
    await slow.stream.write(request.slice(at, at + 1)).catch(() => {})
    assert.is(shown(await busy.ask(request)).slice(0, 2), '0 ')
    await hosted.clock.advance(8_000)
    assert.is(hosted.server.connections, at < 7 ? 2 : 1, `after ${at + 1} bytes`)
  }
  await slow.served
  busy.stream.destroy()
  await busy.served
  assert.is(hosted.clock.timers, 0)
})

test('a connection that does not take its answers is closed after 64 s', async () => {
  const hosted = createHosted()
  const { stream, served } = connect(hosted, { capacity: 20 })
  void (async () => {
    for (;;) await stream.write(encode('c:ping', 'x'))
  })().catch(() => {})
  await settle()
  await hosted.clock.advance(FRAME_TIMEOUT_MS)
  await served
  assert.is(hosted.server.connections, 0)
  assert.is(hosted.clock.timers, 0)
})

test('64 connections are served and the next one is closed, until one goes', async () => {
  const hosted = createHosted()
  const connections = Array.from({ length: 64 }, (_, at) => connect(hosted, { memberId: `member ${at}` }))
  for (const { ask } of connections) assert.is(shown(await ask(encode('c:ping', 'x'))), '0 x')
  for (const late of [connect(hosted), connect(hosted)]) {
    await late.served
    assert.is(await isClosed(late.stream), true)
  }
  assert.equal(hosted.lines, ['the room protocol refuses more connections'])
  connections[0]?.stream.destroy()
  await connections[0]?.served
  const next = connect(hosted)
  assert.is(shown(await next.ask(encode('c:ping', 'x'))), '0 x')
  for (const { stream } of [...connections, next]) stream.destroy()
  await Promise.all([...connections, next].map(({ served }) => served))
  assert.is(hosted.server.connections, 0)
})

test('a member has four connections; a fifth takes the place of the one that was quiet longest', async () => {
  const hosted = createHosted()
  const { clock, server, overShares } = hosted
  const [first, second, ...others] = Array.from({ length: 4 }, () => connect(hosted))
  assert.ok(first && second)
  const other = connect(hosted, { memberId: 'another member' })
  await clock.advance(1000)
  assert.is(shown(await first.ask(encode('c:ping', 'x'))), '0 x')
  const fifth = connect(hosted)
  assert.equal([await isClosed(second.stream), await isClosed(first.stream)], [true, false])
  assert.equal([server.connections, overShares], [5, ['a member connections']])
  for (const { ask } of [first, ...others, fifth, other])
    assert.is(shown(await ask(encode('c:ping', 'x'))), '0 x')
  for (const { stream } of [first, ...others, fifth, other]) stream.destroy()
  await Promise.all([first, ...others, fifth, other].map(({ served }) => served))
})

test('when members have taken all connections, a newcomer gets one of a member with several', async () => {
  const hosted = createHosted()
  const greedy = Array.from({ length: 64 }, (_, at) =>
    connect(hosted, { memberId: `member ${Math.floor(at / 4)}` }),
  )
  const late = connect(hosted, { memberId: 'late' })
  assert.is(shown(await late.ask(encode('c:ping', 'x'))), '0 x')
  assert.equal([hosted.server.connections, hosted.overShares], [64, ['member 0 connections']])
  assert.ok(greedy[3] && (await isClosed(greedy[3].stream)))
  for (const { stream } of [...greedy, late]) stream.destroy()
  await Promise.all([...greedy, late].map(({ served }) => served))
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
  assert.equal([answers, overShares], [[], ['a member requests', 'a member requests']])
  await clock.advance(100)
  assert.is(answers.length, 1)
  await clock.advance(100)
  await Promise.all(asked)
  for (const { stream } of [one, other, friend]) stream.destroy()
  await Promise.all([one, other, friend].map(({ served }) => served))
  assert.is(clock.timers, 0)
})

test('a storm of renames is two a second after the first ten', async () => {
  const hosted = createHosted()
  const { stream, served, reader } = connect(hosted)
  const names = Array.from({ length: 50 }, (_, count) => `Steve ${count}`)
  const storm = names.flatMap((name) => [...encode('c:player_ping', JSON.stringify({ ...wire, name }))])
  await stream.write(Uint8Array.from(storm))
  let answered = 0
  const listening = (async () => {
    while (await reader.read()) answered += 1
  })().catch(() => {})
  await settle()
  assert.equal([answered, hosted.registry.list()[1]?.name], [10, 'Steve 9'])
  await hosted.clock.advance(2000)
  assert.equal([answered, hosted.registry.list()[1]?.name], [14, 'Steve 13'])
  stream.destroy()
  await Promise.all([served, listening])
})

test('when the room stops, every connection closes, and a new one at once', async () => {
  const hosted = createHosted()
  const connections = [connect(hosted), connect(hosted)]
  await settle()
  hosted.stop.abort()
  await Promise.all(connections.map(({ served }) => served))
  const late = connect(hosted)
  await late.served
  assert.is(await isClosed(late.stream), true)
  assert.is(hosted.clock.timers, 0)
  assert.equal(hosted.lines, [])
})

test('an own command is answered but not named, and cannot replace one of the five', async () => {
  const hosted = createHosted({
    'lantern:echo': (body) => ok(body),
    'lantern:no': () => failed('Not today.'),
    'lantern:refuse': () => {
      throw new ServiceError('conflict', 'Wrong state.')
    },
    'lantern:defect': () => {
      throw new Error('/home/alex/secret')
    },
    'c:ping': () => failed('replaced'),
  })
  const { stream, served, ask } = connect(hosted)
  assert.is(shown(await ask(encode('lantern:echo', 'x'))), '0 x')
  assert.is(shown(await ask(encode('lantern:no'))), '255 Not today.')
  assert.is(shown(await ask(encode('lantern:refuse'))), '255 Wrong state.')
  assert.is(shown(await ask(encode('lantern:defect'))), '255 The command failed.')
  assert.is(shown(await ask(encode('c:ping', 'x'))), '0 x')
  assert.is((await ask(encode('c:protocols')))?.data.length, 69)
  assert.equal(hosted.lines, ['a command of the room protocol failed'])
  stream.destroy()
  await served
})

test.run()
