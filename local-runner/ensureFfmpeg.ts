import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { ServiceError } from '../core/errors'
import { ffmpegNamedByUser, findFfmpeg } from './compose'

/** Before the services or the tests start: is there an ffmpeg, and if not, can one be fetched? */
async function main(): Promise<void> {
  try {
    await findFfmpeg()
  } catch (error) {
    if (ffmpegNamedByUser().length > 0 || !isDebianAsRoot()) throw error
    console.error('No ffmpeg was found. This is a Debian system and you are root: installing it by apt-get …')
    aptGet(['update', '-qq'])
    aptGet(['install', '-y', '-qq', '--no-install-recommends', 'ffmpeg'])
    console.error(`Installed: ${await findFfmpeg()}`)
  }
}

function isDebianAsRoot(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version')
}

function aptGet(args: readonly string[]): void {
  spawnSync('env', ['DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

main().catch((error: unknown) => {
  // Where rooms are served as well, they do not wait for an ffmpeg: the service that needs it says so itself.
  if (process.argv.includes('--or-go-on')) return
  console.error(error instanceof ServiceError ? error.message : error)
  process.exit(1)
})
