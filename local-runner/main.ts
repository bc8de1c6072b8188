import { setMaxListeners } from 'node:events'
import { ConfigError } from '../core/environment'
import { ServiceError } from '../core/errors'
import { killAllProcesses, version } from './compose'
import { startMedia } from './mediaHost'
import { stopOnSignals } from './shutdown'

/** Starts the services of this machine. */
async function main(): Promise<void> {
  const stopping = new AbortController()
  // Every job that waits listens to it, and fifty thumbnails may wait: that is no leak.
  setMaxListeners(0, stopping.signal)
  const media = await startMedia(process.env, stopping.signal)
  stopOnSignals({
    ...{ servers: [media], stopping, killAllProcesses, say: (line: string) => console.error(line) },
    endsWithParent: process.env.npm_lifecycle_event !== undefined,
  })
  console.log(`Lantern Room ${version}`)
  console.log(`motion photo API listening on ${media.url}`)
}

main().catch((error: unknown) => {
  const isKnown = error instanceof ConfigError || error instanceof ServiceError
  console.error(isKnown ? error.message : error)
  process.exit(1)
})
