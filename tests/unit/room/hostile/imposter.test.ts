import type { RoomPrivacy } from '@lantern-room/protocol'
import { createMemoryText } from '#support/room/memoryText'
import { assert, suite } from '#support/runner/suite'
import { createImposterRoom, type ImposterKind, type Player } from './imposterRoom'

const test = suite('A member that poses as the host', {
  timeoutMs: 300_000,
  setUp: () => ({ room: createImposterRoom() }),
  tearDown: async ({ room }) => assert.equal(await room.close(), []),
})

type Room = ReturnType<typeof createImposterRoom>

/** Until a guest is with a host again that has come back: the host's program has to meet its node first. */
const BACK_MS = 15_000
/** Each kind once, and the one that does the most in both kinds of room; and how long the host is away, in seconds. */
const POSED: readonly (readonly [ImposterKind, RoomPrivacy, ...away: number[]])[] = [
  ['deaf', 'private', 6],
  ['mute', 'open', 12],
  ['echo', 'private', 60],
  ['keyless', 'open', 12],
  ['host', 'open', 6, 60],
  ['host', 'private', 6, 12, 60],
]

for (const [kind, privacy, ...away] of POSED) {
  test(`${kind}: an invited guest of a room that is ${privacy} reaches the host whom the invitation names`, async ({
    room,
  }) => {
    const { host, code, link } = await hostRoom(room, privacy)
    const imposter = await room.pose(code, kind)
    const guest = room.open()
    await guest.join(`Come in: ${link}`)
    await room.clock.advance(3000)
    assert.is(guest.shown().stage, 'Guest_Running')
    assert.equal([guestsOf(host).length, imposter.players()], [1, []])
  })

  test(`${kind}: guests of a room that is ${privacy} wait for the host, and are with it when it is back`, async ({
    room,
  }) => {
    const { host, code } = await hostRoom(room, privacy)
    const guests = [room.open(), room.open()]
    for (const guest of guests) await guest.join(code)
    await room.clock.advance(3000)
    const imposter = await room.pose(code, kind)
    for (const seconds of away) {
      host.line.setOnline(false)
      await room.clock.advance(seconds * 1000)
      for (const guest of guests) assert.is.not(guest.shown().code, 'host-changed')
      host.line.setOnline(true)
      host.line.networkChanged()
      await room.clock.advance(BACK_MS)
      const stages = guests.map((guest) => guest.shown().stage)
      assert.equal(stages, ['Guest_Running', 'Guest_Running'], `${seconds} s away`)
      assert.equal([guestsOf(host).length, imposter.players()], [2, []])
    }
  })

  test(`${kind}: the host of a room that is ${privacy} sees it, and removes it`, async ({ room }) => {
    const { host, code, link } = await hostRoom(room, privacy)
    const guest = room.open()
    await guest.join(link)
    await room.clock.advance(3000)
    assert.equal([await hintOf(host), host.roomState.view().guests], [null, []])
    const imposter = await room.pose(code, kind)
    await room.clock.advance(5000)
    const [listed, another] = host.roomState.view().guests
    assert.equal([await hintOf(host), listed?.state, another], ['second-host', 'second-host', undefined])
    const answer = await host.ask(`/room/guests/${encodeURIComponent(listed?.id ?? '')}/kick`, {})
    assert.is(answer.status, 200, await answer.text())
    assert.is(await hintOf(host), null)
    await room.clock.advance(30_000)
    assert.equal(
      [host.roomState.view().guests.map(({ state }) => state), await hintOf(host)],
      [['removed'], null],
    )
    assert.equal([guest.shown().stage, guestsOf(host).length], ['Guest_Running', 1])
    assert.equal(imposter.players(), [])
  })
}

test('a host of a private room that starts anew is told from the imposter by its key', async ({ room }) => {
  const host = room.open(77)
  const code = await host.host({ private: true })
  const guest = room.open()
  await guest.join(code)
  await room.clock.advance(3000)
  const imposter = await room.pose(code, 'host')
  await host.crash()
  await room.clock.advance(20_000)
  assert.is(guest.shown().notice?.code, 'other-host')
  const again = room.open(77)
  await again.host({ room: code })
  await room.clock.advance(5000)
  assert.is(guest.shown().stage, 'Guest_Running')
  assert.equal([guestsOf(again).length, imposter.players()], [1, []])
})

test('a guest of an open room whose program starts anew, and who tries again, knows its host', async ({
  room,
}) => {
  const { host, code } = await hostRoom(room, 'open')
  const keptRoom = createMemoryText()
  const knownHosts = createMemoryText()
  const first = room.open(88, { keptRoom, knownHosts })
  await first.ask('/room/guest/start', { roomCode: code, resume: true })
  await room.clock.advance(3000)
  assert.is(first.shown().stage, 'Guest_Running')
  const imposter = await room.pose(code, 'host')
  host.line.setOnline(false)
  await first.crash()
  const again = room.open(88, { keptRoom, knownHosts })
  await again.resume()
  await room.clock.advance(40_000)
  assert.is(again.shown().notice?.code, 'other-host')
  host.line.setOnline(true)
  host.line.networkChanged()
  await room.clock.advance(30_000)
  assert.is(again.shown().stage, 'Guest_Running')
  assert.equal([guestsOf(host).length, imposter.players()], [1, []])
})

test("a member of an open room with the host's peer id, too, is told from it by the key", async ({
  room,
}) => {
  const { host, code } = await hostRoom(room, 'open')
  const guest = room.open()
  await guest.join(code)
  await room.clock.advance(3000)
  host.line.setOnline(false)
  await room.clock.advance(20_000)
  const imposter = await room.poseAsSamePeer(code)
  await room.clock.advance(10_000)
  assert.equal([guest.shown().stage, imposter.players()], ['Guest_Reconnecting', []])
  await imposter.leave()
  host.line.setOnline(true)
  host.line.networkChanged()
  await room.clock.advance(20_000)
  assert.equal([guest.shown().stage, guestsOf(host).length], ['Guest_Running', 1])
})

test('an invited guest of a private room waits for the host while only the imposter is there', async ({
  room,
}) => {
  const { host, code, link } = await hostRoom(room, 'private')
  const imposter = await room.pose(code, 'host')
  host.line.setOnline(false)
  await room.clock.advance(30_000)
  const [guest, leaving] = [room.open(), room.open()]
  await guest.ask('/room/guest/start', { roomCode: link, wait: true })
  await leaving.join(link)
  await room.clock.advance(30_000)
  assert.equal([guest.shown().notice?.code, leaving.shown().code], ['other-host', 'host-changed'])
  host.line.setOnline(true)
  host.line.networkChanged()
  await room.clock.advance(30_000)
  assert.is(guest.shown().stage, 'Guest_Running')
  assert.equal([guestsOf(host).length, imposter.players()], [1, []])
})

for (const [kind, privacy] of POSED.slice(0, 3)) {
  test(`${kind}: a guest without an invitation to a room that is ${privacy} takes the one that answers`, async ({
    room,
  }) => {
    const { host, code } = await hostRoom(room, privacy)
    await room.pose(code, kind)
    const guest = room.open()
    await guest.join(code)
    await room.clock.advance(3000)
    assert.equal([guest.shown().stage, guestsOf(host).length], ['Guest_Running', 1])
    assert.is(await hintOf(guest), 'several-hosts')
  })
}

test('two friends who host a private room: a guest stays with the one that answered first, and is told so', async ({
  room,
}) => {
  const { host, code } = await hostRoom(room, 'private')
  const second = room.open()
  await second.host({ room: code })
  const guest = room.open()
  await guest.join(code)
  await room.clock.advance(3000)
  assert.equal([guest.shown().stage, await hintOf(guest)], ['Guest_Running', 'several-hosts'])
  const isWithFirst = guestsOf(host).length === 1
  const [taken, other] = isWithFirst ? [host, second] : [second, host]
  assert.equal([guestsOf(taken).length, guestsOf(other).length], [1, 0])
  taken.line.setOnline(false)
  await room.clock.advance(12_000)
  taken.line.setOnline(true)
  taken.line.networkChanged()
  await room.clock.advance(BACK_MS)
  assert.equal([guestsOf(taken).length, guestsOf(other).length], [1, 0])
  await other.stop()
  await room.clock.advance(10_000)
  assert.is(await hintOf(guest), null)
})

test('two friends who host an open room are told of each other until one stops', async ({ room }) => {
  const { host, code } = await hostRoom(room, 'open')
  const second = room.open()
  await second.host({ room: code })
  await room.clock.advance(5000)
  assert.equal([await hintOf(host), await hintOf(second)], ['second-host', 'second-host'])
  await second.stop()
  await room.clock.advance(12_000)
  assert.equal([await hintOf(host), host.roomState.view().guests], [null, []])
})

test('what is left of a crashed run of a private room is not taken for a second host', async ({ room }) => {
  const host = room.open(77)
  const code = await host.host({ private: true })
  await host.crash()
  const again = room.open(77)
  await again.host({ room: code })
  for (let second = 0; second < 40; second += 1) {
    await room.clock.advance(1000)
    assert.is(await hintOf(again), null)
  }
})

async function hostRoom(room: Room, privacy: RoomPrivacy) {
  const host = room.open()
  const code = await host.host({ private: privacy === 'private', playerName: 'Alex' })
  return { host, code, link: await room.invitationOf(host) }
}

function guestsOf(host: Player): readonly string[] {
  return host.roomState.view().players.flatMap(({ name, kind }) => (kind === 'HOST' ? [] : name))
}

async function hintOf(player: Player): Promise<string | null> {
  const status = (await (await player.ask('/room/status')).json()) as { hintCode: string | null }
  return status.hintCode
}

test.run()
