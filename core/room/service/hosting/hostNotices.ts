import type { LocalWorld } from '../../game/worldEntries'
import { type Notice, noticeOf, type OwnWorld, worldLost } from '../state/notices'
import type { HostedPorts } from '../world/exposedPorts'
import type { World } from '../world/world'

/** Conditions that may need the host's action; the first that holds is shown. */
const KINDS = ['world', 'room', 'names'] as const

/** The hints of a host, of which it is shown one at a time. */
export type HostNotices = {
  set(kind: (typeof KINDS)[number], notice: Notice | null): void
  current(): Notice | null
}

/** @param show called with each current one, also when it has not changed */
export function createHostNotices(show: (notice: Notice | null) => void): HostNotices {
  const notices = new Map<(typeof KINDS)[number], Notice | null>()
  const current = () =>
    KINDS.map((kind) => notices.get(kind) ?? null).find((notice) => notice !== null) ?? null
  return {
    current,
    set(kind, notice) {
      notices.set(kind, notice)
      show(current())
    },
  }
}

/**
 * Chooses the notice for the player of a host, unless its world is lost.
 * @param isOpen whether guests can come
 * @param awaited the world of the run before
 */
export function hostNotice(
  world: Pick<World, 'port' | 'offered' | 'chosen'>,
  ports: Pick<HostedPorts, 'lacksPorts'>,
  isOpen: boolean,
  awaited: OwnWorld | undefined,
): Notice | null {
  if (world.port() !== undefined) return ports.lacksPorts() ? noticeOf('own-port') : null
  const [offered, ...others] = world.offered()
  if (offered?.source === 'announced') return worldUnverified(offered.port)
  if (offered) return others.length === 0 ? worldFound(offered) : worldsFound([offered, ...others])
  return isOpen ? noticeOf('world-missing') : waitingForWorld(world.chosen(), awaited)
}

/**
 * @param gamePort where the world has to answer; undefined for any that is found on the LAN
 * @param awaited the world of the run before, which alone is shared unasked
 */
function waitingForWorld(gamePort: number | undefined, awaited: OwnWorld | undefined): Notice {
  if (awaited) return worldLost(awaited)
  if (gamePort === undefined) return noticeOf('open-world')
  if (BEDROCK_PORTS.includes(gamePort)) return noticeOf('bedrock-world')
  return {
    code: 'open-world-on-port',
    text: `Open your world on port ${gamePort}: the room opens as soon as it answers.`,
  }
}

/** IPv4 and IPv6. */
const BEDROCK_PORTS = [19_132, 19_133]

const MAX_PORTS = 5

/** For the only world of this user that answers without being announced. */
function worldFound({ name, port }: LocalWorld): Notice {
  const world = name === '' ? 'A world that is not announced' : `The world “${name}”`
  return {
    code: 'world-found',
    port,
    text: `${world} answers on port ${port} of this computer. If it is yours, choose it (on the command line: --game-port ${port}); it is not shared unasked.`,
  }
}

function worldsFound(worlds: readonly LocalWorld[]): Notice {
  const ports = worlds.slice(0, MAX_PORTS).map(({ port }) => port)
  return {
    code: 'worlds-found',
    port: ports[0],
    text: `Several worlds answer on this computer, on the ports ${ports.join(', ')}. Choose yours (on the command line: --game-port ${ports[0]}); none is shared unasked.`,
  }
}

export function sameNames(name: string): Notice {
  return {
    code: 'same-names',
    text: `Several players are called “${name}”. If they have that name in the game, too, it lets in only one of them (“already playing”): the others have to change it.`,
  }
}

/** For a world that this machine announces. */
function worldUnverified(port: number): Notice {
  return {
    code: 'world-unverified',
    port,
    text: `A world is announced on port ${port}, but what is there does not answer like a game, so that it is not shared unasked. If it is your world, choose it (on the command line: --game-port ${port}); else open your world to LAN.`,
  }
}
