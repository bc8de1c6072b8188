import { type LinkChange, type LinkEvent, readLinkEvents } from '#core/room/report/linkEvents'
import { createFileLog } from '#core/room/service/fileLog'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { faultsOf, replayLinks } from './replayLinks'
import { createScenario } from './scenario'
import { simulate } from './simulate'

const test = suite('what a report tells of connections, replayed', { timeoutMs: 120_000 })

const SEED = 10

/** What happened, by the second, out of a log such as reports have. */
async function recorded(changes: readonly LinkChange[]): Promise<readonly LinkEvent[]> {
  const clock = createFakeClock()
  const lines: string[] = []
  const log = createFileLog({ write: (line) => void lines.push(line.trimEnd()), clock })
  for (const change of changes) {
    log.debug('link', { ...change })
    await clock.advance(1000)
  }
  return readLinkEvents(lines)
}

const node = (number: number, isConnected: boolean): LinkChange => ({
  kind: 'node',
  node: number,
  isConnected,
})
const player = (path: 'direct' | 'relay' | null): LinkChange => ({
  kind: 'player',
  player: 1,
  path,
  relayed: path === 'relay' ? 'searching' : null,
})
const HOST: LinkChange = { kind: 'state', state: 'host-ok', role: 'host' }
const GUEST: LinkChange = { kind: 'state', state: 'guest-ok', role: 'guest' }

test('a node or a path that goes and comes back is a fault of that length', async () => {
  const place = createScenario(SEED)
  const links = await recorded([
    HOST,
    node(1, true),
    player('relay'),
    player('direct'),
    node(1, false),
    player('relay'),
    node(1, true),
    player('direct'),
  ])
  assert.equal(faultsOf(links, place), [
    { kind: 'no-way', player: 0, relay: 0, atMs: 6500, forMs: 2000 },
    { kind: 'no-direct-way', player: 0, other: 1, atMs: 7500, forMs: 2000 },
  ])
})

test('what was never there is no loss, and what does not come back ends in the end', async () => {
  const links = await recorded([GUEST, node(1, false), player('relay'), node(1, true), node(1, false)])
  assert.equal(faultsOf(links, createScenario(SEED)), [
    { kind: 'no-way', player: 1, relay: 0, atMs: 6500, forMs: 3000 },
  ])
})

test('the simulator lets it happen again, each time the same, and the players recover', async () => {
  const links = await recorded([
    HOST,
    node(1, true),
    player('direct'),
    player(null),
    node(1, false),
    node(1, true),
    player('direct'),
  ])
  const scenario = replayLinks(links, SEED)
  const outcome = await simulate(scenario)
  assert.equal(outcome.violations, [])
  for (const kind of ['no-way', 'no-direct-way']) {
    assert.ok(
      outcome.lines.some((line) => line.includes('FAULT {') && line.includes(`"${kind}"`)),
      kind,
    )
  }
  assert.is((await simulate(replayLinks(links, SEED))).hash, outcome.hash)
})
