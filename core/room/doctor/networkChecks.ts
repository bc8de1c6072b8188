import { cleanText } from '@lantern-room/base'
import { type DoctorDependencies, type Finding, finding, MAX_TEXT, type Way } from './diagnosis'

/** Time limit of each check; they run in parallel. */
export const LIMIT_MS = 3000
export async function multicast(
  { multicast: test, isLoopbackOnly, platform }: DoctorDependencies,
  ways: Set<Way>,
): Promise<readonly Finding[]> {
  const results = await test(LIMIT_MS)
  if (results.length === 0) return [finding('no-lan-interface')]
  return results.map(({ interface: name, problem, isLoopback }): Finding => {
    const isExtra = isLoopback && !isLoopbackOnly
    const where = isLoopback ? ' (this machine alone)' : ''
    if (problem === undefined) {
      if (!isExtra) ways.add('lan')
      return finding('multicast-works', name, { where })
    }
    const values = { where, reason: reasonOf(problem), remedy: multicastHint(platform, problem) }
    return { ...finding('multicast-fails', name, values), state: isExtra ? 'note' : 'failed' }
  })
}

/** The system's own text has no place in an answer; its code helps in a search. */
function reasonOf(problem: string): string {
  const code = /\bE[A-Z]{3,}\b/.exec(problem)?.[0]
  return code === undefined ? 'the datagram was not received' : `the system refuses it (${code})`
}

export async function sharedNodes(
  dependencies: DoctorDependencies,
  ways: Set<Way>,
): Promise<readonly Finding[]> {
  const { nodes } = dependencies
  if (nodes.length === 0) return [finding('no-shared-node')]
  const [outage, findings] = await Promise.all([
    dependencies.outage(nodes),
    Promise.all(nodes.map((url) => sharedNode(dependencies, url, ways))),
  ])
  return outage === undefined || ways.has('nodes') ? findings : [finding(outage), ...findings]
}

async function sharedNode({ probeNode }: DoctorDependencies, url: string, ways: Set<Way>): Promise<Finding> {
  const answer = await probeNode(url, LIMIT_MS)
  if ('problem' in answer) {
    const id = answer.isRefused ? 'shared-node-refused' : 'shared-node-unreachable'
    return finding(id, url, { problem: cleanText(answer.problem, MAX_TEXT) })
  }
  if (!answer.isSharedNode) return finding('shared-node-wrong', url)
  ways.add('nodes')
  return finding('shared-node-reachable', url, { latencyMs: answer.latencyMs })
}

export async function nat(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const types = await dependencies.natTypes(LIMIT_MS)
  return [types ? finding(`nat-${types.kind}`, `UDP ${types.udp}, TCP ${types.tcp}`) : finding('nat-unknown')]
}

export async function portMapping(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const method = await dependencies.portMapping(LIMIT_MS)
  if (method === 'off') return []
  return [method ? finding('router-opens-ports', METHODS[method]) : finding('router-opens-no-ports')]
}

const METHODS = { 'nat-pmp': 'NAT-PMP', upnp: 'UPnP' } as const

/** What to do where multicast on the LAN does not work, in the words of each system's settings. */
export function multicastHint(platform: string, problem: string): string {
  if (platform === 'win32') {
    return 'Allow this program for private networks (Windows Security, Firewall & network protection, Allow an app through firewall), and make this network a private one (Settings, Network & internet).'
  }
  if (platform === 'darwin') return isRefusedByMacOs(problem) ? LOCAL_NETWORK : `${LOCAL_NETWORK} ${FIREWALL}`
  return FIREWALL
}

const FIREWALL = 'Allow this program in the firewall, for UDP on port 4445 and 5353, in private networks.'
const LOCAL_NETWORK =
  'Allow it to find devices on the local network: System Settings, Privacy & Security, Local Network; turn on this program, or the launcher or Terminal that started it.'

/** From macOS 15 on the LAN is unreachable for a program without that permission, and nothing else is. */
function isRefusedByMacOs(problem: string): boolean {
  return /EHOSTUNREACH|unreachable|no route/i.test(problem)
}
