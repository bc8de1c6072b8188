import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { type InnerTarget, openServedTarget } from '#support/room/roomTargets'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

// The requests of HMCL, in its order and its spelling, and what its classes do with the answers. After its source of 2026-08:
// TerracottaManager.java, TerracottaState.java, TerracottaProfile.java.
const test = suite('a launcher that was written for Terracotta', { timeoutMs: 60_000 })

let network: ReturnType<typeof createMemoryNetwork>
let world: TestWorld
let host: InnerTarget
let guest: InnerTarget

test.before.each(async () => {
  network = createMemoryNetwork()
  world = await startWorld({ announced: true })
  const settings = { ROOM_HEARTBEAT_MS: '200' }
  host = await openServedTarget(network.roomNetwork, settings)
  guest = await openServedTarget(network.roomNetwork, settings)
})
test.after.each(async () => {
  await Promise.all([host.stop(), guest.stop()])
  await world.close()
  assert.equal(network.leaks(), [])
})

type Page = {
  readonly state: string
  readonly index: number
  readonly room?: string
  readonly url?: string
  readonly type?: number
  readonly profile_index: number
  readonly profiles: readonly { machine_id: string; name: string; vendor: string; kind: string }[]
}

/** HMCL's background thread: takes a record only when its index has risen, and draws its page anew unless it is a fork. */
function createHmcl(target: InnerTarget) {
  let page: Page | undefined
  let drawn = 0
  const get = (path: string) => fetch(`${target.url}${path}`, { headers: { 'User-Agent': 'HMCL/3.7' } })
  const poll = async () => {
    const next = (await (await get('/state')).json()) as Page
    if (page && next.index <= page.index) return
    validate(next)
    const isFork = page?.state === next.state && next.index - page.index <= next.profile_index
    if (!(isFork && ['host-ok', 'guest-ok'].includes(next.state))) drawn += 1
    page = next
  }
  return {
    get,
    drawn: () => drawn,
    page: () => page,
    /** Polls until the condition holds. */
    async until(holds: (page: Page) => boolean): Promise<Page> {
      for (const limit = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
        await poll()
        if (page && holds(page)) return page
        if (Date.now() > limit) throw new Error(`still ${JSON.stringify(page)}`)
      }
    },
  }
}

/** What its classes refuse, and then show as a fatal error. */
function validate({ state, room, type, profiles }: Page): void {
  if (state === 'host-ok') assert.type(room, 'string')
  if (['host-ok', 'guest-ok'].includes(state)) {
    assert.ok(Array.isArray(profiles))
    for (const { machine_id, name, vendor, kind } of profiles) {
      assert.match(machine_id, /^[0-9a-f]{32}$/)
      for (const text of [name, vendor]) assert.type(text, 'string')
      assert.ok(['HOST', 'LOCAL', 'GUEST'].includes(kind))
    }
  }
  if (state === 'exception') assert.ok(type !== undefined && type >= 0 && type <= 5, `type ${type}`)
}

const NODES =
  'public_nodes=https%3A%2F%2Fnodes.example.com%2Fnode1&public_nodes=tcp%3A%2F%2Fnode.example.com%3A11010'

test('hosts and joins, keeps its page while only players change, and stops', async () => {
  const [alex, steve] = [createHmcl(host), createHmcl(guest)]
  await alex.until(({ state }) => state === 'waiting')
  assert.is((await alex.get(`/state/scanning?player=Alex&${NODES}`)).status, 200)
  const { room = '' } = await alex.until(({ state }) => state === 'host-ok')
  const drawn = alex.drawn()
  const query = `room=${encodeURIComponent(room)}&player=Steve&${NODES}`
  assert.is((await steve.get(`/state/guesting?${query}`)).status, 200)
  const { url = '' } = await steve.until(({ state }) => state === 'guest-ok')
  assert.match(url, /^127\.0\.0\.1(:\d+)?$/)
  await alex.until(({ profiles }) => profiles.length === 2)
  const { profiles } = await steve.until((page) => page.profiles.length === 2)
  assert.equal(each(profiles, 'kind'), ['HOST', 'LOCAL'])
  assert.is((await steve.get('/state/ide')).status, 200)
  await alex.until(({ profiles }) => profiles.length === 1)
  assert.is(alex.drawn(), drawn, 'its page was drawn anew for a player')
  assert.match(await (await alex.get('/log?fetch=true')).text(), /hosting/)
})

test('is told that the host has closed the room', async () => {
  const [alex, steve] = [createHmcl(host), createHmcl(guest)]
  await alex.get('/state/scanning?player=Alex')
  const { room = '' } = await alex.until(({ state }) => state === 'host-ok')
  await steve.get(`/state/guesting?room=${encodeURIComponent(room)}&player=Steve`)
  await steve.until(({ state }) => state === 'guest-ok')
  await alex.get('/state/ide')
  assert.is((await steve.until(({ state }) => state === 'exception')).type, 1)
})

test.run()
