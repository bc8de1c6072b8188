import { BYE_COMMAND, createGoodbye } from '#internal/protocol/scaffolding/goodbye'
import { createPlayerRegistry } from '#internal/protocol/scaffolding/players/registry'
import type { RoomCaller } from '#internal/protocol/scaffolding/wire/commands'
import { createFakeClock, settle } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { text } from '#support/values/bytes'
import { each } from '#support/values/each'
import { hasResolved } from '#support/values/hasResolved'
import { HOST, STEVE } from './hosted'

const test = suite('goodbyes', { setUp: open })

function open() {
  const clock = createFakeClock()
  const stop = new AbortController()
  const registry = createPlayerRegistry({ host: HOST, clock, signal: stop.signal })
  const removed = new Set<string>()
  const goodbye = createGoodbye({ registry, isRemoved: (memberId) => removed.has(memberId), clock })
  const ask = async (caller: RoomCaller, body: Uint8Array = new Uint8Array(0)) => {
    const response = await goodbye.commands[BYE_COMMAND]?.(body, caller)
    return response?.status
  }
  return { clock, registry, goodbye, removed, ask, stop }
}

const MEMBER = 'a member'

/** A connection, and what closes it. */
function connect(memberId = MEMBER) {
  const controller = new AbortController()
  const caller: RoomCaller = { memberId, signal: controller.signal }
  return { caller, close: () => controller.abort(new Error('closed')) }
}

test('a guest takes itself off the list, and nobody else', async ({ registry, ask, stop }) => {
  registry.ping(STEVE, MEMBER)
  assert.is(await ask(connect('another member').caller, text(STEVE.machineId)), 255)
  assert.is(await ask(connect().caller, text(HOST.machineId)), 255)
  assert.is(registry.list().length, 2)
  const { caller } = connect()
  assert.is(await ask(caller, text(STEVE.machineId)), 0)
  assert.equal(each(registry.list(), 'name'), [HOST.name])
  assert.is(await ask(caller, text(STEVE.machineId)), 255)
  stop.abort()
})

test('who waits is answered after 55 s that the room is open, and at once when it closes', async () => {
  const { clock, goodbye, ask } = open()
  const { caller, close } = connect()
  const first = ask(caller)
  await clock.advance(55_000)
  assert.is(await first, 32)
  const second = ask(caller)
  const told = goodbye.tellGuests()
  assert.is(await second, 0)
  assert.is(await ask(caller), 0, 'and whoever asks later')
  const isOver = hasResolved(told)
  await settle()
  assert.is(isOver(), false)
  close()
  await told
  assert.is(clock.timers, 0)
})

test('a guest that does not close is waited for half a second, and one that has left not at all', async () => {
  const { clock, goodbye, ask } = open()
  const [slow, gone] = [connect(), connect()]
  void ask(slow.caller)
  const lost = ask(gone.caller).catch(String)
  gone.close()
  assert.is(await lost, 'Error: closed')
  const isOver = hasResolved(goodbye.tellGuests())
  await clock.advance(499)
  assert.is(isOver(), false)
  await clock.advance(1)
  assert.is(isOver(), true)
})

test('a removed member is told at once, whether it has asked before or asks after it', async () => {
  const { clock, goodbye, removed, ask } = open()
  const [early, other] = [ask(connect().caller), ask(connect('another member').caller)]
  removed.add(MEMBER)
  goodbye.tellRemoved(MEMBER)
  assert.is(await early, 33)
  assert.is(await ask(connect().caller), 33)
  await clock.advance(55_000)
  assert.is(await other, 32)
})

test.run()
