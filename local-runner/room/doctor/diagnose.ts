import { ServiceError } from '#core/errors'
import { printable } from '../../commandLine/printable'
import type { Diagnosis, DoctorMachine, Finding, Way } from './examination'

/** Of each check; they run side by side. */
const LIMIT_MS = 3000
/** Games announce themselves every 1.5 s. */
const WORLDS_MS = 2000
const OLDEST_NODE = [20, 19] as const

/**
 * Tries everything that rooms need, in the time of the slowest check.
 * @param late rejects after so many milliseconds
 */
export async function diagnose(
  machine: DoctorMachine,
  late: (ms: number) => Promise<never>,
): Promise<Diagnosis> {
  const ways = new Set<Way>()
  const groups = await Promise.all([
    bounded('node', () => nodeVersion(machine)),
    bounded('data-folder', () => dataFolder(machine)),
    bounded('room-port', () => port(machine, 'room-port', machine.ports.room)),
    bounded('scaffolding-port', () => port(machine, 'scaffolding-port', machine.ports.scaffolding)),
    bounded('multicast', () => multicast(machine, ways)),
    bounded('worlds', () => worlds(machine)),
    ...machine.nodes.map((url) => bounded('shared-node', () => sharedNode(machine, url, ways))),
    bounded('nat', () => nat(machine)),
  ])
  if (machine.nodes.length === 0) groups.push([NO_NODES])
  if (!machine.isPrivate) groups.push([OPEN_ROOMS])
  const findings = groups.flat()
  const isUsable = !findings.some(({ check, state }) => check === 'data-folder' && state === 'failed')
  return { findings, ways: [...ways], canMeet: isUsable && ways.size > 0 }

  /** A check that throws or takes too long has found something, too. */
  async function bounded(
    check: string,
    look: () => Promise<readonly Finding[]> | readonly Finding[],
  ): Promise<readonly Finding[]> {
    try {
      // A little more than what each gives itself.
      return await Promise.race([look(), late(LIMIT_MS + 500)])
    } catch (error) {
      const text = error instanceof ServiceError ? error.detail : `${check}: ${String(error)}`
      return [{ check, state: 'failed', text: printable(text) }]
    }
  }
}

function nodeVersion({ nodeVersion: version }: DoctorMachine): readonly Finding[] {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  const text = `Node.js ${version}`
  if (isNew) return [{ check: 'node', state: 'ok', text }]
  return [
    { check: 'node', state: 'failed', text, hint: `Install Node.js ${OLDEST_NODE.join('.')} or later.` },
  ]
}

async function dataFolder(machine: DoctorMachine): Promise<readonly Finding[]> {
  return [{ check: 'data-folder', state: 'ok', text: `data folder ${printable(await machine.dataFolder())}` }]
}

async function port(machine: DoctorMachine, check: string, wanted: number): Promise<readonly Finding[]> {
  if (wanted === 0 || (await machine.isPortFree(wanted))) {
    return [{ check, state: 'ok', text: wanted === 0 ? 'any free port' : `port ${wanted} is free` }]
  }
  const who =
    check === 'room-port'
      ? 'it may be a room service that runs already; another one takes the next free port'
      : 'the host takes the next free port'
  return [{ check, state: 'note', text: `port ${wanted} is in use: ${who}` }]
}

async function multicast(machine: DoctorMachine, ways: Set<Way>): Promise<readonly Finding[]> {
  const results = await machine.multicast(LIMIT_MS)
  for (const { problem, isLoopback } of results) {
    if (problem === undefined && (!isLoopback || machine.isLoopbackOnly)) ways.add('lan')
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
      state: isLoopback && !machine.isLoopbackOnly ? 'note' : 'failed',
      text: `${where}: ${printable(problem)}`,
      hint: 'Allow this program in the firewall, for UDP on port 4445 and 5353, in private networks.',
    }
  })
}

async function worlds(machine: DoctorMachine): Promise<readonly Finding[]> {
  const heard = new Map<string, string>()
  for (const { address, port: at, motd } of await machine.worlds(WORLDS_MS)) {
    heard.set(`${address}:${at}`, motd)
  }
  if (heard.size === 0) {
    const text = 'no world is announced on the LAN now: to host, open one to LAN'
    return [{ check: 'worlds', state: 'note', text }]
  }
  return [...heard].map(([at, motd]) => ({
    check: 'worlds',
    state: 'ok' as const,
    text: printable(`world "${motd}" on ${at}`),
  }))
}

async function sharedNode(machine: DoctorMachine, url: string, ways: Set<Way>): Promise<readonly Finding[]> {
  const answer = await machine.probeNode(url, LIMIT_MS)
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

async function nat(machine: DoctorMachine): Promise<readonly Finding[]> {
  const types = await machine.natTypes(LIMIT_MS)
  if (types) {
    const text = `NAT: UDP ${types.udp}, TCP ${types.tcp}; ${types.outlook}`
    return [{ check: 'nat', state: 'ok', text }]
  }
  const text =
    'NAT type unknown, since no STUN server answers: whether players connect directly shows when they join'
  return [{ check: 'nat', state: 'note', text }]
}

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
