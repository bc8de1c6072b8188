import { openLine } from '#support/namespaces/line'
import { natCases, withNatCase } from '#support/namespaces/natCases'
import { hasSlowLine, WHY_NO_SLOW_LINE } from '#support/namespaces/natLine'
import { hasNat, WHY_NO_NAT } from '#support/namespaces/natWorld'
import type { RoomProcess, RoomStatus } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'

const test = suite('A friend as relay', { timeoutMs: 180_000 })
const withRouters = test.skipUnless(hasNat && hasSlowLine, hasNat ? WHY_NO_SLOW_LINE : WHY_NO_NAT)

const LIMIT_MS = 60_000

withRouters(
  'a pair behind strict routers plays through a friend, and on through the node once it dies',
  async () => {
    const found = natCases.find(({ path }) => path === 'friend')
    assert.ok(found)
    await withNatCase(found, async ({ room, guest, friend }) => {
      assert.ok(friend)
      const [joined] = await room.join('friend', 1, LIMIT_MS)
      assert.ok(joined?.pathMs !== undefined, `No friend carries.\n${joined?.timeline.join('\n')}`)
      const { gamePort } = await room.guest.status()
      const line = await openLine(gamePort, guest.inside)
      try {
        await line.goesOn()
        const carried = await carriedOnce(friend, ({ friendRelay }) => (friendRelay?.pairs ?? 0) > 0)
        assert.is(carried?.state, 'carrying')
        const { bytes = 0 } = carried ?? {}
        await line.goesOn()
        const later = await carriedOnce(friend, ({ friendRelay }) => (friendRelay?.bytes ?? 0) > bytes)
        assert.ok(later)

        await friend.kill()
        await line.goesOn(LIMIT_MS)
        await carriedOnce(room.guest, ({ relayedBy }) => relayedBy === 'node')
        await line.goesOn()
        assert.is((await room.guest.status()).state, 'Guest_Running')
      } finally {
        await line.close()
      }
    })
  },
)

type Network = NonNullable<RoomStatus['network']>

/** @returns what is carried once it is so. @throws Error when it is not in time */
async function carriedOnce(
  room: RoomProcess,
  isSo: (network: Network) => boolean,
): Promise<Network['friendRelay'] | undefined> {
  const look = async () => (await room.status()).network ?? undefined
  const patience = { ms: LIMIT_MS, everyMs: 100, story: room.process.stderr }
  return (await eventually(look, (network) => network !== undefined && isSo(network), patience))?.friendRelay
}

test.run()
