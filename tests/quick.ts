/** The folders of test files. The long ones come first, so that the many short ones fill what is left of every core. */
export const testGroups = ['simulator', 'flows', 'contract', 'scenarios', 'unit', 'architecture'] as const

/**
 * What `npm test` runs, and what it leaves to `npm run test:all`, as folders and files below `tests` without their
 * endings. Of two entries that match a file the longer one counts; what no entry names is left to `test:all`.
 *
 * In it: everything that needs no more than memory and a loopback socket, and one real flow for each main job. Left out:
 * other hosts of the same contract, S3, browsers, the real game, real routers, long simulations, damaged files by the
 * thousand, and whatever runs alone. The whole takes at most three minutes on two cores.
 */
export const quickTests = [
  // The core, file by file, and the rules it is built by.
  'architecture',
  'scenarios',
  'unit',

  // The contracts, on the hosts that live in the test's own process.
  'contract/http/app',
  'contract/http/appMachine',
  'contract/room',

  // The adapters of each port that need no other program than ffmpeg.
  'contract/ports/diskObjectStore',
  'contract/ports/lan',
  'contract/ports/localNet',
  'contract/ports/receiveForm',
  'contract/ports/roomNetwork/memory',
  'contract/ports/transports',
  'contract/ports/workFolders',

  // One real flow for each main job.
  'flows/bothServices', // `npm start`: both services in one process
  'flows/mainJobs', // a video becomes a motion photo, on the local host and by the command line
  'flows/killedPrepare', // a host is killed at work, and another one goes on
  'flows/motionPhotoJudges', // other programs read what we write
  'flows/room/processes.lan', // two processes host and join a world on loopback
] as const

export const slowTests = [
  'contract/ports/lan/disturbed.alone',
  'contract/room/process',
  'unit/easytier/hostile/lies',
  'unit/easytier/hostile/packets',
  'unit/easytier/hostile/relay',
  'unit/easytier/hostile/streams',
  'unit/support/ciSteps', // waits for what steps leave behind
  'unit/support/testRunner', // starts the runner forty times
] as const

/** Files that wait for real time more than they compute, as folders and files: they run beside the others. */
export const waitingTests = [
  'contract/ports/gameProbe',
  'contract/ports/roomNetwork',
  'contract/ports/s3Faults',
  'contract/room',
  'flows/containerSamples',
  'flows/killedPrepare',
  'flows/plants',
  'flows/room',
] as const

/** `lan`: one at a time, since worlds announced on loopback are seen by all programs; `alone`: after all others. */
export type Lane = 'computing' | 'waiting' | 'lan' | 'alone'

export function laneOf(name: string): Lane {
  if (name.endsWith('.alone')) return 'alone'
  if (name.endsWith('.lan')) return 'lan'
  return longestIn(waitingTests, name) > 0 ? 'waiting' : 'computing'
}

/** Whether `npm test` runs this file: `unit/media/sessions/session`. */
export function isQuick(name: string): boolean {
  return longestIn(quickTests, name) > longestIn(slowTests, name)
}

/** The length of the longest entry that names this file or a folder of it; 0 without one. */
function longestIn(entries: readonly string[], name: string): number {
  const matching = entries.filter((entry) => name === entry || name.startsWith(`${entry}/`))
  return Math.max(...matching.map(({ length }) => length), 0)
}
