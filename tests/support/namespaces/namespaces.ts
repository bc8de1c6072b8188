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
  /** Has the router in the middle drop what nft matches so, without a word. */
  dropInMiddle(match: string): Promise<Places<Name>>
  /** Undoes every `part`. */
  unpart(): Promise<void>
  /** Removes everything. Programs inside have to be ended before. */
  remove(): Promise<void>
}

/** Machines on one LAN, 192.168.7.0/24, which leads nowhere else. */
export function openLan<Name extends string>(...names: Name[]): Promise<Places<Name>> {
  return open(names, async (middle, add) => {
    await runIn(middle, 'ip link add lan type bridge', 'ip link set lan up')
    for (const [at, name] of names.entries()) {
      await add(name, `192.168.7.${at + 2}`)
      await runIn(middle, `ip link set ${portOf(at)} master lan`)
    }
  })
}

/**
 * Machines in houses of their own, 198.18.N.2, behind one router that forwards and knows no multicast. These addresses are
 * meant for tests (RFC 2544); private ones would not be dialled across subnets.
 */
export function openInternet<Name extends string>(...names: Name[]): Promise<Places<Name>> {
  return open(names, async (middle, add) => {
    await runIn(middle, 'sysctl -qw net.ipv4.ip_forward=1')
    for (const [at, name] of names.entries()) {
      await add(name, `198.18.${at}.2`)
      await runIn(middle, `ip addr add 198.18.${at}.1/24 dev ${portOf(at)}`)
      await runIn(nameOf(name), `ip route add default via 198.18.${at}.1`)
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
      await runIn(name, 'ip link set lo up')
    }
    await lay(middle, async (name, address) => {
      const port = portOf(numbers.get(name) ?? 0)
      const own = nameOf(name)
      await runIn(middle, `ip link add ${port} type veth peer name lan0 netns ${own}`)
      await runIn(own, `ip addr add ${address}/24 dev lan0`, 'ip link set lan0 up')
      await runIn(middle, `ip link set ${port} up`)
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
      await runIn(middle, `ip rule add pref ${rules} ${what} blackhole`)
    }
  }
  const unpart = async () => {
    for (; rules > 0; rules -= 1) await runIn(middle, `ip rule del pref ${rules}`)
  }
  const addressOf = (name: Name) => places.get(name)?.address ?? ''
  const dropInMiddle = async (match: string) => {
    const chain = "nft add chain ip small f '{ type filter hook forward priority 0; }'"
    await runIn(middle, 'nft add table ip small', chain, `nft add rule ip small f ${match} drop`)
    return net
  }
  const net = { ...Object.fromEntries(places), part, unpart, dropInMiddle, remove } as Places<Name>
  return net
}

function placeOf(own: string, middle: string, port: string, address: string): Place {
  const loss = (action: 'add' | 'del', queue = '') =>
    Promise.all([
      runIn(middle, `tc qdisc ${action} dev ${port} root ${queue}`),
      runIn(own, `tc qdisc ${action} dev lan0 root ${queue}`),
    ])
  let isSilent = false
  return {
    address,
    inside: insideOf(own),
    cut: async () => void (await runIn(middle, `ip link set ${port} down`)),
    async silence() {
      isSilent = true
      // A queue for no packet at all.
      await loss('add', 'pfifo limit 0')
    },
    async heal() {
      if (isSilent) await loss('del')
      isSilent = false
      await runIn(middle, `ip link set ${port} up`)
    },
  }
}

/** Put before a command, so that it runs in a network namespace. */
export function insideOf(namespace: string): readonly string[] {
  return ['ip', 'netns', 'exec', namespace]
}

/** Runs commands of the shell there, in order. @throws with the words of the first that fails */
export async function runIn(namespace: string, ...commands: readonly string[]): Promise<string> {
  const { stdout } = await run('ip', ['netns', 'exec', namespace, 'sh', '-ec', commands.join('\n')])
  return stdout
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
