import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, projectRoot, startServer } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { cpuSecondsOf, median, residentMegabytes } from './measure'

const ROUNDS = 7
/** By then the start is over, and what it needed is given back. */
const IDLE_MS = 10_000
const SETTINGS = { ROOM_LAN_INTERFACES: '127.0.0.1', ROOM_NODES: '', ROOM_STUN: '', LOG_LEVEL: 'error' }

type Started = { readonly title: string; readonly program: string; readonly args: readonly string[] }

const executable = (name: string) => join(projectRoot, 'dist/executables/linux-x64', name)

const PROGRAMS: readonly Started[] = [
  { title: 'executable: room serve', program: executable('room'), args: ['serve'] },
  { title: 'executable: lantern-room, both services', program: executable('lantern-room'), args: [] },
  { title: 'room.mjs serve', program: process.execPath, args: ['dist/local-runner/room.mjs', 'serve'] },
  // What `npm start` runs; npm itself comes first.
  { title: 'npm start, both services', program: process.execPath, args: ['esbuild.mjs', '--run', 'main'] },
]

/**
 * From the start of each built program to the first answer of `/meta`, and what it then takes of memory. How much of a
 * program's file is mapped depends on how the system has it in memory: a file that was just written comes in large pieces,
 * on Linux 6.18 by 18 MB more. So it is read from the disk once before.
 */
export async function benchStart(): Promise<void> {
  console.log(
    `\nfrom start to /meta 200, and memory when idle: goals ≤ 600 ms and ≤ 80 MB, on a quiet machine`,
  )
  for (const started of PROGRAMS) {
    if (existsSync(started.program)) await benchProgram(started)
    else console.log(`  ${started.title}: skipped, \`npm run dist -- linux-x64 --unpacked\` has not been run`)
  }
}

async function benchProgram(started: Started): Promise<void> {
  const folder = await makeTempFolder('lantern-bench')
  const figures: { empty: number; wall: number; cpu: number; memory: number; own: number }[] = []
  try {
    forgetFile(started.program)
    await costOfStart(started, folder, 0)
    for (let round = 0; round < ROUNDS; round += 1) {
      const emptyAt = performance.now()
      spawnSync(process.execPath, ['-e', '0'])
      const empty = performance.now() - emptyAt
      figures.push({ empty, ...(await costOfStart(started, folder, round === ROUNDS - 1 ? IDLE_MS : 0)) })
    }
  } finally {
    await removeFolders(folder)
  }
  const middle = (of: keyof (typeof figures)[number]) => median(figures.map((one) => one[of])).toFixed(0)
  const last = figures.at(-1)
  console.log(
    `  ${started.title}: median ${middle('wall')} ms (CPU ${middle('cpu')} ms; node -e 0: ${middle('empty')} ms)` +
      `   idle ${last?.memory.toFixed(1)} MB, of it ${last?.own.toFixed(1)} MB its own   load ${loadavg()[0]?.toFixed(1)}`,
  )
}

/** Lets the system forget what it holds of a file in memory. */
function forgetFile(path: string): void {
  execFileSync('sync', [path])
  execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
}

async function costOfStart({ program, args }: Started, folder: string, idleMs: number) {
  const port = await freePort()
  const startedAt = performance.now()
  const settings = { ...SETTINGS, DATA_DIR: folder, ROOM_PORT: String(port), MEDIA_PORT: '0' }
  const server = startServer(args, settings, program)
  try {
    while (!(await answers(port))) await sleep(2)
    const wall = performance.now() - startedAt
    const cpu = cpuSecondsOf(server.pid) * 1000
    await sleep(idleMs)
    const own = residentMegabytes(server.pid, 'RssAnon')
    return { wall, cpu, memory: residentMegabytes(server.pid), own }
  } finally {
    server.signal('SIGKILL')
    await server.ended
  }
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/meta`).then(
    async (response) => response.ok && (await response.json()) !== undefined,
    () => false,
  )
}
