import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { createLocalNet } from '@lantern-room/adapters/localNet'
import { createSystemClock } from '@lantern-room/adapters/system'
import { greetAsOther, openOtherHost } from '../../unit/protocol/scaffolding/otherLauncher'
import { startWorld, type TestWorld } from '../room/testWorld'
import { tapStream } from '../terracotta/dialogue'
import { echoBytes, echoDatagrams, firstEcho } from './echoes'

// What people and launchers do on a machine, in a process that can be put into a network of its own:
// an order in each line of standard input, as JSON, and its answer in a line of standard output.

const clock = createSystemClock()
const worlds = new Map<number, { readonly world: TestWorld; readonly voice: Socket }>()
const { signal } = new AbortController()
const localNet = createLocalNet({ clock, lanInterfaces: undefined })

/** What can be done here; ports are those of loopback. */
const tasks = {
  world: openWorld,
  closeWorld,
  /** How many connections a world has now. */
  connections: ({ port }: AtPort) => worlds.get(port)?.world.connections(),
  play,
  roomProtocol: openRoomProtocol,
  greet: greetHost,
  // The results of these are milliseconds.
  firstEcho: ({ port, limitMs }: AtPort & { readonly limitMs: number }) =>
    timed(() => firstEcho(port, limitMs)),
  echo: ({ port, size, isText }: AtPort & { readonly size: number; readonly isText: boolean }) =>
    timed(() => echoBytes(port, size, isText)),
  datagrams: ({
    port,
    sizes,
    limitMs,
  }: AtPort & { readonly sizes: readonly number[]; readonly limitMs: number }) =>
    timed(() => echoDatagrams(port, sizes, limitMs)),
}

type AtPort = { readonly port: number }
/** Of the room protocol: a file for `readDialogue`. */
type Recorded = AtPort & { readonly record?: string }
type Tasks = typeof tasks

export type MachineTask = {
  [Name in keyof Tasks]: { readonly do: Name } & Parameters<Tasks[Name]>[0]
}[keyof Tasks]

for await (const line of createInterface({ input: process.stdin })) {
  const { id, order } = JSON.parse(line) as { id: number; order: MachineTask }
  void (async () => tasks[order.do](order as never))().then(
    (result) => console.log(JSON.stringify({ id, result })),
    (error: unknown) => console.log(JSON.stringify({ id, problem: String(error) })),
  )
}
process.exit(0)

async function timed(step: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await step()
  return performance.now() - startedAt
}

/**
 * A world with voice chat, which sends back what it is told by TCP and UDP.
 * @param options.announcedOn the address of this machine on whose LAN it is announced, if it is
 * @returns its port
 */
async function openWorld({ announcedOn }: { readonly announcedOn?: string }): Promise<number> {
  const world = await startWorld(announcedOn === undefined ? {} : { announced: announcedOn })
  const voice = createSocket('udp4')
  voice.on('message', (bytes, from) => voice.send(bytes, from.port, from.address))
  await new Promise<void>((resolve) => voice.bind(world.port, '127.0.0.1', resolve))
  worlds.set(world.port, { world, voice })
  return world.port
}

async function closeWorld({ port }: AtPort): Promise<void> {
  const { world, voice } = worlds.get(port) ?? {}
  worlds.delete(port)
  voice?.close()
  await world?.close()
}

/** A player's connection, open until the other end closes it. Resolves once it has carried something. */
async function play({ port }: AtPort): Promise<void> {
  const game = connect(port, '127.0.0.1')
  game.on('error', () => game.destroy())
  game.write('echo hello')
  await once(game, 'data')
  game.resume()
}

/** What a launcher serves beside the real program. */
async function openRoomProtocol({ port, gamePort, record }: Recorded & { readonly gamePort: number }) {
  const serve = openOtherHost({ gamePort, clock, signal })
  await localNet.listen([port], (stream) => serve(record ? tapStream(stream, record) : stream), signal)
}

/** Through a real guest's forward, as its launcher does it. @returns the port of the game */
async function greetHost({ port, record }: Recorded): Promise<unknown> {
  const stream = await localNet.connect(port)
  const tapped = record ? tapStream(stream, record) : stream
  const world = await greetAsOther(tapped, { clock, signal })
  await tapped.end()
  return world
}
