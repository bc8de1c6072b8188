import { generatePrivateRoomCode, generateRoomCode } from '@lantern-room/protocol'
import { createKnownHosts } from '#internal/room/service/kept/knownHosts'
import { createMemoryText } from '../../../../support/room/memoryText'
import { assert, suite } from '../../../../support/runner/suite'
import { createTestLog } from '../../../../support/values/testLog'

const test = suite('known hosts of private rooms', { setUp: open })

const SECRET = new Uint8Array(32).fill(7)
const key = (byte: number) => new Uint8Array(32).fill(byte)
const privateRoom = () => generatePrivateRoomCode()

function open(text?: string) {
  const file = createMemoryText(text)
  file.capacity = 60_000
  const log = createTestLog()
  return { file, warnings: log.warnings, known: () => createKnownHosts({ store: file, secret: SECRET, log }) }
}

test('a key is known to later runs, until another one takes its place', async ({ known, file }) => {
  const [room, other] = [privateRoom(), privateRoom()]
  await known().remember(room, key(1))
  assert.equal([await known().keyOf(room), await known().keyOf(other)], [key(1), undefined])
  await known().remember(room, key(2))
  assert.equal(await known().keyOf(room), key(2))
  assert.not.ok(file.text?.includes(room.text.slice(2)), 'no code in the file')
})

test('of an open room nothing is kept', async ({ known, file }) => {
  const room = generateRoomCode()
  await known().remember(room, key(1))
  assert.equal([await known().keyOf(room), file.text], [undefined, undefined])
})

test('keys that come at the same time are all kept, of very many the newest', async () => {
  const many = Array.from({ length: 254 }, (_, at) => [`${at}`.padStart(64, 'f'), '0'.repeat(64)])
  const { known, file } = open(JSON.stringify(Object.fromEntries(many)))
  const hosts = known()
  const rooms = Array.from({ length: 4 }, privateRoom)
  await Promise.all(rooms.map((room) => hosts.remember(room, key(1))))
  assert.equal(
    await Promise.all(rooms.map(hosts.keyOf)),
    Array.from({ length: 4 }, () => key(1)),
  )
  const names = Object.keys(JSON.parse(file.text ?? ''))
  assert.equal([names.length, names[0]], [256, many[2]?.[0]])
})

test('a damaged file is an empty one, and a full disk ends no join', async () => {
  for (const text of ['', '{', '[]', '{"a":"b"}']) {
    const { known } = open(text)
    const room = privateRoom()
    assert.is(await known().keyOf(room), undefined)
    await known().remember(room, key(3))
    assert.equal(await known().keyOf(room), key(3))
  }
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`${at}`.padStart(64, '0'), '0'.repeat(64)]),
  )
  const { known, warnings } = open(JSON.stringify(many))
  await known().remember(privateRoom(), key(1))
  assert.equal(warnings, ['the known host of a room cannot be kept'])
})

test.run()
