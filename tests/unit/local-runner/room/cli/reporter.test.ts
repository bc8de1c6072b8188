import { FRIEND_RELAY_STATES } from '#core/room/friendRelay'
import type { NetworkStatus, Path } from '#core/room/networkStatus'
import type { Profile } from '#core/room/profiles'
import type { RoomView } from '#core/room/service/state/roomView'
import { IDLE_VIEW } from '#core/room/service/state/roomView'
import { assert, suite } from '#support/runner/suite'
import { createReporter } from '../../../../../local-runner/room/cli/reporter'

const test = suite('room: progress for a person')

const CODE = 'U/0000-0000-0000-0000'

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

test('each stage is a line with its time, each notice once, the code in a box', () => {
  const searching: Partial<RoomView> = {
    stage: 'Host_GameDetecting',
    notice: { code: 'open-world', text: 'Open it.' },
  }
  const lines = report([
    searching,
    searching,
    { stage: 'Host_ScaffoldingStarting', gamePort: 25_565 },
    { stage: 'Host_NetworkStarting', gamePort: 25_565 },
    { stage: 'Host_Running', gamePort: 25_565, room: CODE, network: network() },
  ])
  assert.equal(lines, [
    '   0.0 s  Looking for your world',
    '   0.0 s  Open it.',
    '   2.4 s  Found the world on port 25565',
    '   3.6 s  Joining the network',
    '   4.8 s  The room is open for players on this LAN',
    '',
    '  +---------------------------+',
    `  |   ${CODE}   |`,
    '  +---------------------------+',
    '',
    '  Send this code to your friends. Ctrl-C closes the room.',
    '',
  ])
})

test('players come and go, whoever sits here is not told of', () => {
  const inside = { stage: 'Host_Running', room: null } as const
  const host = player('Alex', 'HOST')
  const lines = report([
    { ...inside, players: [host] },
    { ...inside, players: [host, player('Steve'), player('Eve')] },
    { ...inside, players: [host, player('Eve')] },
  ])
  assert.equal(lines.slice(1), [
    '   1.2 s  + Steve (V 1)',
    '   1.2 s  + Eve (V 1)',
    '   2.4 s  - Steve (V 1)',
  ])
  const guest = report([
    { stage: 'Guest_Running', players: [host, player('Steve', 'LOCAL'), player('Eve')] },
    { stage: 'Guest_Reconnecting', players: [host, player('Steve', 'LOCAL'), player('Eve')] },
    { stage: 'Guest_Running', players: [host, player('Steve', 'LOCAL')] },
  ])
  assert.equal(
    guest.filter((line) => /[+-] \w/.test(line)),
    ['   0.0 s  + Alex (V 1)', '   0.0 s  + Eve (V 1)', '   2.4 s  - Eve (V 1)'],
  )
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

test('a guest is told the address, the way once and again when it changes, and that the host was lost', () => {
  const direct = { kind: 'direct', transport: 'udp', latencyMs: 5 } as const
  const relayed = { kind: 'relay', transport: 'tcp', latencyMs: 50 } as const
  const running = { stage: 'Guest_Running', gamePort: 40_000, url: '127.0.0.1:40000' } as const
  const lines = report([
    { stage: 'Guest_ConnectingScaffolding', network: network(relayed) },
    { ...running, network: network(relayed) },
    { ...running, network: network({ ...relayed, latencyMs: 51 }) },
    { ...running, network: network(direct) },
    { stage: 'Guest_Reconnecting' },
    { ...running, network: network(direct) },
  ])
  assert.equal(lines, [
    '   0.0 s  Found the host',
    '   1.2 s  You are in the room',
    '',
    '  In the game: Multiplayer, then the world in the list, or Direct Connection to 127.0.0.1:40000',
    '',
    '   1.2 s  Connected through a shared node by tcp',
    '   3.6 s  Connected directly by udp',
    '   4.8 s  The host does not answer. Waiting up to a minute for it to return',
    '   6.0 s  You are in the room',
    '   6.0 s  The host is back.',
    '   6.0 s  Connected directly by udp',
  ])
})

test('shared nodes that do not answer are said, and so is a world that goes and returns', () => {
  const node = (state: 'connected' | 'failed') => ({
    url: 'tcp://n:1',
    state,
    latencyMs: undefined,
    problem: undefined,
  })
  const first = (nodes: NetworkStatus['nodes']) =>
    report([{ stage: 'Host_Running', network: network(undefined, nodes) }])[0]
  assert.match(first([node('failed')]) ?? '', /on this LAN: no shared node answers yet$/)
  assert.match(first([node('failed'), node('connected')]) ?? '', /\(1 of 2 shared nodes\)$/)
  const lines = report([
    { stage: 'Host_Running', gamePort: 25_565 },
    { stage: 'Host_Running', gamePort: 0, notice: { code: 'world-lost', text: 'It is gone.' } },
    { stage: 'Host_Running', gamePort: 30_000 },
  ])
  assert.match(lines[1] ?? '', 'It is gone.')
  assert.match(lines[2] ?? '', 'on port 30000 now')
})

test('bold where the terminal can', () => {
  const [boxed] = report([{ stage: 'Host_Running', room: CODE }], true).filter((line) => line.includes(CODE))
  assert.is(boxed, `  |   \x1b[1m${CODE}\x1b[22m   |`)
})

test.run()
