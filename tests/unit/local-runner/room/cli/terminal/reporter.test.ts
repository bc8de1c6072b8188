import { FRIEND_RELAY_STATES } from '#core/room/friendRelay'
import type { NetworkStatus, Path } from '#core/room/networkStatus'
import type { Profile } from '#core/room/profiles'
import type { RoomView } from '#core/room/service/state/roomView'
import { IDLE_VIEW } from '#support/room/idleView'
import { assert, suite } from '#support/runner/suite'
import { createReporter } from '../../../../../../local-runner/room/cli/terminal/reporter'

const test = suite('room: progress for a person')

function report(views: readonly Partial<RoomView>[], hasColour = false): string[] {
  const lines: string[] = []
  let elapsed = 0
  const reporter = createReporter({
    write: (line) => void lines.push(line),
    elapsed: () => elapsed,
    hasColour,
  })
  for (const view of views) {
    reporter.show({ ...IDLE_VIEW, ...view })
    elapsed += 1200
  }
  return lines
}

const player = (name: string, kind: Profile['kind'] = 'GUEST', vendor = 'V 1'): Profile => ({
  name,
  vendor,
  kind,
  machineId: name.toLowerCase(),
})
const network = (path?: Path, nodes: NetworkStatus['nodes'] = []): NetworkStatus => ({
  privacy: 'open',
  nodes,
  mappings: [],
  path,
  difficulty: undefined,
})

test("a stranger's name cannot rewrite the terminal", () => {
  const [, line] = report([
    { stage: 'Guest_Running', players: [] },
    { stage: 'Guest_Running', players: [player('L', 'LOCAL'), player('\x1b[2J\nroom: ', 'HOST', '\u202e')] },
  ]).slice(-2)
  assert.match(line ?? '', '+ ?[2J?room:  (?)')
})

test('members without a player are told with what to type, of a crowd a few', () => {
  const crowd = Array.from({ length: 70 }, (_, at) => ({
    id: `member:${at}`,
    name: 'laptop',
    vendor: '',
    state: 'unregistered' as const,
  }))
  const lines = report([
    { stage: 'Host_Running', role: 'host', guests: crowd.slice(0, 1) },
    { stage: 'Host_Running', role: 'host', guests: crowd.slice(0, 1) },
    { stage: 'Host_Running', role: 'host', guests: crowd },
  ]).filter((line) => line.includes('?'))
  assert.is(lines.length, 5)
  assert.match(
    lines[0] ?? '',
    /laptop is connected without a player .*y member:0 lets it in, kick member:0 removes it/,
  )
  assert.match(lines[4] ?? '', /66 more are connected without a player/)
})

test('who carries is told, and what is carried for others', () => {
  const friendRelay = { pairs: 0, bytes: 0, bytesPerSecond: 1000 } as const
  const path = { kind: 'relay', transport: 'udp', latencyMs: 50, relayedBy: 'friend' } as const
  const running = { stage: 'Guest_Running', gamePort: 40_000, url: '127.0.0.1:40000' } as const
  const lines = report([
    { ...running, network: network(path) },
    { ...running, network: { ...network(path), friendRelay: { ...friendRelay, state: 'offered' } } },
    {
      ...running,
      network: { ...network(path), friendRelay: { ...friendRelay, state: 'offered', bytes: 9 } },
    },
    { ...running, network: { ...network(path), friendRelay: { ...friendRelay, state: 'carrying' } } },
  ])
  assert.equal(
    lines.slice(-3).map((line) => line.slice(10)),
    [
      'Connected through another player of this room by udp',
      FRIEND_RELAY_STATES.offered,
      FRIEND_RELAY_STATES.carrying,
    ],
  )
})

test.run()
