import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRelayProcess } from '#support/network/relayProcess'
import { freePort, startServer } from '#support/process/serverProcess'
import { startRoomProcess } from '#support/room/roomProcess'
import { cpuSecondsOf, median, residentMegabytes } from './measure'

const ROUNDS = 7
const SETTINGS = { ROOM_LAN_INTERFACES: '127.0.0.1', ROOM_NODES: '', ROOM_STUN: '' }

/** From the start of the built program to its first answer; what it then takes of memory; and how long a guest waits. */
export async function benchRoomStart(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lantern-bench-'))
  const figures: { empty: number; wall: number; cpu: number; memory: number }[] = []
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const emptyAt = performance.now()
      spawnSync(process.execPath, ['-e', '0'])
      const empty = performance.now() - emptyAt
      figures.push({ empty, ...(await costOfStart(folder, round === ROUNDS - 1)) })
    }
    const middle = (of: keyof (typeof figures)[number]) => median(figures.map((one) => one[of])).toFixed(0)
    console.log(`\nroom serve, from start to /meta 200  load ${loadavg()[0]?.toFixed(1)}`)
    console.log(
      `  median ${middle('wall')} ms (CPU ${middle('cpu')} ms)  goal ≤ 500 ms   node -e 0: ${middle('empty')} ms`,
    )
    console.log(`  memory when idle ${figures.at(-1)?.memory.toFixed(0)} MB  goal ≤ 90 MB`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  await benchJoin('on the LAN', {})
  const relay = await startRelayProcess()
  await benchJoin('through a relay', { ROOM_NODES: relay.url, ROOM_DIRECT: 'off' })
  await relay.close()
}

async function costOfStart(folder: string, isLast: boolean) {
  const port = await freePort()
  const startedAt = performance.now()
  const room = startServer(['dist/local-runner/room.mjs', 'serve'], {
    ...SETTINGS,
    DATA_DIR: folder,
    ROOM_PORT: String(port),
    LOG_LEVEL: 'error',
  })
  try {
    while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 2))
    const wall = performance.now() - startedAt
    const cpu = cpuSecondsOf(room.pid) * 1000
    if (isLast) await new Promise((resolve) => setTimeout(resolve, 5000))
    return { wall, cpu, memory: residentMegabytes(room.pid) }
  } finally {
    room.signal('SIGKILL')
    await room.ended
  }
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/meta`).then(
    async (response) => response.ok && (await response.json()) !== undefined,
    () => false,
  )
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
