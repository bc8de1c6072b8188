import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { version } from '../core/build'
import { readReleaseChoice, releaseDate } from './executables/config'
import { makeRelease } from './executables/release'

/** `npm run dist`: executables of the programs for each system, on Linux. */
async function main(args: readonly string[]): Promise<void> {
  if (process.platform !== 'linux') throw new Error('Executables are made on Linux.')
  const choice = readReleaseChoice(args)
  const root = fileURLToPath(new URL('../..', import.meta.url))
  await makeRelease(choice, {
    root,
    version,
    date: await releaseDate(root),
    folder: resolve(choice.folder ?? join(root, 'dist/executables')),
    say: (line) => console.log(line),
  })
  console.log('The files for macOS are signed ad hoc, without a certificate; the others are not signed.')
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
