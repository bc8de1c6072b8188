import { createHostFollower } from '#core/room/network/followHost'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('room: the way of a guest to the network with another secret')

const HOST = 7
const OLD = 0
const NEW = 1

type Sight = { readonly answers?: boolean; readonly wasDirect?: boolean; readonly directAt?: number }

/** A guest that follows its host: what is open, by the time at which that changed. */
async function followed({ answers = true, wasDirect = false, directAt }: Sight, ms: number) {
  const clock = createFakeClock()
  const changes: string[] = []
  const note = (what: string) => changes.push(`${clock.now()} ${what}`)
  const peer = (isDirect: boolean) => ({ record: { peerId: HOST }, connection: isDirect ? {} : undefined })
  let open = [OLD]
  const mesh = {
    peer: () => peer(directAt !== undefined && clock.now() >= directAt),
    call: (...[, , , , done]: unknown[]) =>
      answers && (done as (answer: object) => void)({ kind: 'response' }),
  }
  const generations = {
    list: () => open,
    at: () => mesh,
    peersOf: () => [],
    move: () => note('moves'),
    async close(generation: number) {
      note(`closes ${generation}`)
      open = open.filter((one) => one !== generation)
    },
  }
  const member = {
    network: { generations, peers: () => [peer(wasDirect)] },
    signal: new AbortController().signal,
    async openNext() {
      open = [...open, NEW]
      return NEW
    },
  }
  const options = { member, hostId: () => HOST, clock, log: silentLog() }
  createHostFollower(options as unknown as Parameters<typeof createHostFollower>[0]).follow(
    new Uint8Array(32),
  )
  await clock.advance(ms)
  return changes
}

const CASES: readonly [string, Sight, readonly string[]][] = [
  ['it moves once the host answers by the same way', {}, ['0 moves', `5000 closes ${OLD}`]],
  [
    'it waits for a direct path where there was one',
    { wasDirect: true, directAt: 7000 },
    ['7000 moves', `12000 closes ${OLD}`],
  ],
  ['but not for long', { wasDirect: true }, ['20000 moves', `25000 closes ${OLD}`]],
  [
    'a host that does not answer is given up after a minute',
    { answers: false, directAt: 0 },
    [`60000 closes ${NEW}`],
  ],
]

for (const [name, sight, expected] of CASES) {
  test(name, async () => {
    assert.equal(await followed(sight, 70_000), expected)
  })
}

test.run()
