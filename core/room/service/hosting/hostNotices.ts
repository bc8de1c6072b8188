import type { KnownWorld, LocalWorld, World } from '@lantern-room/game'
import type { NodeStatus } from '../../networkStatus'
import { type Notice, noticeOf, worldLost } from '../state/notices'
import type { HostedPorts } from '../world/exposedPorts'

/** Conditions that may need the host's action; the first that holds is shown. */
const KINDS = ['world', 'nodes', 'room', 'copies', 'names'] as const

/** The hints of a host, of which it is shown one at a time. @param show called with each current one, also when it has not changed */
export function createHostNotices(show: (notice: Notice | null) => void) {
  const notices = new Map<(typeof KINDS)[number], Notice | null>()
  const current = (): Notice | null =>
    KINDS.map((kind) => notices.get(kind) ?? null).find((notice) => notice !== null) ?? null
  return {
    current,
    set(kind: (typeof KINDS)[number], notice: Notice | null): void {
      notices.set(kind, notice)
      show(current())
    },
  }
}

/** Chooses the notice for the player of a host, unless its world is lost. */
export function hostNotice({
  world,
  ports,
  isOpen,
  isHeard,
  awaited,
}: {
  readonly world: Pick<World, 'port' | 'offered' | 'chosen'>
  readonly ports: Pick<HostedPorts, 'lacksPorts' | 'isOwn'>
  /** Whether guests can come. */
  readonly isOpen: boolean
  /** Whether worlds of the LAN can be heard. */
  readonly isHeard: boolean
  /** The world of the run before. */
  readonly awaited: KnownWorld | undefined
}): Notice | null {
  if (world.port() !== undefined) return ports.lacksPorts() ? noticeOf('own-port') : null
  const chosen = world.chosen()
  if (chosen !== undefined && ports.isOwn(chosen)) return noticeOf('own-port')
  const [offered, ...others] = world.offered()
  if (offered) return offeredWorld(offered, others)
  if (!isHeard && chosen === undefined && (isOpen || !awaited)) return noticeOf('lan-port-taken')
  return isOpen ? noticeOf('world-missing') : waitingForWorld(chosen, awaited)
}

/** Where no shared node is connected, and one has said why. */
export function nodesNotice(nodes: readonly NodeStatus[]): Notice | null {
  const isConnected = nodes.some(({ state }) => state === 'connected')
  const refusal = nodes.find((node) => node.refusal !== undefined)?.refusal
  if (isConnected || refusal === undefined) return null
  return noticeOf(refusal === 'address-limit' ? 'nodes-at-address-limit' : 'nodes-full')
}

/** For worlds of this user that are not shared unasked. */
function offeredWorld({ source, name, port }: LocalWorld, others: readonly LocalWorld[]): Notice {
  const code =
    source === 'announced' ? 'world-unverified' : others.length > 0 ? 'worlds-found' : 'world-found'
  const world = name === '' ? 'A world that is not announced' : `The world “${name}”`
  const ports = [port, ...others.map((other) => other.port)].slice(0, MAX_PORTS).join(', ')
  return { ...noticeOf(code, { world, port, ports }), port }
}

const MAX_PORTS = 5

/**
 * @param gamePort where the world has to answer; undefined for any that is found on the LAN
 * @param awaited the world of the run before, which alone is shared unasked
 */
function waitingForWorld(gamePort: number | undefined, awaited: KnownWorld | undefined): Notice {
  if (awaited) return worldLost(awaited)
  if (gamePort === undefined) return noticeOf('open-world')
  if (BEDROCK_PORTS.includes(gamePort)) return noticeOf('bedrock-world')
  return noticeOf('open-world-on-port', { port: gamePort })
}

/** IPv4 and IPv6. */
const BEDROCK_PORTS = [19_132, 19_133]
