import type { RoomPrivacy } from '#core/room/roomCode'
import { createMemoryText } from '#support/room/memoryText'
import { assert, suite } from '#support/runner/suite'
import { caseCount } from '#support/values/caseCount'
import { createImposterRoom, IMPOSTERS, type Player } from './imposterRoom'

const test = suite('A member that poses as the host', { timeoutMs: 300_000 })

type Room = ReturnType<typeof createImposterRoom>

/** How long the host is away, in seconds. */
const AWAY = [6, 12, 60]
/** Until a guest is with a host again that has come back: the host's program has to meet its node first. */
const BACK_MS = 15_000
const SEEDS = caseCount(1, 2)

for (const privacy of ['open', 'private'] as const) {
  for (const kind of IMPOSTERS) {
    test(`${kind}: an invited guest of a room that is ${privacy} reaches the host whom the invitation names`, async () => {
      await withRooms(async (room, seed) => {
        const { host, code, link } = await hostRoom(room, privacy)
        const imposter = await room.pose(code, kind)
        const guest = room.open()
        await guest.join(seed % 2 === 0 ? link : `Come in: ${link}`)
        await room.clock.advance(3000)
        assert.is(guest.shown().stage, 'Guest_Running')
        assert.equal([guestsOf(host).length, imposter.players()], [1, []])
      })
    })

    test(`${kind}: guests of a room that is ${privacy} wait for the host, and are with it when it is back`, async () => {
      await withRooms(async (room, seed) => {
        const { host, code } = await hostRoom(room, privacy)
        const guests = [room.open(), room.open()]
        for (const guest of guests) await guest.join(code)
        await room.clock.advance(3000)
        const imposter = await room.pose(code, kind)
        for (const seconds of AWAY) {
          host.line.setOnline(false)
          await room.clock.advance(seconds * 1000)
          for (const guest of guests) assert.is.not(guest.shown().code, 'host-changed')
          host.line.setOnline(true)
          host.line.networkChanged()
          await room.clock.advance(BACK_MS)
          const stages = guests.map((guest) => guest.shown().stage)
          assert.equal(stages, ['Guest_Running', 'Guest_Running'], `${seconds} s away, seed ${seed}`)
          assert.equal([guestsOf(host).length, imposter.players()], [2, []])
        }
      })
    })
  }

  test(`a host of a room that is ${privacy} that starts anew is told from the imposter by its key`, async () => {
    await withRooms(async (room) => {
      const host = room.open(77)
      const code = await host.host({ private: privacy === 'private' })
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
  })

  test(`a guest of a room that is ${privacy} whose program starts anew, and who tries again, knows its host`, async () => {
    await withRooms(async (room) => {
      const { host, code } = await hostRoom(room, privacy)
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
  })

  test(`a member of a room that is ${privacy} with the host's peer id, too, is told from it by the key`, async () => {
    await withRooms(async (room) => {
      const { host, code } = await hostRoom(room, privacy)
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
  })

  test(`an invited guest of a room that is ${privacy} waits for the host while only the imposter is there`, async () => {
    await withRooms(async (room) => {
      const { host, code, link } = await hostRoom(room, privacy)
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
  })

  for (const kind of ['deaf', 'mute', 'echo'] as const) {
    test(`${kind}: a guest without an invitation to a room that is ${privacy} takes the one that answers`, async () => {
      await withRooms(async (room) => {
        const { host, code } = await hostRoom(room, privacy)
        await room.pose(code, kind)
        const guest = room.open()
        await guest.join(code)
        await room.clock.advance(3000)
        assert.equal([guest.shown().stage, guestsOf(host).length], ['Guest_Running', 1])
        assert.is(await hintOf(guest), 'several-hosts')
      })
    })
  }

  test(`two friends who host a room that is ${privacy}: a guest stays with the one that answered first, and is told so`, async () => {
    await withRooms(async (room) => {
      const { host, code } = await hostRoom(room, privacy)
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
  })
}

for (const privacy of ['open', 'private'] as const) {
  for (const kind of IMPOSTERS) {
    test(`${kind}: the host of a room that is ${privacy} sees it, and removes it`, async () => {
      await withRooms(async (room) => {
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
    })
  }

  test(`two friends who host a room that is ${privacy} are told of each other until one stops`, async () => {
    await withRooms(async (room) => {
      const { host, code } = await hostRoom(room, privacy)
      const second = room.open()
      await second.host({ room: code })
      await room.clock.advance(5000)
      assert.equal([await hintOf(host), await hintOf(second)], ['second-host', 'second-host'])
      await second.stop()
      await room.clock.advance(12_000)
      assert.equal([await hintOf(host), host.roomState.view().guests], [null, []])
    })
  })

  test(`what is left of a crashed run of a room that is ${privacy} is not taken for a second host`, async () => {
    await withRooms(async (room) => {
      const host = room.open(77)
      const code = await host.host({ private: privacy === 'private' })
      await host.crash()
      const again = room.open(77)
      await again.host({ room: code })
      for (let second = 0; second < 40; second += 1) {
        await room.clock.advance(1000)
        assert.is(await hintOf(again), null)
      }
    })
  })
}

async function withRooms(play: (room: Room, seed: number) => Promise<void>): Promise<void> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const room = createImposterRoom(seed)
    try {
      await play(room, seed)
    } finally {
      const leaks = await room.close()
      assert.equal(leaks, [], `seed ${seed}`)
    }
  }
}

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
