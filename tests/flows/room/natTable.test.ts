import { openLine } from '#support/namespaces/line'
import { natCases, withNatCase } from '#support/namespaces/natCases'
import { hasSlowLine, WHY_NO_SLOW_LINE } from '#support/namespaces/natLine'
import type { Joined } from '#support/namespaces/natRoom'
import { hasNat, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { hasPortMapping, WHY_NO_PORT_MAPPING } from '#support/namespaces/portMapping'
import { assert, suite } from '#support/runner/suite'
import { until } from '#support/values/until'

const test = suite('Players behind routers', { timeoutMs: 120_000 })
const withRouters = test.skipUnless(hasNat && hasSlowLine, hasNat ? WHY_NO_SLOW_LINE : WHY_NO_NAT)

/** Generous: how fast it goes is measured by the bench. */
const LIMIT_MS = 20_000
/** A machine that has little time measures its ways wrong for a while, and then takes another one. */
const RETURNS_MS = 60_000
const STAYS_MS = 1500
const rows: string[] = []
const OUTCOMES = {
  direct: 'get a way of their own',
  relay: 'play through the shared node',
  friend: 'play through the friend',
} as const

/** What mirrors another row, is easier than one, or is played by the real game. */
const ELSEWHERE = [
  'cone and cone',
  'a symmetric host, a guest behind a cone',
  'UDP blocked at the host’s',
  'symmetric both, the guest’s router opens ports',
  'one LAN without internet',
]

for (const one of natCases.filter(({ name }) => !ELSEWHERE.includes(name))) {
  const needsPorts = Object.values(one.houses ?? {}).some(({ opensPorts }) => opensPorts !== undefined)
  const testIt = needsPorts && !hasPortMapping ? test.skipUnless(false, WHY_NO_PORT_MAPPING) : withRouters
  testIt(`${one.name}: they ${OUTCOMES[one.path]}`, async () => {
    await withNatCase(one, async ({ room, guest, meeting }) => {
      const [joined] = await room.join(one.path, 1, LIMIT_MS)
      assert.ok(joined)
      rows.push(`${one.name.padEnd(42)}${shown(joined.okMs)}${shown(joined.pathMs)}  ${joined.carrier}`)
      assert.ok(joined.okMs !== undefined, `The guest is not in the room.\n${story(joined)}`)
      assert.ok(joined.pathMs !== undefined, `The path is not ${one.path}.\n${story(joined)}`)
      const { gamePort } = await room.guest.status()
      const line = await openLine(gamePort, guest.inside)
      try {
        await line.goesOn()
        // What does not need the shared node goes on without it.
        if (one.path === 'direct') await meeting?.kill()
        await new Promise((resolve) => setTimeout(resolve, STAYS_MS))
        await line.goesOn()
        const isAsWanted = async () => {
          const { state, network } = await room.guest.status()
          assert.is(state, 'Guest_Running')
          const isFriend = one.path !== 'friend' || network?.relayedBy === 'friend'
          const isCarrier = one.carrier === undefined || network?.carrier === one.carrier
          return network?.path === (one.path === 'direct' ? 'direct' : 'relay') && isFriend && isCarrier
        }
        const what = `the way is ${one.path}, by ${one.carrier ?? 'either'}`
        await until(what, isAsWanted, { ms: RETURNS_MS, everyMs: 100, story: () => story(joined) })
      } finally {
        await line.close()
      }
    })
  })
}

test.after(() => {
  console.log(`${'from the order to join, one try'.padEnd(42)}  in the room       path`)
  for (const row of rows) console.log(row)
})

function shown(ms: number | undefined): string {
  return (ms === undefined ? '–' : `${ms} ms`).padStart(11)
}

function story({ timeline }: Joined): string {
  return timeline.join('\n')
}

test.run()
