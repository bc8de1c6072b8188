import { cleanText } from '../cleanText'
import type { DoctorDependencies, Finding, Way } from './diagnosis'

/** Time limit of each check; they run in parallel. */
export const LIMIT_MS = 3000
/** Code points of a text from outside. */
const MAX_TEXT = 200

export async function multicast(
  dependencies: DoctorDependencies,
  ways: Set<Way>,
): Promise<readonly Finding[]> {
  const { isLoopbackOnly, platform } = dependencies
  const check = 'multicast'
  const results = await dependencies.multicast(LIMIT_MS)
  for (const { problem, isLoopback } of results) {
    if (problem === undefined && (!isLoopback || isLoopbackOnly)) ways.add('lan')
  }
  if (results.length === 0) {
    const hint = 'Connect to a network, or correct which interfaces the settings name.'
    return [{ id: 'no-lan-interface', check, state: 'failed', text: 'no interface of the LAN', hint }]
  }
  return results.map(({ interface: name, problem, isLoopback }): Finding => {
    const where = `multicast on ${name}${isLoopback ? ' (this machine alone)' : ''}`
    if (problem === undefined)
      return { id: 'multicast-works', check, state: 'ok', text: where, subject: name }
    return {
      id: 'multicast-fails',
      check,
      state: isLoopback && !isLoopbackOnly ? 'note' : 'failed',
      text: `${where}: ${reasonOf(problem)}`,
      hint: multicastHint(platform, problem),
      subject: name,
    }
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
  if (nodes.length === 0) return [NO_NODES]
  const [outage, findings] = await Promise.all([
    dependencies.outage(nodes),
    Promise.all(nodes.map((url) => sharedNode(dependencies, url, ways))),
  ])
  return outage === undefined || ways.has('nodes') ? findings : [OUTAGES[outage], ...findings]
}

const OUTAGES = {
  'no-internet': {
    id: 'no-internet',
    check: 'shared-node',
    state: 'failed',
    text: 'this computer is not connected to the internet',
    hint: 'Connect it to the internet, then check again.',
  },
  'wifi-login': {
    id: 'wifi-login',
    check: 'shared-node',
    state: 'failed',
    text: 'this wifi lets nobody out who has not logged in',
    hint: 'Log in to this wifi first: open any page in the browser, then check again.',
  },
} as const satisfies Readonly<Record<string, Finding>>

const NO_NODES: Finding = {
  id: 'no-shared-node',
  check: 'shared-node',
  state: 'note',
  text: 'no shared node is configured: players meet on the LAN alone',
  hint: 'Name shared nodes in the settings to meet over the internet.',
}

async function sharedNode({ probeNode }: DoctorDependencies, url: string, ways: Set<Way>): Promise<Finding> {
  const answer = await probeNode(url, LIMIT_MS)
  const check = 'shared-node'
  if ('problem' in answer) {
    const text = `${url}: ${cleanText(answer.problem, MAX_TEXT)}`
    const hint =
      'Check the internet connection and the firewall, or name another shared node in the settings.'
    return { id: 'shared-node-unreachable', check, state: 'failed', text, hint, subject: url }
  }
  if (!answer.isSharedNode) {
    const text = `${url}: it answers, but is no shared node`
    const hint = 'Name another shared node in the settings.'
    return { id: 'shared-node-wrong', check, state: 'failed', text, hint, subject: url }
  }
  ways.add('nodes')
  const text = `${url}: a shared node, ${answer.latencyMs} ms away`
  return { id: 'shared-node-reachable', check, state: 'ok', text, subject: url }
}

export async function nat(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const types = await dependencies.natTypes(LIMIT_MS)
  if (types) {
    const subject = `UDP ${types.udp}, TCP ${types.tcp}`
    return [{ id: `nat-${types.kind}`, check: 'nat', state: 'ok', text: types.outlook, subject }]
  }
  const text = 'whether players connect directly shows when they join: no server that tests it answers now'
  return [{ id: 'nat-unknown', check: 'nat', state: 'note', text }]
}

export async function portMapping(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const check = 'port-mapping'
  const method = await dependencies.portMapping(LIMIT_MS)
  if (method === 'off') return []
  if (method === undefined) {
    const text =
      'the router opens no ports: two players behind strict routers then play through a shared node'
    const hint = 'Switch on UPnP or NAT-PMP in the router, if it has one of them.'
    return [{ id: 'router-opens-no-ports', check, state: 'note', text, hint }]
  }
  const subject = METHODS[method]
  const text = `the router opens ports by ${subject}`
  return [{ id: 'router-opens-ports', check, state: 'ok', text, subject }]
}

const METHODS = { pcp: 'PCP', 'nat-pmp': 'NAT-PMP', upnp: 'UPnP' } as const satisfies Readonly<
  Record<string, string>
>

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
