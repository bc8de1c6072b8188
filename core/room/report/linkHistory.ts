import type { Log } from '#core/log'
import type { Feed, FeedMessage } from '../service/feed'
import type { PlayerConnection } from '../service/playerConnections'
import type { NetworkReport } from '../service/statusReport'
import { LINK_MESSAGE, type LinkChange } from './linkEvents'

/**
 * Writes each change of a connection into the log, as an entry of its own: from what the feed tells. Numbers of nodes and
 * players are those of one role, in the order of their appearance.
 * @returns a function that ends it
 */
export function recordLinks({
  feed,
  log,
}: {
  readonly feed: Pick<Feed, 'subscribe'>
  readonly log: Pick<Log, 'debug'>
}): () => void {
  const nodes = new Map<string, boolean>()
  const players = new Map<string, string>()

  return feed.subscribe((message) => {
    for (const change of changesOf(message)) log.debug(LINK_MESSAGE, { ...change })
  })

  function changesOf(message: FeedMessage): readonly LinkChange[] {
    if (message.type === 'state') return newState(message)
    if (message.type === 'status') return newNodes(message.network)
    return message.type === 'guests' ? newPaths(message.connections) : []
  }

  function newState({ state, role }: FeedMessage & { type: 'state' }): readonly LinkChange[] {
    if (role === null) {
      nodes.clear()
      players.clear()
    }
    return [{ kind: 'state', state, role }]
  }

  function newNodes(network: NetworkReport | null): readonly LinkChange[] {
    return (network?.nodes ?? []).flatMap(({ url, state }): readonly LinkChange[] => {
      const isConnected = state === 'connected'
      const before = nodes.get(url)
      // A node that was never connected is no loss.
      if (before === isConnected || (before === undefined && state === 'connecting')) return []
      nodes.set(url, isConnected)
      return [{ kind: 'node', node: numberOf(nodes, url), isConnected }]
    })
  }

  function newPaths(connections: readonly PlayerConnection[]): readonly LinkChange[] {
    const present = new Set(connections.map(({ machineId }) => machineId))
    const gone = [...players].filter(([id, before]) => !present.has(id) && before !== pathText(null, null))
    return [
      ...connections.flatMap(({ machineId, path, relayed }) => moved(machineId, path, relayed?.code ?? null)),
      ...gone.flatMap(([id]) => moved(id, null, null)),
    ]
  }

  function moved(
    machineId: string,
    path: PlayerConnection['path'],
    relayed: (LinkChange & { kind: 'player' })['relayed'],
  ): readonly LinkChange[] {
    const text = pathText(path, relayed)
    if (players.get(machineId) === text) return []
    players.set(machineId, text)
    return [{ kind: 'player', player: numberOf(players, machineId), path, relayed }]
  }
}

function pathText(path: PlayerConnection['path'], relayed: string | null): string {
  return `${path} ${relayed}`
}

/** From 1; a map keeps the order of its keys. */
function numberOf(all: ReadonlyMap<string, unknown>, key: string): number {
  return [...all.keys()].indexOf(key) + 1
}
