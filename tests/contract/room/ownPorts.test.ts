import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { closingOfEachTest } from '#support/process/closing'
import { type InnerTarget, openServedTarget } from '#support/room/roomTargets'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { got, postJson, refused, stateOf, statusOf, untilState } from './asking'

// Two services on one machine. Guests of a room must reach neither of them: whoever gives orders to a service drives it.
const test = suite('a room leads to no service of this kind', { timeoutMs: 60_000 })

const TOKEN = 'a-token-of-the-tests.0123456789'
const { keep, add } = closingOfEachTest(test)
let one: InnerTarget
let other: InnerTarget
let world: TestWorld

test.before.each(async () => {
  const { roomNetwork } = createMemoryNetwork()
  const open = async (settings: Record<string, string>) => {
    const target = await openServedTarget(roomNetwork, settings)
    add(target.stop)
    return target
  }
  one = await open({ SCAFFOLDING_PORT: '24848' })
  other = await open({ SCAFFOLDING_PORT: '24948', ROOM_API_TOKEN: TOKEN })
  world = keep(await startWorld())
})

const portOf = ({ url }: InnerTarget) => Number(new URL(url).port)
const MAP = (tcp: number) => ({ name: 'map', tcp })
const VOICE = { name: 'voice', udp: 24_454 }

/** Every order that opens a room. */
const openings: readonly (readonly [string, (port: number) => Promise<Response>])[] = [
  ['gamePort', (port) => one.send(`/state/scanning?player=Alex&gamePort=${port}`)],
  ['gamePort', (gamePort) => postJson(one, '/room/host/start', { gamePort })],
  ['ports.1.tcp', (port) => postJson(one, '/room/host/start', { ports: [VOICE, MAP(port)] })],
]
/** Every order that changes one. */
const changes: readonly (readonly [string, (port: number) => Promise<Response>])[] = [
  ['gamePort', (gamePort) => postJson(one, '/room/host/game', { gamePort })],
  ['ports.0.tcp', (port) => postJson(one, '/room/host/ports', { ports: [MAP(port), VOICE] })],
]

for (const [at, [field]] of openings.entries())
  test(`${field} of the order ${at + 1} that opens a room is no port of a service`, async () => {
    const [, order] = openings[at] ?? []
    for (const [port, what] of [
      [portOf(one), 'where this program takes orders'],
      [portOf(other), 'used by another Lantern Room on this machine'],
      [24_848, 'used by the room protocol'],
    ] as const) {
      const said = await refusedInTime(
        () => order?.(port) ?? Promise.reject(),
        () => postJson(one, '/room/stop'),
      )
      assert.is(
        said,
        `${field}: TCP port ${port} is ${what}, which no guest may reach. Give the port of your world, which the game shows, or of a program that you want to share.`,
      )
      assert.is((await stateOf(one)).state, 'waiting')
    }
  })

test('a hosted room is led to none either, and goes on as it was', async () => {
  await got(postJson(one, '/room/host/start', { gamePort: world.port, scaffoldingPort: 24_860 }))
  await untilState(one, 'host-ok')
  const roomPort = Number((await got(one.send('/meta'))).overlayPort)
  const before = await statusOf(one)
  const asBefore = async () => {
    await got(postJson(one, '/room/host/ports', { ports: [] }))
    return postJson(one, '/room/host/game', { gamePort: world.port })
  }
  for (const [field, order] of changes)
    for (const port of [portOf(one), portOf(other), roomPort])
      assert.match(await refusedInTime(() => order(port), asBefore), `${field}: TCP port ${port} is `)
  const { gamePort, ports } = (await statusOf(one)) as unknown as { gamePort: number; ports: unknown }
  assert.equal([gamePort, ports, before.state], [world.port, [], 'Host_Running'])
  // While nothing listens there any more, the number is free for a world.
  await postJson(one, '/room/stop')
  await got(postJson(one, '/room/host/start', { gamePort: roomPort }))
})

test('the room protocol gives way to ports that are to be shared, though nothing listens there yet', async () => {
  for (const order of [{ gamePort: 24_871 }, { ports: [MAP(24_871)] }]) {
    const first = { scaffoldingPort: 24_870, waitForGame: false }
    // The first one is taken by another program, so that the next would be used.
    const taken = await startWorld({ port: 24_870 })
    try {
      await got(postJson(one, '/room/host/start', { ...first, ...order }))
      await untilState(one, 'host-ok')
      const { overlayPort } = await got(one.send('/meta'))
      assert.not.ok(['24870', '24871'].includes(String(overlayPort)), String(overlayPort))
      await postJson(one, '/room/stop')
    } finally {
      await taken.close()
    }
  }
})

/**
 * An order does not wait for a service that answers late: the room leads nobody to a port of which that is not known yet. On a
 * busy machine it is therefore given again.
 * @param undo the order, where it was taken
 * @returns what the refusal says
 */
async function refusedInTime(order: () => Promise<Response>, undo: () => Promise<Response>): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const answer = await order()
    if (!answer.ok || tries === 5) return refused(Promise.resolve(answer), 400)
    await answer.body?.cancel()
    await got(undo())
  }
}

test.run()
