import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { version } from '@lantern-room/base'
import { readReleaseChoice, releaseDate } from './executables/config'
import { makeImage } from './executables/image'
import { makeRelease } from './executables/release'

/** `npm run dist`: executables of the programs for each system, or an image for containers (`image`), on Linux. */
async function main(args: readonly string[]): Promise<void> {
  if (process.platform !== 'linux') throw new Error('Executables are made on Linux.')
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const release = { root, version, date: await releaseDate(root), say: (line: string) => console.log(line) }
  if (args[0] === 'image') return makeImage(args.slice(1), release)
  const choice = readReleaseChoice(args)
  await makeRelease(choice, { ...release, folder: resolve(choice.folder ?? join(root, 'dist/executables')) })
  console.log('The files for macOS are signed ad hoc, without a certificate; the others are not signed.')
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
