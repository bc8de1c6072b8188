import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '../support/serverProcess'
import { type Cost, median } from './measure'

const ROUNDS = 9

/** How long a function that starts cold loads its code: each handler in fresh processes, beside an empty module. */
export async function benchHandlers(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lantern-bench-'))
  try {
    const empty = join(folder, 'empty.mjs')
    await writeFile(empty, 'export {}\n')
    const built = join(projectRoot, 'dist/handlers')
    const names = (await readdir(built)).filter((name) => name.endsWith('.mjs')).sort()
    console.log('\nimport of each handler in a fresh process  goal ≤ 90 ms')
    for (const name of names) {
      const path = join(built, name)
      const times: number[] = []
      const cpuTimes: number[] = []
      const ratios: number[] = []
      // In turn, so that a machine that grows slower slows both.
      for (let round = 0; round < ROUNDS; round += 1) {
        const base = costOfImport(empty, folder)
        const { wallMs, cpuMs } = costOfImport(path, folder)
        times.push(wallMs)
        cpuTimes.push(cpuMs)
        ratios.push(wallMs / base.wallMs)
      }
      const { size } = await stat(path)
      console.log(
        `  ${name.padEnd(16)}${(size / 1000).toFixed(0).padStart(4)} KB  median ${median(times).toFixed(0)} ms` +
          ` (${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)}),` +
          ` CPU ${median(cpuTimes).toFixed(0)} ms  ${median(ratios).toFixed(0)}× an empty module`,
      )
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function costOfImport(path: string, dataDir: string): Cost {
  const program = `const startedAt = performance.now()
    const before = process.cpuUsage()
    await import(${JSON.stringify(pathToFileURL(path).href)})
    const { user, system } = process.cpuUsage(before)
    const cost = { wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 }
    process.stdout.write(JSON.stringify(cost))
    process.exit()`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
  })
  if (stdout === '') throw new Error(`${path} cannot be loaded: ${stderr}`)
  return JSON.parse(stdout)
}
