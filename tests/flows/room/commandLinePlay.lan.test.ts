import { startRelay } from '#support/network/relay'
import { closingOfEachTest } from '#support/process/closing'
import { type RoomCommand, testCommands } from '#support/room/roomCommand'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('room host and room join', { timeoutMs: 60_000 })

const { keep } = closingOfEachTest(test)
const { start: startIn, makeFolder } = testCommands(test)
const CODE = /[UL](\/|-)[0-9A-Z]{4}(-[0-9A-Z]{4}){3}/
let world: TestWorld

test.before.each(async () => {
  world = await startWorld({ announced: true })
})
test.after.each(async () => {
  await world.close()
})

async function start(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  return startIn(args, { DATA_DIR: await makeFolder(), ...settings })
}

type Message = { readonly type: string; readonly [field: string]: unknown }

function messagesOf(command: RoomCommand): Message[] {
  return command
    .stdout()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Message)
}

test('two processes play by the code that one shows, found on the LAN; each tells of the other', async () => {
  const host = await start(['host', '--name', 'Alex', '--game-port', String(world.port)])
  await host.said(/Ctrl-C closes the room/)
  const [code] = await host.said(CODE)
  assert.match(host.stdout(), new RegExp(`Found the world “.+” on port ${world.port}`))
  // The last thing on the screen; the link is shown to those who ask for it.
  assert.match(host.stdout(), new RegExp(`\n  \\|   ${code}   \\|\n  \\+-+\\+\n\n$`))
  assert.not.match(host.stdout(), 'lantern-room:')

  const guest = await start([code.toLowerCase().replaceAll('-', '_'), '--name', 'Steve', '--wait'])
  await guest.said(/this waits until it is/)
  const [, port] = await guest.said(/Direct Connection to 127\.0\.0\.1:(\d+)/)
  assert.is(await world.echoThrough(Number(port), 'hello'), 'hello')
  await host.said(/\+ Steve \(LanternRoom /)
  await guest.said(/\+ Alex \(LanternRoom /)
  assert.match(guest.stdout(), /^ +\d+\.\d s {2}Found the room, connecting to the world …$/m)
  assert.match(guest.stdout(), /You are in the room: the world is “.+”/)
  await guest.said(/Connected directly: the fastest way/)
  await guest.said(/Ctrl-C leaves the room/)
  guest.child.stdin.write('?\n')
  await guest.said(/The game says “Invalid session”/)

  const left = await guest.stop('SIGINT')
  assert.is(left.exit, 130)
  guest.isPrompt(left.ms)
  const closed = await host.stop('SIGTERM')
  assert.is(closed.exit, 143)
  host.isPrompt(closed.ms)
  assert.equal([host.stderr(), guest.stderr()], ['', ''])
})

test('at a shared node of ours two processes meet that find each other nowhere else', async () => {
  const relay = keep(await startRelay())
  const away = { ROOM_DIRECT: 'off' }
  const host = await start(['host', '--nodes', relay.urls.ws, '--game-port', String(world.port)], away)
  await host.said(/The room is open \(1 of 1 shared nodes\)/)
  const [code] = await host.said(CODE)
  const guest = await start(['join', `the code is ${code}, come!`, '--nodes', relay.urls.ws], away)
  const [, port] = await guest.said(/Direct Connection to 127\.0\.0\.1:(\d+)/)
  await guest.said(/Connected through a shared node\n/)
  const before = relay.counters().relayedBytes
  assert.is(await world.echoThrough(Number(port), 'hello'), 'hello')
  assert.ok(relay.counters().relayedBytes > before)
})

test('the host is asked who may join, and removes a player', async () => {
  const host = await start(['host', '--approval', '--game-port', String(world.port)])
  const [code] = await host.said(CODE)
  const steve = await start(['join', code, '--name', 'Steve'])
  await host.said(/\? Steve \(LanternRoom .* wants to join/)
  await steve.said(/Waiting for the host to let you in/)
  host.child.stdin.write('y\n')
  await host.said(/Steve is let in/)
  await steve.said(/Direct Connection to 127/)
  const kim = await start(['join', code, '--name', 'Kim'])
  await host.said(/\? Kim /)
  host.child.stdin.write('n kim\n')
  assert.is(await kim.ended, 1)
  assert.match(kim.stderr(), /does not let this player in/)
  host.child.stdin.write('kick steve\n')
  await host.said(/Steve is removed/)
  assert.is(await steve.ended, 1)
  assert.match(steve.stderr(), /has removed you from the room/)
  host.child.stdin.end()
  assert.is((await host.stop('SIGINT')).exit, 130)
})

test('with --json each line is a message of the feed, or a status with the players', async () => {
  const host = await start(['host', '--json', '--room', 'u/0000-0000-0000-0000', '--no-wait'])
  await host.said(/"state":"host-ok"/)
  const guest = await start(['join', '--json', 'U/0000-0000-0000-0000'])
  await guest.said(/"type":"status","state":"Guest_Running"/)
  const told = messagesOf(guest)
  const states = told.filter(({ type }) => type === 'state')
  assert.equal(
    [...new Set(states.map(({ state }) => state))],
    ['guest-connecting', 'guest-starting', 'guest-ok'],
  )
  const indexes = told.map(({ index }) => Number(index))
  assert.equal(
    indexes,
    indexes.map((_, at) => (indexes[0] ?? 0) + at),
  )
  const status = told.filter(({ type }) => type === 'status').at(-1)
  assert.ok(Array.isArray(status?.players))
  assert.is(status?.roomCode, 'U/0000-0000-0000-0000')
  assert.match(String(status?.url), /^127\.0\.0\.1/)
  assert.is((await guest.stop('SIGINT')).exit, 130)
  // Nothing but JSON, to the last line.
  assert.ok(messagesOf(guest).length >= told.length)
  assert.is((await host.stop('SIGINT')).exit, 130)
  messagesOf(host)
})

test('Ctrl-C ends it in every stage in less than two seconds', async () => {
  const nowhere = { ROOM_NODES: 'tcp://127.0.0.1:9' }
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['host', '--game-port', '1'], /Open your world on port 1/],
    [['join', 'U/0000-0000-0000-0000'], /Connecting to the network/],
  ]
  for (const [args, stage] of cases) {
    const command = await start(args, nowhere)
    await command.said(stage)
    const { exit, ms } = await command.stop('SIGINT')
    assert.is(exit, 130)
    command.isPrompt(ms)
  }
})

test('a second Ctrl-C ends it at once', async () => {
  const command = await start(['host', '--no-wait'])
  await command.said(CODE)
  command.child.kill('SIGINT')
  command.child.kill('SIGINT')
  assert.is(await command.ended, 130)
})

test('a room that nobody hosts is told with what to do, and exit code 1; without a node it is 3', async () => {
  const nobody = await start(['join', 'U/0000-0000-0000-0000'])
  const offline = await start(['join', 'U/0000-0000-0000-0000', '--nodes', 'tcp://127.0.0.1:9'])
  assert.is(await nobody.ended, 1)
  assert.match(nobody.stderr(), /^room: Nobody hosts this room: ask your friend .+\.\n$/)
  assert.is(await offline.ended, 3)
  assert.match(offline.stderr(), /^room: No shared node can be reached: .+\.\n$/)
})

test('a world that goes and returns is told, and players stay', async () => {
  const host = await start(['host', '--game-port', String(world.port)])
  const [code] = await host.said(CODE)
  const guest = await start(['join', code])
  await guest.said(/You are in the room/)
  const { port } = world
  await world.close()
  await host.said(/world .*does not answer any more/)
  world = await startWorld({ port })
  await host.said(new RegExp(`The world is on port ${port} now`))
  assert.is(guest.child.exitCode, null)
})

test.run()
