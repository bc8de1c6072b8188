import { cleanText, ServiceError } from '@lantern-room/base'
import { type DoctorDependencies, type Finding, finding, MAX_TEXT, type Way } from './diagnosis'
import { multicast, nat, portMapping, sharedNodes } from './networkChecks'

/** Games announce themselves every 1.5 s. */
const WORLDS_MS = 2000
const OLDEST_NODE = [20, 19] as const

/** @param ways gets the ways to meet that the check has found */
type Check = (
  dependencies: DoctorDependencies,
  ways: Set<Way>,
) => Promise<readonly Finding[]> | readonly Finding[]

/** Every check by its name; the shared nodes are checked one by one. */
export const CHECKS: Readonly<Record<string, Check>> = {
  node: nodeVersion,
  'data-folder': dataFolder,
  'room-port': ({ ports, isPortFree }) => portFinding('room-port', ports.room, isPortFree),
  'scaffolding-port': ({ ports, isPortFree }) =>
    portFinding('scaffolding-port', ports.scaffolding, isPortFree),
  multicast,
  worlds,
  'shared-node': sharedNodes,
  nat,
  'port-mapping': portMapping,
  secrecy: ({ isPrivate }) => (isPrivate ? [] : [finding('open-room')]),
}

function nodeVersion({ nodeVersion: version }: DoctorDependencies): readonly Finding[] {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  return [finding(isNew ? 'node-current' : 'node-old', version, { oldest: OLDEST_NODE.join('.') })]
}

async function dataFolder(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  try {
    return [finding('data-folder-usable', cleanText(await dependencies.dataFolder(), MAX_TEXT))]
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [finding('data-folder-unusable', undefined, { problem: cleanText(error.detail, 2 * MAX_TEXT) })]
  }
}

/** @param port undefined for one that is not to be checked, 0 for any */
async function portFinding(
  check: 'room-port' | 'scaffolding-port',
  port: number | undefined,
  isPortFree: DoctorDependencies['isPortFree'],
): Promise<readonly Finding[]> {
  if (port === undefined) return []
  if (port === 0) return [{ ...finding(`${check}-free`), text: 'any free port' }]
  return [finding((await isPortFree(port)) ? `${check}-free` : `${check}-used`, String(port))]
}

async function worlds(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const motdByAddress = new Map<string, string>()
  for (const { address, port, motd } of await dependencies.worlds(WORLDS_MS)) {
    motdByAddress.set(`${address}:${port}`, cleanText(motd, MAX_TEXT))
  }
  if (motdByAddress.size === 0) return [finding('no-world')]
  return [...motdByAddress].map(([at, motd]) => finding('world-announced', `${motd} (${at})`, { motd, at }))
}
