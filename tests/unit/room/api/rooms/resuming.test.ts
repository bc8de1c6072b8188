import { ServiceError } from '#core/errors'
import { resumeRoom } from '#core/room/api/rooms/resuming'
import { readRoomConfig } from '#core/room/config'
import type { KeptRoom } from '#core/room/service/kept/roomKeeper'
import { createSettings } from '#core/room/service/kept/settings'
import type { RoomService } from '#core/room/service/roomService'
import { assert, suite } from '../../../../support/runner/suite'

type HostRequest = Parameters<RoomService['host']>[0]
type JoinRequest = Parameters<RoomService['join']>[0]

const test = suite('resuming a room')
const unused = () => assert.unreachable('not needed')

function setUp(left: KeptRoom | undefined, error?: Error) {
  const started: (Partial<HostRequest> & Partial<JoinRequest>)[] = []
  const start = (request: HostRequest | JoinRequest) => {
    if (error) throw error
    started.push(request)
  }
  const service = { host: start, join: start } as Pick<RoomService, 'host' | 'join'> as RoomService
  const config = readRoomConfig({})
  const settings = createSettings({ product: 'P', version: '1', config })
  const keeper = {
    left: async () => left,
    begin: unused,
    isKeeping: () => true,
    update: unused,
    forget: unused,
    written: async () => undefined,
    close: async () => undefined,
  }
  return {
    started,
    settings,
    resume: (role?: 'host' | 'guest', isAsked = false) =>
      resumeRoom({ service, settings, config, keeper }, { role, isAsked }),
  }
}

const code = 'U/YNZE-U61D-2206-HXRG'
const order = { room: code, playerName: 'Ann', resume: true, launcherCustomString: 'L' }
const world = { port: 25_565, name: 'Home' }
const decisions = { bans: [], approved: ['id'], proofs: [] }
const host: KeptRoom = { role: 'host', order, world, decisions }
const guest: KeptRoom = { role: 'guest', order: { roomCode: code, playerName: 'Bob', resume: true } }

test('nothing starts without a room, or for another role', async () => {
  for (const [left, role] of [
    [undefined, undefined],
    [guest, 'host'],
    [host, 'guest'],
  ] as const) {
    const { started, resume } = setUp(left)
    assert.equal([await resume(role), started], [false, []])
  }
})

test('an order that is not understood, and a role that runs already, are no errors', async () => {
  assert.is(await setUp({ ...guest, order: { roomCode: 5 } }).resume(), false)
  assert.is(await setUp({ ...host, order: { room: 'no code' } }).resume(), false)
  assert.is(await setUp(host, new ServiceError('conflict', 'A role runs.')).resume(), false)
  const bug = new TypeError('bug')
  assert.is(
    await setUp(host, bug)
      .resume()
      .catch((thrown: unknown) => thrown),
    bug,
  )
})

test('a room that is kept to be asked about comes back only when that was asked for', async () => {
  const { started, resume } = setUp({ ...host, order: { ...order, resume: 'ask' } })
  assert.equal([await resume(), started.length], [false, 0])
  assert.equal([await resume(undefined, true), started.length], [true, 1])
  // It is kept in the same way again.
  assert.is(started[0]?.kept?.order.resume, 'ask')
})

test.run()
