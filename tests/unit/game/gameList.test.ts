import { GameList } from '#internal/game/gameList'
import type { GameAnnouncement, GameStatus, ProbeGame } from '#internal/game/ports'
import { createProbeHere } from '#internal/game/probeHere'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

const test = suite('game list', { setUp: listWith })

const alive: GameStatus = {
  by: 'modern',
  motd: 'status text',
  version: '1.20.4',
  onlinePlayers: 0,
  maxPlayers: 8,
}
const local: GameAnnouncement = { address: '127.0.0.1', port: 4000, motd: 'Mine', isLocal: true }
const remote: GameAnnouncement = { address: '192.168.1.5', port: 4000, motd: 'Theirs', isLocal: false }

/** A list whose games answer `answer(port)`, with the probes that were made. */
function listWith(answer: (port: number) => Promise<GameStatus | undefined> = async () => alive) {
  const clock = createFakeClock()
  const stop = new AbortController()
  const own = new Set<number>()
  const ownUdp = new Set<number>()
  const probed: string[] = []
  const told: number[] = []
  const probe = ({ address, port }: Parameters<ProbeGame>[0]) => {
    probed.push(`${address}:${port}`)
    return answer(port)
  }
  const list = new GameList({
    clock,
    signal: stop.signal,
    isOwn: ({ tcp, udp }) => (tcp !== undefined && own.has(tcp)) || (udp !== undefined && ownUdp.has(udp)),
    onChange: () => told.push(list.games().length),
    probe,
    probeHere: createProbeHere(probe, () => ['127.0.0.1']),
  })
  return { list, clock, stop, own, ownUdp, probed, told }
}

const localPorts = (list: GameList) => list.localWorlds().map(({ port }) => port)

test('a world is gone 5 s after its last announcement', async ({ list, clock }) => {
  list.add(local)
  await clock.advance(3000)
  list.add(local)
  await clock.advance(4999)
  assert.is(list.games().length, 1)
  await clock.advance(1)
  assert.is(list.games().length, 0)
  assert.is(clock.timers, 0)
})

test('a world is asked at most every 5 s, however often it is announced', async ({ list, clock, probed }) => {
  for (let at = 0; at < 20_000; at += 250) {
    list.add(local)
    await clock.advance(250)
  }
  assert.is(probed.length, 4)
})

test('a world that stops answering is not verified any more', async () => {
  let answer: GameStatus | undefined = alive
  const { list, clock } = listWith(async () => answer)
  list.add(local)
  await clock.advance(4000)
  assert.is(list.games()[0]?.status?.onlinePlayers, 0, 'which is not unknown')
  answer = undefined
  list.add(local)
  await clock.advance(1000)
  assert.equal(localPorts(list), [4000])
  list.add(local)
  await clock.advance(0)
  assert.equal(localPorts(list), [])
  assert.is(list.games()[0]?.status, undefined)
})

test('an answer that comes after the world was forgotten is dropped, also when it was announced anew', async () => {
  const answers: ((status: GameStatus) => void)[] = []
  const { list, clock } = listWith(() => new Promise((resolve) => answers.push(resolve)))
  list.add(local)
  await clock.advance(5000)
  list.add(local)
  answers[0]?.(alive)
  await clock.advance(0)
  assert.is(list.games()[0]?.status, undefined)
  answers[1]?.(alive)
  await clock.advance(0)
  assert.equal(list.games()[0]?.status, alive)
})

test('a port of ours is never a game, nor once it became one; the same port elsewhere is', async () => {
  const { list, clock, own, probed } = listWith()
  own.add(4000)
  list.add(local)
  list.add(remote)
  await clock.advance(0)
  assert.equal(probed, ['192.168.1.5:4000'])
  list.add({ ...local, port: 4001 })
  await clock.advance(0)
  assert.equal(localPorts(list), [4001])
  own.add(4001)
  assert.equal(localPorts(list), [])
  assert.is(list.games().length, 1)
})

test('what Terracotta announces for a guest is no game, here or elsewhere', async ({ list, probed }) => {
  for (const place of [local, remote]) list.add({ ...place, motd: '双击进入陶瓦联机大厅（请保持陶瓦运行）' })
  assert.equal([list.games(), probed], [[], []])
})

test('a stranger who announces every port fills his places and not those of this machine', async () => {
  const { list, clock } = listWith()
  for (let port = 1; port <= 65_535; port++) list.add({ ...remote, port })
  list.add(local)
  await clock.advance(0)
  assert.is(list.games().length, 129)
  assert.equal(list.games()[0]?.address, '127.0.0.1')
})

test('at most 16 worlds are asked at once, the others at their next announcement', async () => {
  const answers: ((status: GameStatus) => void)[] = []
  const { list, clock, probed } = listWith(() => new Promise((resolve) => answers.push(resolve)))
  const hearAll = () => {
    for (let port = 1; port <= 20; port++) list.add({ ...local, port })
  }
  hearAll()
  assert.is(probed.length, 16)
  for (const answer of answers) answer(alive)
  await clock.advance(1500)
  hearAll()
  assert.is(probed.length, 20)
})

test('a port of ours is none of the other transport', async ({ list, clock, own, ownUdp }) => {
  const bedrock = { ...local, edition: 'bedrock' as const }
  own.add(4000)
  list.add(bedrock)
  await clock.advance(0)
  assert.is(list.games().length, 1)
  ownUdp.add(4000)
  assert.is(list.games().length, 0)
  own.clear()
  list.add(local)
  await clock.advance(0)
  assert.equal(localPorts(list), [4000])
})

test('a change of the list is told, and nothing else is', async ({ list, clock, told }) => {
  list.add(remote)
  assert.equal(told, [1], 'a new world')
  await clock.advance(0)
  assert.equal(told, [1, 1], 'its answer')
  await clock.advance(1500)
  list.add(remote)
  await clock.advance(0)
  assert.equal(told, [1, 1], 'the same again')
  list.add({ ...remote, motd: 'Another name' })
  assert.equal(told, [1, 1, 1], 'another name')
  await clock.advance(5000)
  assert.equal(told, [1, 1, 1, 0], 'it has expired')
})

test('a Bedrock world of this machine is listed, and is none that is taken unasked', async () => {
  const { list, clock } = listWith()
  list.add({ ...local, edition: 'bedrock' })
  await clock.advance(0)
  assert.equal(each(list.games(), 'edition'), ['bedrock'])
  assert.equal(list.localWorlds(), [])
})

test.run()
