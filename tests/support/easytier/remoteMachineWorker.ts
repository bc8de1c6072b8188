import { createSocket } from 'node:dgram'
import { createInterface } from 'node:readline'
import { createLocalNet } from '#core/adapters/localNet/localNet'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { THIS_MACHINE } from '#core/room/ports'
import { createScaffoldingClient, handshake } from '#core/room/scaffolding/client'
import { createPlayerRegistry } from '#core/room/scaffolding/registry'
import { createScaffoldingServer } from '#core/room/scaffolding/server'
import { silentLog } from '../room/openRoom'
import { startWorld } from '../room/testWorld'
import { echoBytes, echoDatagrams, firstEcho } from './echoes'
import type { MachineTask } from './remoteMachine'

// What people and launchers do on a machine, in a process that can be put into a network of its own:
// an order in each line of standard input, as JSON, and its answer in a line of standard output.

const clock = createSystemClock()
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

async function carryOut(order: MachineTask): Promise<unknown> {
  const startedAt = performance.now()
  if (order.do === 'world') return openWorld()
  if (order.do === 'roomProtocol') return openRoomProtocol(order.port, order.gamePort)
  if (order.do === 'greet') return greetHost(order.port)
  if (order.do === 'firstEcho') await firstEcho(order.port, order.limitMs)
  else if (order.do === 'echo') await echoBytes(order.port, order.size, order.isText)
  else await echoDatagrams(order.port, order.sizes, order.limitMs)
  return performance.now() - startedAt
}

/** A world with voice chat: what is said to its port by UDP comes back, too. */
async function openWorld(): Promise<number> {
  const { port } = await startWorld()
  const voice = createSocket('udp4')
  voice.on('message', (bytes, from) => voice.send(bytes, from.port, from.address))
  await new Promise<void>((resolve) => voice.bind(port, '127.0.0.1', resolve))
  return port
}

/** What a launcher serves beside the real program. */
async function openRoomProtocol(port: number, gamePort: number): Promise<void> {
  const registry = createPlayerRegistry({ host: player('a1e4'), clock, signal })
  const server = createScaffoldingServer({
    registry,
    gamePort: () => gamePort,
    onGamePort: () => () => {},
    clock,
    log,
    signal,
  })
  await localNet.listen([port], (stream) => void server.serve(stream, THIS_MACHINE), signal)
}

/** Through a real guest's forward, as its launcher does it. @returns the port of the game */
async function greetHost(port: number): Promise<unknown> {
  const client = createScaffoldingClient(await localNet.connect(port), { clock, signal })
  const { world } = await handshake(client, player('57e7e'))
  await client.close()
  return world
}
