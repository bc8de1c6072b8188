import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from '../process/findProgram'

const run = promisify(execFile)

/** Whether this process may make networks of its own. */
export const hasNamespaces =
  process.platform === 'linux' && process.getuid?.() === 0 && findProgram('ip') && findProgram('curl')
export const WHY_NO_NAMESPACES = 'network namespaces need Linux, root, ip and curl'

/** A machine: a network namespace with one cable, or several of them in one house. */
export type Place = {
  /** Put before a command, so that it runs there. */
  readonly inside: readonly string[]
  readonly address: string
  /** Pulls the cable at its far end; what the machine sees of it is the link going down. */
  cut(): Promise<void>
  /** Nothing is carried any more, while the cable looks as before. */
  silence(): Promise<void>
  /** Undoes either. */
  heal(): Promise<void>
}

export type Places<Name extends string> = { readonly [name in Name]: Place } & {
  /**
   * Nothing (of this protocol) goes between these two directly any more, either way; what they reach beside each other they
   * still do.
   */
  part(one: Name, other: Name, protocol?: 'tcp' | 'udp'): Promise<void>
  /** Undoes every `part`. */
  unpart(): Promise<void>
  /** Removes everything. Programs inside have to be ended before. */
  remove(): Promise<void>
}

/** Machines on one LAN, 192.168.7.0/24, which leads nowhere else. */
export function openLan<Name extends string>(...names: Name[]): Promise<Places<Name>> {
  return open(names, async (middle, add) => {
    await ip(middle, 'link add lan type bridge')
    await ip(middle, 'link set lan up')
    for (const [at, name] of names.entries()) {
      await add(name, `192.168.7.${at + 2}`)
      await ip(middle, `link set ${portOf(at)} master lan`)
    }
  })
}

/**
 * Machines in houses of their own, 198.18.N.2, behind one router that forwards and knows no multicast. These addresses are
 * meant for tests (RFC 2544); private ones would not be dialled across subnets.
 */
export function openInternet<Name extends string>(...names: Name[]): Promise<Places<Name>> {
  return open(names, async (middle, add) => {
    await inside(middle, 'sysctl', '-qw', 'net.ipv4.ip_forward=1')
    for (const [at, name] of names.entries()) {
      await add(name, `198.18.${at}.2`)
      await ip(middle, `addr add 198.18.${at}.1/24 dev ${portOf(at)}`)
      await ip(nameOf(name), `route add default via 198.18.${at}.1`)
    }
  })
}

let opened = 0
const nameOf = (label: string) => `lr${process.pid}-${opened}-${label}`
const portOf = (at: number) => `port${at}`

async function open<Name extends string>(
  names: readonly Name[],
  lay: (middle: string, add: (name: Name, address: string) => Promise<void>) => Promise<void>,
): Promise<Places<Name>> {
  opened += 1
  await removeStale()
  const all = ['middle', ...names].map(nameOf)
  const remove = async () => {
    for (const name of all) await run('ip', ['netns', 'del', name]).catch(() => undefined)
  }
  const middle = nameOf('middle')
  const places = new Map<Name, Place>()
  const numbers = new Map(names.map((name, at) => [name, at]))
  try {
    for (const name of all) {
      await run('ip', ['netns', 'add', name])
      await ip(name, 'link set lo up')
    }
    await lay(middle, async (name, address) => {
      const port = portOf(numbers.get(name) ?? 0)
      const own = nameOf(name)
      await ip(middle, `link add ${port} type veth peer name lan0 netns ${own}`)
      await ip(own, `addr add ${address}/24 dev lan0`)
      await ip(own, 'link set lan0 up')
      await ip(middle, `link set ${port} up`)
      places.set(name, placeOf(own, middle, port, address))
    })
  } catch (error) {
    await remove()
    throw error
  }
  let rules = 0
  const part = async (one: Name, other: Name, protocol?: 'tcp' | 'udp') => {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      rules += 1
      const what = `from ${addressOf(from)} to ${addressOf(to)}${protocol ? ` ipproto ${protocol}` : ''}`
      await ip(middle, `rule add pref ${rules} ${what} blackhole`)
    }
  }
  const unpart = async () => {
    for (; rules > 0; rules -= 1) await ip(middle, `rule del pref ${rules}`)
  }
  const addressOf = (name: Name) => places.get(name)?.address ?? ''
  return { ...Object.fromEntries(places), part, unpart, remove } as Places<Name>
}

function placeOf(own: string, middle: string, port: string, address: string): Place {
  const loss = (action: string) =>
    Promise.all([
      inside(middle, ...`tc qdisc ${action} dev ${port} root`.split(' '), ...lossOf(action)),
      inside(own, ...`tc qdisc ${action} dev lan0 root`.split(' '), ...lossOf(action)),
    ])
  let isSilent = false
  return {
    address,
    inside: ['ip', 'netns', 'exec', own],
    cut: () => ip(middle, `link set ${port} down`),
    async silence() {
      isSilent = true
      await loss('add')
    },
    async heal() {
      if (isSilent) await loss('del')
      isSilent = false
      await ip(middle, `link set ${port} up`)
    },
  }
}

/** A queue for no packet at all. */
function lossOf(action: string): readonly string[] {
  return action === 'add' ? ['pfifo', 'limit', '0'] : []
}

function ip(namespace: string, command: string): Promise<void> {
  return run('ip', ['-n', namespace, ...command.split(' ')]).then(() => {})
}

function inside(namespace: string, ...command: string[]): Promise<void> {
  return run('ip', ['netns', 'exec', namespace, ...command]).then(() => {})
}

/** Of test runs that were killed: namespaces are named `lr<pid>-…`. */
export async function removeStale(): Promise<void> {
  const { stdout } = await run('ip', ['netns', 'list'])
  for (const [name, pid] of stdout.matchAll(/^lr(\d+)-\S+/gm))
    if (!isRunning(Number(pid))) await run('ip', ['netns', 'del', name]).catch(() => undefined)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
