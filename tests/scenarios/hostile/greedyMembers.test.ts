import { readRoomCode } from '@lantern-room/protocol'
import type { FeedMessage } from '@lantern-room/room/client'
import { settle } from '#support/network/fakeClock'
import { createGreedyMember, EVERYTHING, type Greed, type GreedyMember } from '#support/room/greedyMember'
import { type SimulatedRoom, simulatedRoomsOf } from '#support/room/simulatedRooms'
import { assert, suite } from '#support/runner/suite'

const test = suite('greedy members', { timeoutMs: 60_000 })

const MEMBERS = 16
const ROUNDS = 3
const WORLD = 25_565
/** Flows are shared by the network's own layer, which a network in memory has not. */
const NOTHING: Greed = { players: 0, connections: 0, streams: 0, flows: 0, renames: 0 }
const GREED = { ...EVERYTHING, flows: 0, renames: 100 }

const setting = simulatedRoomsOf(test)
let host: SimulatedRoom
let room = ''

test.before.each(async () => {
  host = setting.open()
  host.machine.openWorld(WORLD)
  room = await host.host({ gamePort: WORLD })
  await setting.clock.advance(2000)
  room = host.roomState.view().room ?? room
})

test('members who try everything lock no friend out, rename no one and flood no listener', async () => {
  const victim = setting.open()
  await victim.join(room)
  await setting.clock.advance(1000)
  const messages: { readonly at: number; readonly message: FeedMessage }[] = []
  host.feed.subscribe((message) => messages.push({ at: setting.clock.now(), message }))
  const greedy = await joinGreedy(MEMBERS)
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(greedy.map((member) => member.round()))
    await settle()
    await setting.clock.advance(1000)
  }

  const friend = setting.open()
  await friend.join(room)
  await setting.clock.advance(5000)
  assert.is(friend.roomState.view().stage, 'Guest_Running')
  const { url } = friend.roomState.view()
  assert.is(await friend.machine.echo(Number(url?.split(':')[1] ?? WORLD), 'hello'), 'hello')

  const names = host.roomState.view().players.map(({ name }) => name)
  assert.ok(names.includes('Guest 2') && names.includes('Guest 3'), names.join())
  assert.ok(names.length <= 64)
  for (let member = 0; member < MEMBERS; member += 1) {
    const own = names.filter((name) => name.startsWith(`greedy ${member} `))
    assert.ok(own.length <= 4, own.join())
  }
  assert.ok(busiestSecond(messages.map(({ at }) => at)) <= 10)
  const told = messages.flatMap(({ message }) =>
    message.type === 'log' && message.code === 'over-share' ? [message] : [],
  )
  assert.is.not(told.length, 0)
  assert.match(JSON.stringify(told), /"shares":\[[^\]]*"streams"/)
  assert.ok(told.length <= 5, 'few messages for all of it')
  for (const member of greedy) member.close()
})

test('the host is told by name who asks for more than its share', async () => {
  const guest = setting.open()
  await guest.join(room)
  await setting.clock.advance(1000)
  const told: FeedMessage[] = []
  host.feed.subscribe((message) => void (message.type === 'log' && told.push(message)))
  const [greedy] = await joinGreedy(1, { ...NOTHING, players: 5 })
  await greedy?.round()
  await setting.clock.advance(4000)
  const [flood] = await joinGreedy(1, { ...NOTHING, streams: 70 })
  await flood?.round()
  await greedy?.round()
  await greedy?.round()
  await setting.clock.advance(2000)
  const codes = told.flatMap((message) => (message.type === 'log' ? (message.code ?? []) : []))
  assert.equal(codes, ['over-share', 'over-share'])
  assert.match(JSON.stringify(told), /"players":\["greedy 0 0","greedy 0 1","greedy 0 2","greedy 0 3"\]/)
  for (const member of [greedy, flood]) member?.close()
})

async function joinGreedy(count: number, greed: Greed = GREED): Promise<readonly GreedyMember[]> {
  const { code } = readRoomCode(room)
  if (!code) throw new Error('no code')
  const victim = host.roomState.view().players.find(({ kind }) => kind === 'GUEST')?.machineId ?? ''
  const join = async (_: unknown, at: number) => {
    const stop = new AbortController()
    const session = await setting.network.roomNetwork.join({
      room: code,
      onStep: () => {},
      signal: stop.signal,
    })
    const member = createGreedyMember(session, { worldPort: WORLD, victim }, `greedy ${at}`, greed)
    return {
      ...member,
      close() {
        member.close()
        stop.abort(new Error('the test is over'))
      },
    }
  }
  return Promise.all(Array.from({ length: count }, join))
}

/** The most of these times that lie within one second. */
function busiestSecond(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length))
}

test.run()
