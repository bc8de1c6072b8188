import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { createLocalNet } from '#core/adapters/localNet/localNet'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { THIS_MACHINE } from '#core/room/roomNetwork'
import { createScaffoldingClient, handshake } from '#core/room/scaffolding/client'
import { createPlayerRegistry } from '#core/room/scaffolding/registry'
import { createScaffoldingServer } from '#core/room/scaffolding/server'
import { silentLog } from '../room/openRoom'
import { startWorld, type TestWorld } from '../room/testWorld'
import { tapStream } from '../terracotta/dialogue'
import { echoBytes, echoDatagrams, firstEcho } from './echoes'
import type { MachineTask } from './remoteMachine'

// What people and launchers do on a machine, in a process that can be put into a network of its own:
// an order in each line of standard input, as JSON, and its answer in a line of standard output.

const clock = createSystemClock()
const worlds = new Map<number, { readonly world: TestWorld; readonly voice: Socket }>()
const log = silentLog()
const { signal } = new AbortController()
const localNet = createLocalNet({ clock, lanInterfaces: undefined })
const player = (name: string) => ({ name, machineId: name.padStart(32, '0'), vendor: 'Another launcher 1.0' })

for await (const line of createInterface({ input: process.stdin })) {
  const { id, order } = JSON.parse(line) as { id: number; order: MachineTask }
  void carryOut(order).then(
    (result) => console.log(JSON.stringify({ id, result })),
    (error: unknown) => console.log(JSON.stringify({ id, problem: String(error) })),
  )
}
process.exit(0)

type TaskOf<Name extends MachineTask['do']> = Extract<MachineTask, { do: Name }>

async function carryOut(order: MachineTask): Promise<unknown> {
  const startedAt = performance.now()
  if (order.do === 'world') return openWorld(order.announcedOn)
  if (order.do === 'closeWorld') return closeWorld(order.port)
  if (order.do === 'connections') return worlds.get(order.port)?.world.connections()
  if (order.do === 'play') return play(order.port)
  if (order.do === 'roomProtocol') return openRoomProtocol(order)
  if (order.do === 'greet') return greetHost(order)
  if (order.do === 'firstEcho') await firstEcho(order.port, order.limitMs)
  else if (order.do === 'echo') await echoBytes(order.port, order.size, order.isText)
  else await echoDatagrams(order.port, order.sizes, order.limitMs)
  return performance.now() - startedAt
}

/** A world with voice chat: what is said to its port by UDP comes back, too. */
async function openWorld(announcedOn?: string): Promise<number> {
  const world = await startWorld(announcedOn === undefined ? {} : { announced: announcedOn })
  const voice = createSocket('udp4')
  voice.on('message', (bytes, from) => voice.send(bytes, from.port, from.address))
  await new Promise<void>((resolve) => voice.bind(world.port, '127.0.0.1', resolve))
  worlds.set(world.port, { world, voice })
  return world.port
}

async function closeWorld(port: number): Promise<void> {
  const { world, voice } = worlds.get(port) ?? {}
  worlds.delete(port)
  voice?.close()
  await world?.close()
}

async function play(port: number): Promise<void> {
  const game = connect(port, '127.0.0.1')
  game.on('error', () => game.destroy())
  game.write('echo hello')
  await once(game, 'data')
  game.resume()
}

/** What a launcher serves beside the real program. */
async function openRoomProtocol({ port, gamePort, record }: TaskOf<'roomProtocol'>): Promise<void> {
  const registry = createPlayerRegistry({ host: player('a1e4'), clock, signal })
  const server = createScaffoldingServer({
    registry,
    gamePort: () => gamePort,
    onGamePort: () => () => {},
    clock,
    log,
    signal,
  })
  await localNet.listen(
    [port],
    (stream) => void server.serve(record ? tapStream(stream, record) : stream, THIS_MACHINE),
    signal,
  )
}

/** Through a real guest's forward, as its launcher does it. @returns the port of the game */
async function greetHost({ port, record }: TaskOf<'greet'>): Promise<unknown> {
  const stream = await localNet.connect(port)
  const tapped = record ? tapStream(stream, record) : stream
  const client = createScaffoldingClient(tapped, { clock, signal })
  const { world } = await handshake(client, player('57e7e'))
  await client.profiles()
  await client.close()
  return world
}
