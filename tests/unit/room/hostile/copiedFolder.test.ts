import { sleep } from '@lantern-room/base/async'
import type { Player } from '@lantern-room/protocol'
import { createScaffoldingClient } from '@lantern-room/protocol/client'
import { type SimulatedRoom, simulatedRoomsOf } from '#support/room/simulatedRooms'
import { assert, suite } from '#support/runner/suite'

const test = suite('two machines with one data folder')

const setting = simulatedRoomsOf(test)
/** A room with the same number has the same id and the same keys, as those of a copied folder. */
const COPIED = 9

const KINDS = {
  'an open room': {},
  'a private room': { private: true },
  'an open room with approval': { approval: true },
  'a private room with approval': { approval: true, private: true },
} as const

type Order = { readonly private?: boolean; readonly approval?: boolean }

const MORE_THAN_EXPIRY_MS = 40_000

async function openHost(order: Order, number?: number) {
  const host = setting.open(number === undefined ? {} : { number })
  host.machine.openWorld(30_000)
  const room = await host.host({ gamePort: 30_000, playerName: 'Alex', ...order })
  return { host, room, order }
}

type Hosted = Awaited<ReturnType<typeof openHost>>

/** Joins, and is let in where the host is asked. */
async function enter({ host, room, order }: Hosted, name: string, number: number) {
  const guest = setting.open({ number })
  assert.is((await guest.ask('/room/guest/start', { roomCode: room, playerName: name })).status, 200)
  await setting.clock.advance(500)
  if (order.approval) await letIn(host, name)
  return guest
}

async function letIn(host: SimulatedRoom, name: string): Promise<void> {
  const waiting = host.roomState.view().guests.filter(({ state }) => state === 'waiting')
  assert.equal(
    waiting.map((guest) => guest.name),
    [name],
    'it is asked about by itself',
  )
  assert.is((await host.ask(`/room/guests/${waiting[0]?.id}/approve`, {})).status, 200)
  await setting.clock.advance(6000)
}

const namesIn = (host: SimulatedRoom) => host.roomState.view().players.map(({ name }) => name)
const idsIn = (host: SimulatedRoom) =>
  new Set(host.roomState.view().players.map(({ machineId }) => machineId))
const idOf = (host: SimulatedRoom, name: string) =>
  host.roomState.view().players.find((player) => player.name === name)?.machineId
const ownName = (guest: SimulatedRoom) =>
  guest.roomState.view().players.find(({ kind }) => kind === 'LOCAL')?.name
const hintOf = async (room: SimulatedRoom) =>
  ((await (await room.ask('/room/status')).json()) as { hintCode: string | null }).hintCode
const hintsOf = (rooms: readonly SimulatedRoom[]) => Promise.all(rooms.map(hintOf))

/** Whether a line through the guest's port reaches the world. */
async function plays(guest: SimulatedRoom): Promise<boolean> {
  const answer = guest.machine.echo(guest.shown().gamePort, 'hello')
  await setting.clock.advance(0)
  return (await answer) === 'hello'
}

for (const [kind, order] of Object.entries(KINDS)) {
  for (const kicked of ['Steve', 'Kim'] as const)
    test(`${kind}: two guests are two players, both are told, and ${kicked} is removed alone`, async () => {
      const hosted = await openHost(order)
      const { host } = hosted
      const steve = await enter(hosted, 'Steve', COPIED)
      const kim = await enter(hosted, 'Kim', COPIED)
      await setting.clock.advance(MORE_THAN_EXPIRY_MS)
      assert.equal([namesIn(host), idsIn(host).size], [['Alex', 'Steve', 'Kim'], 3])
      assert.equal([ownName(steve), ownName(kim)], ['Steve', 'Kim'])
      assert.equal([await plays(steve), await plays(kim)], [true, true])
      assert.equal(await hintsOf([host, steve, kim]), ['copied-folders', 'copied-folder', 'copied-folder'])

      const [gone, other, name] = kicked === 'Kim' ? [kim, steve, 'Steve'] : [steve, kim, 'Kim']
      assert.is((await host.ask(`/room/guests/${idOf(host, kicked)}/kick`, {})).status, 200)
      await setting.clock.advance(MORE_THAN_EXPIRY_MS)
      assert.is(gone.shown().code, 'removed')
      assert.equal([namesIn(host), await plays(other)], [['Alex', name], true])
      assert.is(await hintOf(host), null)
    })

  test(`${kind}: a guest with a copy of the host’s folder is a player of its own`, async () => {
    const hosted = await openHost(order, COPIED)
    const { host } = hosted
    const kim = await enter(hosted, 'Kim', COPIED)
    await setting.clock.advance(MORE_THAN_EXPIRY_MS)
    assert.equal([kim.shown().stage, ownName(kim), await plays(kim)], ['Guest_Running', 'Kim', true])
    assert.equal([namesIn(host), idsIn(host).size], [['Alex', 'Kim'], 2])
    assert.equal(await hintsOf([host, kim]), ['copied-folder', 'copied-folder'])
  })
}

test('with approval: both wait at once, each is asked about, and one that is let in does not take the other with it', async () => {
  const { host, room } = await openHost({ approval: true })
  const guests = ['Steve', 'Kim'].map((name) => ({ name, guest: setting.open({ number: COPIED }) }))
  for (const { name, guest } of guests)
    await guest.ask('/room/guest/start', { roomCode: room, playerName: name })
  await setting.clock.advance(1000)
  const waiting = () =>
    host.roomState
      .view()
      .guests.filter(({ state }) => state === 'waiting')
      .map(({ name }) => name)
  assert.equal(waiting(), ['Steve', 'Kim'])
  const { id } = host.roomState.view().guests.find(({ name }) => name === 'Kim') ?? {}
  await host.ask(`/room/guests/${id}/approve`, {})
  await setting.clock.advance(MORE_THAN_EXPIRY_MS)
  assert.equal([namesIn(host), waiting()], [['Alex', 'Kim'], ['Steve']])
  assert.equal(
    guests.map(({ guest }) => guest.shown().stage),
    ['Guest_AwaitingApproval', 'Guest_Running'],
  )
})

test('with approval: while the one that was let in is away, the other is asked about, and neither lets the other out', async () => {
  const hosted = await openHost({ approval: true })
  const { host, room } = hosted
  const steve = await enter(hosted, 'Steve', COPIED)
  await steve.ask('/room/stop', {})
  await setting.clock.advance(1000)
  const kim = await enter(hosted, 'Kim', COPIED)
  await kim.ask('/room/stop', {})
  await setting.clock.advance(1000)
  for (const [guest, playerName] of [
    [steve, 'steve'],
    [kim, 'Kim'],
  ] as const) {
    await guest.ask('/room/guest/start', { roomCode: room, playerName })
    await setting.clock.advance(6000)
    assert.is(guest.shown().stage, 'Guest_Running')
    await guest.ask('/room/stop', {})
  }
  assert.equal(namesIn(host), ['Alex'])
})

/** A guest that takes the host for a program of another maker, which knows the five commands alone. */
function openPlain(number: number): SimulatedRoom {
  const { roomNetwork } = setting.network
  return setting.open({
    number,
    roomNetwork: {
      ...roomNetwork,
      async join(options) {
        const connection = await roomNetwork.join(options)
        const { host } = connection
        return Object.defineProperty({ ...connection }, 'host', { value: { ...host, isOurs: false } })
      },
    },
  })
}

test('at a host of another program: the list tells who is there, and both play', async () => {
  const { host, room } = await openHost({})
  const guests = [openPlain(COPIED), openPlain(COPIED)] as const
  for (const [at, guest] of guests.entries()) {
    await guest.ask('/room/guest/start', { roomCode: room, playerName: ['Steve', 'Kim'][at] })
    await setting.clock.advance(1000)
  }
  await setting.clock.advance(MORE_THAN_EXPIRY_MS)
  assert.equal([namesIn(host), idsIn(host).size], [['Alex', 'Steve', 'Kim'], 3])
  assert.equal(guests.map(ownName), ['Steve', 'Kim'])
  assert.equal(await hintsOf(guests), [null, 'copied-folder'])
})

test('at a host of another program: a copy of the host’s folder plays, and who comes back keeps its id', async () => {
  const { host, room } = await openHost({}, COPIED)
  const [kim, steve] = [openPlain(COPIED), openPlain(8)]
  await kim.ask('/room/guest/start', { roomCode: room, playerName: 'Kim' })
  await steve.ask('/room/guest/start', { roomCode: room, playerName: 'Steve' })
  await setting.clock.advance(6000)
  const id = idOf(host, 'Steve')
  // It says no goodbye there: its entry is listed for a while.
  await steve.close()
  const again = openPlain(8)
  await again.ask('/room/guest/start', { roomCode: room, playerName: 'Steve' })
  await setting.clock.advance(30_000)
  assert.equal([namesIn(host), idOf(host, 'Steve')], [['Alex', 'Kim', 'Steve'], id])
  assert.equal(await hintsOf([kim, again]), ['copied-folder', null])
})

test('a copy that comes a moment after the other has gone without a goodbye is not taken for it', async () => {
  const hosted = await openHost({})
  const { host, room } = hosted
  const steve = openPlain(COPIED)
  await steve.ask('/room/guest/start', { roomCode: room, playerName: 'Steve' })
  await setting.clock.advance(6000)
  const id = idOf(host, 'Steve')
  await steve.close()
  await enter(hosted, 'Kim', COPIED)
  assert.equal([namesIn(host), idOf(host, 'Kim') === id], [['Alex', 'Steve', 'Kim'], false])
  await setting.clock.advance(MORE_THAN_EXPIRY_MS)
  const again = openPlain(COPIED)
  await again.ask('/room/guest/start', { roomCode: room, playerName: 'Steve' })
  await setting.clock.advance(6000)
  assert.equal([namesIn(host), idOf(host, 'Steve')], [['Alex', 'Kim', 'Steve'], id])
})

/** A program of another maker that pings by one id all the time. */
async function playPlain(host: SimulatedRoom, player: Player, signal: AbortSignal) {
  const member = await setting.member(host, signal)
  const stream = await member.dial(member.host.roomPort)
  const client = createScaffoldingClient(stream, { clock: setting.clock, signal })
  await client.playerPing(player)
  const ping = async () => {
    for (;;) {
      await sleep(setting.clock, 5000, signal)
      await client.playerPing(player)
    }
  }
  return { client, ended: ping().catch((error: unknown) => String(error)) }
}

for (const approval of [false, true])
  test(`two programs of other makers with one id are two players${approval ? ', asked about one by one' : ''}`, async () => {
    const { host } = await openHost({ approval })
    const stop = new AbortController()
    const machineId = 'machine-of-an-image'
    const open = (name: string) => playPlain(host, { name, machineId, vendor: 'Other 1' }, stop.signal)
    const steve = await open('Steve')
    if (approval) await letIn(host, 'Steve')
    const kim = await open('Kim')
    await setting.clock.advance(6000)
    if (approval) await letIn(host, 'Kim')
    await setting.clock.advance(MORE_THAN_EXPIRY_MS)
    assert.equal([namesIn(host), idsIn(host).size], [['Alex', 'Steve', 'Kim'], 3])
    for (const [guest, name] of [
      [steve, 'Steve'],
      [kim, 'Kim'],
    ] as const) {
      const own = (await guest.client.profiles()).filter((profile) => profile.machineId === machineId)
      assert.equal(
        own.map((profile) => profile.name),
        [name],
        'each finds itself under its own id',
      )
    }
    assert.is((await host.ask(`/room/guests/${machineId}/kick`, {})).status, 200)
    await setting.clock.advance(MORE_THAN_EXPIRY_MS)
    assert.equal(namesIn(host), ['Alex', 'Kim'])
    assert.match(await steve.ended, /connection to the host broke/)
    stop.abort(new Error('the test is over'))
    await kim.ended
  })

test('players of one name, and guests that come at the same moment, are told apart as well', async () => {
  const { host, room } = await openHost({})
  const guests = [setting.open({ number: COPIED }), setting.open({ number: COPIED })]
  await Promise.all(
    guests.map((guest) => guest.ask('/room/guest/start', { roomCode: room, playerName: 'Steve' })),
  )
  await setting.clock.advance(MORE_THAN_EXPIRY_MS)
  assert.equal([namesIn(host), idsIn(host).size], [['Alex', 'Steve', 'Steve (2)'], 3])
  assert.equal(await hintsOf(guests), ['copied-folder', 'copied-folder'])
})

test('a guest that leaves and comes back keeps its id, and the copy the one that it has taken', async () => {
  const hosted = await openHost({})
  const { host, room } = hosted
  const steve = await enter(hosted, 'Steve', COPIED)
  const kim = await enter(hosted, 'Kim', COPIED)
  const before = [idOf(host, 'Steve'), idOf(host, 'Kim')]
  for (const [guest, name] of [
    [kim, 'Kim'],
    [steve, 'Steve'],
  ] as const) {
    await guest.ask('/room/stop', {})
    await guest.ask('/room/guest/start', { roomCode: room, playerName: name })
    await setting.clock.advance(1000)
  }
  assert.equal([idOf(host, 'Steve'), idOf(host, 'Kim')], before)
})

test.run()
