import { ServiceError } from '#core/errors'
import { cleanText } from '../cleanText'
import type { DoctorDependencies, Finding, FindingId, Way } from './diagnosis'
import { multicast, nat, portMapping, sharedNodes } from './networkChecks'

/** Games announce themselves every 1.5 s. */
const WORLDS_MS = 2000
const OLDEST_NODE = [20, 19] as const
/** Code points of a text from outside. */
const MAX_TEXT = 200

/** @param ways gets the ways to meet that the check has found */
type Check = (
  dependencies: DoctorDependencies,
  ways: Set<Way>,
) => Promise<readonly Finding[]> | readonly Finding[]

/** Every check by its name; the shared nodes are checked one by one. */
export const CHECKS: Readonly<Record<string, Check>> = {
  node: nodeVersion,
  'data-folder': dataFolder,
  'room-port': roomPort,
  'scaffolding-port': scaffoldingPort,
  multicast,
  worlds,
  'shared-node': sharedNodes,
  nat,
  'port-mapping': portMapping,
  secrecy,
}

function nodeVersion({ nodeVersion: version }: DoctorDependencies): readonly Finding[] {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  const text = `Node.js ${version}`
  if (isNew) return [{ id: 'node-current', check: 'node', state: 'ok', text, subject: version }]
  const hint = `Install Node.js ${OLDEST_NODE.join('.')} or later.`
  return [{ id: 'node-old', check: 'node', state: 'failed', text, hint, subject: version }]
}

async function dataFolder(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const check = 'data-folder'
  try {
    const folder = cleanText(await dependencies.dataFolder(), MAX_TEXT)
    const text = `data folder ${folder}`
    return [{ id: 'data-folder-usable', check, state: 'ok', text, subject: folder }]
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const text = cleanText(error.detail, 2 * MAX_TEXT)
    return [{ id: 'data-folder-unusable', check, state: 'failed', text, hint: FOLDER_HINT }]
  }
}

const FOLDER_HINT = 'Give this user the right to write there, or choose another data folder.'

async function roomPort({ ports: { room }, isPortFree }: DoctorDependencies): Promise<readonly Finding[]> {
  const check = 'room-port'
  if (room === undefined) return []
  if (room === 0) return [{ id: 'room-port-free', check, state: 'ok', text: 'any free port' }]
  const subject = String(room)
  if (await isPortFree(room)) {
    return [{ id: 'room-port-free', check, state: 'ok', text: `port ${room} is free`, subject }]
  }
  const text = `port ${room} is in use: it may be a room service that runs already; another one takes the next free port`
  return [{ id: 'room-port-used', check, state: 'note', text, subject }]
}

async function scaffoldingPort(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const { scaffolding } = dependencies.ports
  const check = 'scaffolding-port'
  if (scaffolding === undefined) return []
  const subject = String(scaffolding)
  if (await dependencies.isPortFree(scaffolding)) {
    return [{ id: 'scaffolding-port-free', check, state: 'ok', text: `port ${scaffolding} is free`, subject }]
  }
  const text = `port ${scaffolding} is in use: the host takes the next free port`
  return [{ id: 'scaffolding-port-used', check, state: 'note', text, subject }]
}

async function worlds(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const check = 'worlds'
  const motdByAddress = new Map<string, string>()
  for (const { address, port, motd } of await dependencies.worlds(WORLDS_MS)) {
    motdByAddress.set(`${address}:${port}`, cleanText(motd, MAX_TEXT))
  }
  if (motdByAddress.size === 0) {
    const text = 'no world is announced on the LAN now: to host, open one to LAN'
    return [{ id: 'no-world', check, state: 'note', text }]
  }
  return [...motdByAddress].map(([at, motd]) => ({
    id: 'world-announced' as const,
    check,
    state: 'ok' as const,
    text: `world "${motd}" on ${at}`,
    subject: `${motd} (${at})`,
  }))
}

function secrecy({ isPrivate }: DoctorDependencies): readonly Finding[] {
  return isPrivate ? [] : [OPEN_ROOMS]
}

const OPEN_ROOMS: Finding = {
  id: 'open-room' satisfies FindingId,
  check: 'secrecy',
  state: 'note',
  text: 'an ordinary room is not secret: whoever runs a shared node, or listens there, can find its key in an hour',
  hint: 'Make the room private when all players use this software.',
}
