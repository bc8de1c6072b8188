import { generatePrivateRoomCode, generateRoomCode, type RoomPrivacy } from '@lantern-room/protocol'
import { assert, suite } from '#support/runner/suite'
import { createImposterRoom, type Imposter, type ImposterKind, type Player } from './imposterRoom'

const test = suite('A member that poses as the host on a LAN without a shared node', {
  timeoutMs: 300_000,
  setUp: () => ({ room: createImposterRoom({ hasNode: false }) }),
  tearDown: async ({ room }) => assert.equal(await room.close(), []),
})

type Room = ReturnType<typeof createImposterRoom>

const KINDS: readonly ImposterKind[] = ['deaf', 'mute', 'echo', 'keyless', 'host']
const PRIVACIES: readonly RoomPrivacy[] = ['open', 'private']

for (const privacy of PRIVACIES)
  for (const kind of KINDS) {
    test(`${kind}: an invited guest of a room that is ${privacy} reaches the host, whoever announces first`, async ({
      room,
    }) => {
      const { host, code, link } = await hostRoom(room, privacy)
      const later = await room.pose(code, kind)
      assert.equal(await joined(room, link), 'Guest_Running')
      host.line.setOnline(false)
      await room.clock.advance(20_000)
      // Of what is announced this is first now, and there is more of it.
      const imposters = [later, await room.pose(code, kind), await room.pose(code, kind)]
      host.line.setOnline(true)
      host.line.networkChanged()
      assert.equal(await joined(room, link), 'Guest_Running')
      await room.clock.advance(15_000)
      assert.equal([guestsOf(host).length, playersOf(imposters)], [2, []])
    })

    test(`${kind}: guests of a room that is ${privacy} are with the host again that was away`, async ({
      room,
    }) => {
      const { host, code } = await hostRoom(room, privacy)
      const guests = [room.open(), room.open()]
      for (const guest of guests) await guest.join(code)
      await room.clock.advance(3000)
      const imposters = [await room.pose(code, kind), await room.pose(code, kind)]
      for (const seconds of [6, 60]) {
        host.line.setOnline(false)
        await room.clock.advance(seconds * 1000)
        host.line.setOnline(true)
        host.line.networkChanged()
        await room.clock.advance(15_000)
        const stages = guests.map((guest) => guest.shown().stage)
        assert.equal(stages, ['Guest_Running', 'Guest_Running'], `${seconds} s away`)
        assert.equal([guestsOf(host).length, playersOf(imposters)], [2, []])
      }
    })

    test(`${kind}: a host of a room that is ${privacy} which starts anew has its guests again`, async ({
      room,
    }) => {
      const host = room.open(77)
      const code = await host.host({ private: privacy === 'private' })
      const guest = room.open()
      await guest.join(code)
      await room.clock.advance(3000)
      const imposter = await room.pose(code, kind)
      await host.crash()
      await room.clock.advance(10_000)
      const again = room.open(77)
      await again.host({ room: code })
      await room.clock.advance(10_000)
      assert.is(guest.shown().stage, 'Guest_Running')
      assert.equal([guestsOf(again).length, imposter.players()], [1, []])
    })
  }

/** Those that do not answer as a host does. */
const SILENT = KINDS.slice(0, 3)

for (const privacy of PRIVACIES)
  for (const kind of SILENT) {
    test(`${kind}: a newcomer to a room that is ${privacy} hears the imposters first, and is with the host`, async ({
      room,
    }) => {
      const { text } = privacy === 'open' ? generateRoomCode() : generatePrivateRoomCode()
      const imposters = [await room.pose(text, kind), await room.pose(text, kind)]
      const host = room.open()
      await host.host({ room: text })
      assert.is(await joined(room, text), 'Guest_Running')
      assert.equal([guestsOf(host).length, playersOf(imposters)], [1, []])
    })

    test(`${kind}: a newcomer to a room that is ${privacy} is with a host that comes seconds after the imposter`, async ({
      room,
    }) => {
      const { host, code } = await hostRoom(room, privacy)
      host.line.setOnline(false)
      const imposter = await room.pose(code, kind)
      for (const seconds of [0.3, 2, 8]) {
        const guest = room.open()
        await guest.join(code)
        await room.clock.advance(seconds * 1000)
        assert.is.not(guest.shown().stage, 'Error', `${seconds} s`)
        host.line.setOnline(true)
        host.line.networkChanged()
        await room.clock.advance(6000)
        assert.is(guest.shown().stage, 'Guest_Running', `${seconds} s`)
        assert.equal([guestsOf(host).length, imposter.players()], [1, []])
        await guest.stop()
        host.line.setOnline(false)
        await room.clock.advance(30_000)
      }
    })

    test(`${kind}: a newcomer to a room that is ${privacy} is with the host that starts anew meanwhile`, async ({
      room,
    }) => {
      const host = room.open(77)
      const code = await host.host({ private: privacy === 'private' })
      const imposter = await room.pose(code, kind)
      await host.crash()
      const guest = room.open()
      await guest.join(code)
      await room.clock.advance(3000)
      const again = room.open(77)
      await again.host({ room: code })
      await room.clock.advance(6000)
      assert.is(guest.shown().stage, 'Guest_Running')
      assert.equal([guestsOf(again).length, imposter.players()], [1, []])
    })

    test(`${kind}: where nobody else comes a newcomer to a room that is ${privacy} is told after a search`, async ({
      room,
    }) => {
      const { host, code } = await hostRoom(room, privacy)
      await room.pose(code, kind)
      await host.crash()
      const guest = room.open()
      await guest.join(code)
      await room.clock.advance(32_000)
      const codes = ['host-unreachable', 'connection-lost', 'not-encrypted', 'invalid-response']
      assert.equal([guest.shown().stage, codes.includes(guest.shown().code ?? '')], ['Error', true])
    })
  }

for (const privacy of PRIVACIES)
  test(`mute: a newcomer that waits for the host of a room that is ${privacy} waits beside the imposter, too`, async ({
    room,
  }) => {
    const { host, code } = await hostRoom(room, privacy)
    host.line.setOnline(false)
    await room.pose(code, 'mute')
    const guest = room.open()
    await guest.ask('/room/guest/start', { roomCode: code, wait: true })
    await room.clock.advance(60_000)
    assert.is(guest.shown().notice?.code, 'awaiting-room')
    host.line.setOnline(true)
    host.line.networkChanged()
    await room.clock.advance(6000)
    assert.equal([guest.shown().stage, guestsOf(host).length], ['Guest_Running', 1])
  })

for (const [kind, privacy] of [
  ['keyless', 'open'],
  ['host', 'open'],
  ['host', 'private'],
] as const)
  test(`${kind}: a newcomer to a room that is ${privacy} stays with the first that answers, and is told of the other`, async ({
    room,
  }) => {
    const { host, code } = await hostRoom(room, privacy)
    const imposter = await room.pose(code, kind)
    const guest = room.open()
    await guest.join(code)
    await room.clock.advance(20_000)
    assert.equal(
      [guest.shown().stage, guestsOf(host).length + imposter.players().length],
      ['Guest_Running', 1],
    )
    const { hintCode } = (await (await guest.ask('/room/status')).json()) as { hintCode: string | null }
    assert.is(hintCode, 'several-hosts')
  })

/** @returns the stage of a guest that has tried for some seconds */
async function joined(room: Room, code: string): Promise<string> {
  const guest = room.open()
  await guest.join(code)
  await room.clock.advance(5000)
  return guest.shown().stage
}

async function hostRoom(room: Room, privacy: RoomPrivacy) {
  const host = room.open()
  const code = await host.host({ private: privacy === 'private', playerName: 'Alex' })
  return { host, code, link: await room.invitationOf(host) }
}

function playersOf(imposters: readonly Imposter[]): readonly string[] {
  return imposters.flatMap((imposter) => imposter.players())
}

function guestsOf(host: Player): readonly string[] {
  return host.roomState.view().players.flatMap(({ name, kind }) => (kind === 'HOST' ? [] : name))
}

test.run()
