import { ServiceError } from '#core/errors'
import { printable } from '../../commandLine/printable'
import type { Diagnosis, DoctorDependencies, Finding, Way } from './diagnosis'
import { multicastHint } from './multicastHint'

/** Time limit of each check; they run in parallel. */
const LIMIT_MS = 3000
/** Games announce themselves every 1.5 s. */
const WORLDS_MS = 2000
const OLDEST_NODE = [20, 19] as const

/**
 * Checks everything that rooms need, in the time of the slowest check.
 * @param late rejects after so many milliseconds
 */
export async function diagnose(
  dependencies: DoctorDependencies,
  late: (ms: number) => Promise<never>,
): Promise<Diagnosis> {
  const ways = new Set<Way>()
  const groups = await Promise.all([
    bounded('node', () => nodeVersion(dependencies)),
    bounded('data-folder', () => dataFolder(dependencies)),
    bounded('room-port', () => port(dependencies, 'room-port', dependencies.ports.room)),
    bounded('scaffolding-port', () => port(dependencies, 'scaffolding-port', dependencies.ports.scaffolding)),
    bounded('multicast', () => multicast(dependencies, ways)),
    bounded('worlds', () => worlds(dependencies)),
    ...dependencies.nodes.map((url) => bounded('shared-node', () => sharedNode(dependencies, url, ways))),
    bounded('nat', () => nat(dependencies)),
    bounded('port-mapping', () => portMapping(dependencies)),
  ])
  if (dependencies.nodes.length === 0) groups.push([NO_NODES])
  if (!dependencies.isPrivate) groups.push([OPEN_ROOMS])
  const findings = groups.flat()
  const isUsable = !findings.some(({ check, state }) => check === 'data-folder' && state === 'failed')
  return { findings, ways: [...ways], canMeet: isUsable && ways.size > 0 }

  /** A check that throws or takes too long is a finding, too. */
  async function bounded(
    check: string,
    run: () => Promise<readonly Finding[]> | readonly Finding[],
  ): Promise<readonly Finding[]> {
    try {
      // A little more than the check's own limit.
      return await Promise.race([run(), late(LIMIT_MS + 500)])
    } catch (error) {
      const text = error instanceof ServiceError ? error.detail : `${check}: ${String(error)}`
      return [{ check, state: 'failed', text: printable(text) }]
    }
  }
}

function nodeVersion({ nodeVersion: version }: DoctorDependencies): readonly Finding[] {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  const text = `Node.js ${version}`
  if (isNew) return [{ check: 'node', state: 'ok', text }]
  return [
    { check: 'node', state: 'failed', text, hint: `Install Node.js ${OLDEST_NODE.join('.')} or later.` },
  ]
}

async function dataFolder(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  return [
    { check: 'data-folder', state: 'ok', text: `data folder ${printable(await dependencies.dataFolder())}` },
  ]
}

async function port(
  dependencies: DoctorDependencies,
  check: string,
  wanted: number,
): Promise<readonly Finding[]> {
  if (wanted === 0 || (await dependencies.isPortFree(wanted))) {
    return [{ check, state: 'ok', text: wanted === 0 ? 'any free port' : `port ${wanted} is free` }]
  }
  const explanation =
    check === 'room-port'
      ? 'it may be a room service that runs already; another one takes the next free port'
      : 'the host takes the next free port'
  return [{ check, state: 'note', text: `port ${wanted} is in use: ${explanation}` }]
}

async function multicast(dependencies: DoctorDependencies, ways: Set<Way>): Promise<readonly Finding[]> {
  const results = await dependencies.multicast(LIMIT_MS)
  for (const { problem, isLoopback } of results) {
    if (problem === undefined && (!isLoopback || dependencies.isLoopbackOnly)) ways.add('lan')
  }
  if (results.length === 0) {
    return [
      {
        check: 'multicast',
        state: 'failed',
        text: 'no interface of the LAN',
        hint: 'Connect to a network, or correct ROOM_LAN_INTERFACES.',
      },
    ]
  }
  return results.map(({ interface: name, problem, isLoopback }): Finding => {
    const where = `multicast on ${name}${isLoopback ? ' (this machine alone)' : ''}`
    if (problem === undefined) return { check: 'multicast', state: 'ok', text: where }
    return {
      check: 'multicast',
      state: isLoopback && !dependencies.isLoopbackOnly ? 'note' : 'failed',
      text: `${where}: ${printable(problem)}`,
      hint: multicastHint(dependencies.platform, problem),
    }
  })
}

async function worlds(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const motdByAddress = new Map<string, string>()
  for (const { address, port: at, motd } of await dependencies.worlds(WORLDS_MS)) {
    motdByAddress.set(`${address}:${at}`, motd)
  }
  if (motdByAddress.size === 0) {
    const text = 'no world is announced on the LAN now: to host, open one to LAN'
    return [{ check: 'worlds', state: 'note', text }]
  }
  return [...motdByAddress].map(([at, motd]) => ({
    check: 'worlds',
    state: 'ok' as const,
    text: printable(`world "${motd}" on ${at}`),
  }))
}

async function sharedNode(
  dependencies: DoctorDependencies,
  url: string,
  ways: Set<Way>,
): Promise<readonly Finding[]> {
  const answer = await dependencies.probeNode(url, LIMIT_MS)
  const check = 'shared-node'
  if ('problem' in answer) {
    return [
      {
        check,
        state: 'failed',
        text: `${url}: ${printable(answer.problem)}`,
        hint: 'Check the internet connection and the firewall, or name another node in ROOM_NODES.',
      },
    ]
  }
  if (!answer.isSharedNode) {
    return [
      {
        check,
        state: 'failed',
        text: `${url}: it answers, but is no shared node`,
        hint: 'Name another node in ROOM_NODES.',
      },
    ]
  }
  ways.add('nodes')
  return [{ check, state: 'ok', text: `${url}: a shared node, ${answer.latencyMs} ms away` }]
}

async function nat(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const types = await dependencies.natTypes(LIMIT_MS)
  if (types) {
    const text = `NAT: UDP ${types.udp}, TCP ${types.tcp}; ${types.outlook}`
    return [{ check: 'nat', state: 'ok', text }]
  }
  const text =
    'NAT type unknown, since no STUN server answers: whether players connect directly shows when they join'
  return [{ check: 'nat', state: 'note', text }]
}

async function portMapping(dependencies: DoctorDependencies): Promise<readonly Finding[]> {
  const method = await dependencies.portMapping(LIMIT_MS)
  if (method === 'off') return []
  if (method === undefined) {
    const text =
      'the router opens no ports: two players behind strict routers then play through a shared node'
    const hint = 'Switch on UPnP or NAT-PMP in the router, if it has one of them.'
    return [{ check: 'port-mapping', state: 'note', text, hint }]
  }
  return [{ check: 'port-mapping', state: 'ok', text: `the router opens ports by ${METHODS[method]}` }]
}

const METHODS = { 'nat-pmp': 'NAT-PMP', upnp: 'UPnP' } as const

const NO_NODES: Finding = {
  check: 'shared-node',
  state: 'note',
  text: 'no shared node is configured: players meet on the LAN alone',
  hint: 'Name shared nodes in ROOM_NODES to meet over the internet.',
}

const OPEN_ROOMS: Finding = {
  check: 'secrecy',
  state: 'note',
  text: "an open room's secret has 40.7 bits: a shared node, or who listens there, can find it in an hour",
  hint: 'Make the room private (--private) when all players use this software.',
}
