import { loadavg } from 'node:os'
import { startRelayProcess } from '#support/network/relayProcess'
import { startServer } from '#support/process/serverProcess'
import { startRoomProcess } from '#support/room/roomProcess'
import { median } from './measure'

const ROUNDS = 7
/** How long a guest waits from the request to join until the world is there. */
export async function benchRoomJoin(): Promise<void> {
  console.log('\njoining a room')
  await benchJoin('on the LAN', {})
  const relay = await startRelayProcess()
  await benchJoin('through a relay', { ROOM_NODES: relay.url, ROOM_DIRECT: 'off' })
  await relay.close()
}

async function benchJoin(way: string, settings: Record<string, string>): Promise<void> {
  const [host, guest] = await Promise.all([1, 2].map(() => startRoomProcess({ settings })))
  if (!host || !guest) return
  // No world is needed for it: whoever answers the room protocol answers for the world, too.
  const world = startServer(['-e', WORLD], {})
  const port = Number((await world.said(/(\d+)/))[1])
  const times: number[] = []
  try {
    const code = await host.host('Alex', { gamePort: String(port) })
    await host.until('Host_Running')
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedAt = performance.now()
      await guest.join(code, 'Steve')
      await guest.until('Guest_Running')
      times.push(performance.now() - startedAt)
      await guest.ask('/room/stop', {})
    }
    console.log(
      `  guesting → guest-ok ${way}: median ${median(times).toFixed(0)} ms` +
        ` (${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)})  goal ≤ 1000 ms   load ${loadavg()[0]?.toFixed(1)}`,
    )
  } finally {
    await Promise.all([host.close(), guest.close()])
    world.signal('SIGKILL')
    await world.ended
  }
}

/** Answers the server-list ping. */
const WORLD = `const json = Buffer.from('{"version":{"name":"1.21.4","protocol":769},"players":{"max":8,"online":0},"description":"x"}')
const text = Buffer.concat([Buffer.of(json.length), json])
const packet = Buffer.concat([Buffer.of(text.length + 1, 0), text])
require('node:net').createServer((s) => s.on('error', () => {}).once('data', () => s.write(packet)))
  .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
