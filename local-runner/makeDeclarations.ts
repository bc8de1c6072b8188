import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeStandalone } from './library/declarations'

/** The sources of the doors of the npm package. */
const DOORS = [
  'core/formats/index.ts',
  'core/player/index.ts',
  'core/player/define.ts',
  'local-runner/library/easytier.ts',
]

/** `npm pack`: the declarations of the library's doors, in `dist/types`. */
async function main(): Promise<void> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const folder = join(root, 'dist/types')
  await rm(folder, { recursive: true, force: true })
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const child = spawn(process.execPath, [compiler, '-p', join(root, 'local-runner/library')], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('The declarations could not be made.')
  await makeStandalone(
    folder,
    DOORS.map((path) => path.replace(/\.ts$/, '.d.ts')),
    root,
  )
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
