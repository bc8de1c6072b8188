import { generateRoomCode } from '@lantern-room/protocol'
import { createSavedRooms } from '#internal/room/service/kept/savedRooms'
import type { RoomView } from '#internal/room/service/state/roomView'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { createMemoryText } from '../../../../support/room/memoryText'
import { assert, suite } from '../../../../support/runner/suite'
import { createTestLog } from '../../../../support/values/testLog'

const test = suite('rooms that were open before')

function open(text?: string) {
  const file = createMemoryText(text)
  const log = createTestLog()
  const clock = createFakeClock()
  const parts = { store: file, secret: new Uint8Array(32).fill(7), clock, log }
  return { file, clock, warnings: log.warnings, run: () => createSavedRooms(parts) }
}

const HOST = { name: 'Alex', machineId: '1'.repeat(32), vendor: 'v', kind: 'HOST' } as const
const view = (room: string, more: Partial<RoomView> = {}) =>
  ({ stage: 'Host_Running', room, worldName: 'Castle', players: [HOST], ...more }) as const

test('a room is saved once it is open, the newest first, each once, and known to later runs', async () => {
  const { run, clock, file } = open()
  const rooms = run()
  const [first, second] = [generateRoomCode().text, generateRoomCode().text]
  const hosted = { role: 'host', order: { resume: 'ask', approval: true } } as const
  rooms.note(hosted, view(first, { stage: 'Host_NetworkStarting' }))
  rooms.note(undefined, view(first))
  assert.equal(await rooms.list(), { rooms: [], damaged: 0 })
  rooms.note(hosted, view(first))
  await clock.advance(1000)
  rooms.note({ role: 'guest', order: {} }, view(second, { stage: 'Guest_Running' }))
  rooms.note({ ...hosted, order: { approval: false } }, view(first))
  assert.is((await rooms.list()).damaged, 0)
  const list = (await run().list()).rooms
  assert.equal(
    list.map(({ role, roomCode, name, order }) => [role, roomCode, name, order]),
    [
      ['host', first, 'Castle', { approval: false }],
      ['guest', second, 'Alex', {}],
    ],
  )
  assert.is(
    list.some(({ id }) => first.includes(id) || !/^[0-9a-f]{64}$/.test(id)),
    false,
  )
  assert.is(await rooms.forget(list[0]?.id ?? ''), true)
  assert.is(await rooms.forget(list[0]?.id ?? ''), false)
  assert.not.ok(file.text?.includes(first))
})

test('of many rooms the last eight are kept', async () => {
  const rooms = open().run()
  const codes = Array.from({ length: 10 }, () => generateRoomCode().text)
  for (const code of codes) rooms.note({ role: 'host', order: {} }, view(code))
  const list = (await rooms.list()).rooms
  assert.equal(
    list.map(({ roomCode }) => roomCode),
    codes.slice(2).reverse(),
  )
})

test('damaged records are left out and counted, and a full disk ends no room', async () => {
  const { run, file } = open()
  const [code, other] = [generateRoomCode().text, generateRoomCode().text]
  const rooms = run()
  rooms.note({ role: 'host', order: {} }, view(code))
  await rooms.list()
  const [good] = JSON.parse(file.text ?? '[]')
  const wrong = [
    null,
    7,
    { ...good, roomCode: `${code.slice(0, -1)}?` },
    { ...good, at: 1e300 },
    { ...good, role: 'x' },
  ]
  const text = JSON.stringify([...wrong, good])
  const damaged = open(text)
  const found = await damaged.run().list()
  assert.equal([found.rooms.map(({ roomCode }) => roomCode), found.damaged], [[code], wrong.length])
  for (const whole of ['', '{', '{}', 'null']) assert.is((await open(whole).run().list()).damaged, 1, whole)
  damaged.file.capacity = 0
  const full = damaged.run()
  full.note({ role: 'host', order: {} }, view(other))
  assert.is((await full.list()).rooms.length, 1)
  assert.equal(damaged.warnings, ['the list of rooms cannot be kept'])
})

test.run()
