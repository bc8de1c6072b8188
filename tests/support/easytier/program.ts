import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hasResolved } from '#support/values/hasResolved'
import { eventually, until } from '#support/values/until'
import { type ServerProcess, startCommand } from '../process/serverProcess'

const run = promisify(execFile)

/** The real program, built by whoever runs the tests. */
export const realProgram = { core: process.env.EASYTIER_CORE ?? '', cli: process.env.EASYTIER_CLI ?? '' }
export const WHY_NO_PROGRAM = 'EASYTIER_CORE and EASYTIER_CLI do not name the real program'

export type Core = {
  readonly process: ServerProcess
  /** What `easytier-cli` answers, read as JSON where it is asked for tables. */
  cli(...args: readonly string[]): Promise<string>
  /** As a machine that loses its power. */
  kill(): Promise<void>
}

/** What it says of a member: `p2p` or `relay(2)`, and the transports of its links, as `tcp,udp`. */
export type ObservedRoute = {
  readonly hostname: string
  readonly cost: string
  readonly tunnel_proto: string
  /** Of its router, for UDP. */
  readonly nat_type: string
}

/** Starts `easytier-core` in a network of its own. Never without one: it would listen everywhere and look for others. */
export async function startCore(inside: readonly string[], args: readonly string[]): Promise<Core> {
  if (inside.length === 0) throw new Error('the real program runs only in a network of its own')
  const child = startCommand([...inside, realProgram.core, '--no-tun', ...args])
  const isOver = hasResolved(child.ended)
  const cli = async (...words: readonly string[]) => {
    const [file = '', ...rest] = [...inside, realProgram.cli, ...words]
    return (await run(file, rest, { timeout: 10_000 })).stdout
  }
  for (;;) {
    if (isOver()) throw new Error(`easytier-core ended.\n${child.stdout()}\n${child.stderr()}`)
    if (await cli('node').catch(() => undefined)) break
    await sleep(50)
  }
  return { process: child, cli, kill: () => child.end('SIGKILL') }
}

/** Waits until it knows anybody. Whoever comes first to a shared node decides which secret its room has there. */
export async function waitForPeer(core: Core): Promise<void> {
  const hasMet = async () => (await peersOf(core)).some(({ cost }) => cost !== 'Local')
  await until('it meets a member', hasMet, { ms: 30_000, everyMs: 50 })
}

/** How it sees another member, or undefined while it does not. */
export async function routeSeenBy(core: Core, hostname: string): Promise<ObservedRoute | undefined> {
  return (await peersOf(core)).find((peer) => peer.hostname === hostname)
}

/** Waits until STUN servers have told it how its router treats UDP. @returns its word for that */
export async function untilTypeKnown(core: Core): Promise<string> {
  const look = async () => (await peersOf(core)).find(({ cost }) => cost === 'Local')?.nat_type ?? 'Unknown'
  return eventually(look, (type) => type !== 'Unknown', { ms: 30_000, everyMs: 50 })
}

async function peersOf(core: Core): Promise<readonly ObservedRoute[]> {
  return JSON.parse(await core.cli('-o', 'json', 'peer')) as readonly ObservedRoute[]
}

export async function programVersion(): Promise<string> {
  const { stdout } = await run('unshare', ['-n', realProgram.core, '--version'])
  return stdout.trim()
}
