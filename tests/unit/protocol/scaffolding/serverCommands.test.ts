import { ServiceError } from '@lantern-room/base'
import { portsCommand } from '#internal/protocol/scaffolding/lanternCommands'
import { FINGERPRINT, failed, ok } from '#internal/protocol/scaffolding/wire/commands'
import { assert, suite } from '#support/runner/suite'
import { hex, toHex } from '#support/values/hex'
import { connect, createHosted, disconnect, encode, exchanges, HOST, shown, wire } from './hosted'

const test = suite('the commands of a host', { setUp: () => createHosted(), tearDown: disconnect })

for (const { name, request, response } of exchanges) {
  test(`${name}: answered as recorded`, async (hosted) => {
    const isBeforeGame = name.includes('before the game is up')
    if (isBeforeGame) hosted.world.port = undefined
    const { stream } = connect(hosted)
    await stream.write(request)
    if (isBeforeGame) await hosted.clock.advance(4000)
    const answer = (await stream.read()) ?? hex('')
    assert.is(toHex(answer.subarray(0, response.length)), toHex(response))
    if (response.length > 1) assert.is(answer.length, response.length)
  })
}

const refused: readonly (readonly [what: string, request: Uint8Array, answer: string])[] = [
  ['a ping of 32 bytes', encode('c:ping', new Uint8Array(32)), '255 At most 31 bytes are echoed.'],
  ['a player that is no JSON', encode('c:player_ping', '{'), '255 The text is not JSON.'],
  [
    'a player with the host’s machine id',
    encode('c:player_ping', JSON.stringify({ ...wire, machine_id: HOST.machineId })),
    '255 This machine_id is the host’s: use one of your own.',
  ],
  ['an unknown command', encode('c:nothing'), '255 Unknown command c:nothing.'],
  ['a command in capitals', encode('C:PING'), '255 The kind is not namespace:value.'],
  ['a command after a byte order mark', encode('\uFEFFc:ping'), '255 The kind is not namespace:value.'],
  ['no command', hex('00 00000000'), '255 The kind is not namespace:value.'],
  ['a command that is not UTF-8', hex('03 633aff 00000000'), '255 The kind is not namespace:value.'],
]

for (const [what, request, answer] of refused) {
  test(`${what} is refused, and the connection stays open`, async (hosted) => {
    const { ask } = connect(hosted)
    assert.is(shown(await ask(request)), answer)
    assert.is(shown(await ask(encode('c:ping', 'still'))), '0 still')
  })
}

const BODIES = { 'c:ping': FINGERPRINT, 'c:protocols': '', 'c:player_ping': JSON.stringify(wire) }
const pinged = ['c:ping', 'c:protocols', 'c:player_ping'] as const

test('bodies that a command has no use for are not looked at', async (hosted) => {
  const { ask } = connect(hosted)
  assert.equal((await ask(encode('c:server_port', hex('ff'))))?.data, hex('63dd'))
  assert.is((await ask(encode('c:protocols', 'c:ping\0other:thing')))?.data.length, 69)
  assert.is((await ask(encode('c:player_profiles_list', '{}')))?.status, 0)
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

for (const { guest, before, holdMs } of [
  { guest: 'that gives up at 32, as Terracotta’s', before: ['c:ping'], holdMs: 55_000 },
  { guest: 'that pings on this connection, as YukariConnect’s', before: pinged, holdMs: 4000 },
  { guest: 'that asks for nothing else, as YukariConnect’s test', before: [], holdMs: 4000 },
] as const) {
  test(`a guest of another program ${guest}, gets the port when there is a game, or 32 after ${holdMs} ms`, async (hosted) => {
    hosted.world.port = undefined
    const { ask } = connect(hosted)
    for (const kind of before) await ask(encode(kind, BODIES[kind]))
    const answers: string[] = []
    const askPort = () => ask(encode('c:server_port')).then((answer) => answers.push(shown(answer)))
    const held = askPort()
    await hosted.clock.advance(holdMs - 1)
    assert.equal(answers, [])
    hosted.world.port = 0x4142
    await held
    hosted.world.port = undefined
    const refused = askPort()
    await hosted.clock.advance(holdMs - 1)
    assert.equal(answers, ['0 AB'])
    await hosted.clock.advance(1)
    await refused
    assert.equal(answers, ['0 AB', '32 '])
  })
}

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
