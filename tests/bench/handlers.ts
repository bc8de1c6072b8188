import { spawnSync } from 'node:child_process'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { projectRoot } from '#support/process/serverProcess'
import { inTempFolder } from '#support/process/tempFolder'
import { type Cost, median } from './measure'

const ROUNDS = 9

/**
 * How long a function that starts cold loads its code: each handler in fresh processes. Beside it what this machine
 * needs at the same moment for an empty module, for `node -e 0` from start to end, and for the AWS SDK alone.
 */
export async function benchHandlers(): Promise<void> {
  await inTempFolder('lantern-bench', async (folder) => {
    const empty = join(folder, 'empty.mjs')
    await writeFile(empty, 'export {}\n')
    const sdk = await bundledSdk(folder)
    const built = join(projectRoot, 'dist/handlers')
    const names = (await readdir(built)).filter((name) => name.endsWith('.mjs')).sort()
    console.log('\nimport of each handler in a fresh process  goal ≤ 90 ms where nothing else runs')
    for (const name of names) {
      const path = join(built, name)
      const times: number[] = []
      const cpuTimes: number[] = []
      const beside = { 'an empty module': [], 'node -e 0': [], 'the SDK alone': [] } as Record<
        string,
        number[]
      >
      // In turn, so that a machine that grows slower slows all.
      for (let round = 0; round < ROUNDS; round += 1) {
        beside['an empty module']?.push(costOfImport(empty, folder).wallMs)
        beside['node -e 0']?.push(wholeRunOfNode())
        beside['the SDK alone']?.push(costOfImport(sdk, folder).wallMs)
        const { wallMs, cpuMs } = costOfImport(path, folder)
        times.push(wallMs)
        cpuTimes.push(cpuMs)
      }
      const { size } = await stat(path)
      const ratios = Object.entries(beside).map(([what, others]) => {
        const ratio = median(times.map((time, round) => time / (others[round] ?? time)))
        return `${ratio.toFixed(ratio > 10 ? 0 : 2)}× ${what}`
      })
      console.log(
        `  ${name.padEnd(16)}${(size / 1000).toFixed(0).padStart(4)} KB  median ${median(times).toFixed(0)} ms` +
          ` (${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)}),` +
          ` CPU ${median(cpuTimes).toFixed(0)} ms;  ${ratios.join(', ')}`,
      )
    }
  })
}

/** A client of S3 as every project would bundle it, and nothing else. */
async function bundledSdk(folder: string): Promise<string> {
  const outfile = join(folder, 'sdk.mjs')
  await build({
    stdin: {
      contents: `import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
        export const used = [new S3Client({ region: 'us-east-1' }), GetObjectCommand, PutObjectCommand]`,
      resolveDir: projectRoot,
    },
    outfile,
    bundle: true,
    minify: true,
    logLevel: 'error',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
  })
  return outfile
}

function wholeRunOfNode(): number {
  const startedAt = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - startedAt
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
