import { setMaxListeners } from 'node:events'
import { ConfigError } from '../core/environment'
import { ServiceError } from '../core/errors'
import { killAllProcesses, version } from './compose'
import type { Listening } from './listen'
import { startMedia } from './mediaHost'
import { startRoom } from './room/roomHost'
import { stopOnSignals } from './shutdown'

type Service = {
  readonly name: string
  readonly start: (stopping: AbortSignal, shutDown: () => void) => Promise<Listening>
}

const SERVICES: Readonly<Record<'media' | 'room', Service>> = {
  media: { name: 'motion photo API', start: (stopping) => startMedia(process.env, stopping) },
  room: {
    name: 'room service',
    start: (stopping, shutDown) => startRoom(process.env, { stopping, shutDown }),
  },
}

/** Starts the services of this machine: both, or the one that is named. One that cannot start does not take the other down. */
async function main([only]: readonly string[]): Promise<void> {
  const stopping = new AbortController()
  // Every job that waits listens to it, and fifty thumbnails may wait: that is no leak.
  setMaxListeners(0, stopping.signal)
  const wanted = only === 'media' || only === 'room' ? [SERVICES[only]] : [SERVICES.media, SERVICES.room]
  const shutDown = () => void process.kill(process.pid, 'SIGTERM')
  const outcomes = await Promise.allSettled(wanted.map(({ start }) => start(stopping.signal, shutDown)))
  const refused = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  )
  const servers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected')
      console.error(sentenceOf(outcome.reason, only === undefined ? wanted[index]?.name : undefined))
  }
  // A wrong setting is for a person to mend; a port or a program that is missing may be somebody else's doing.
  if (servers.length === 0 || refused.some((error) => error instanceof ConfigError)) process.exit(1)
  stopOnSignals({
    servers,
    stopping,
    killAllProcesses,
    say: (line: string) => console.error(line),
    endsWithParent: process.env.npm_lifecycle_event !== undefined,
  })
  console.log(`Lantern Room ${version}`)
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled')
      console.log(`${wanted[index]?.name} listening on ${outcome.value.url}`)
  }
}

/** @param name of the service, where another one goes on without it */
function sentenceOf(error: unknown, name: string | undefined): unknown {
  if (error instanceof ConfigError) return error.message
  if (!(error instanceof ServiceError)) return error
  return name === undefined ? error.message : `The ${name} does not start: ${error.message}`
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
