import { parseJson } from '@lantern-room/base/bytes'
import { parseNode } from '@lantern-room/protocol'
import { z } from 'zod'
import type { RoomConfig } from '../../config'
import { MAX_NODES } from '../../nodes/nodes'
import type { KeepingDependencies } from './roomKeeper'

export type KeptNodes = ReturnType<typeof createKeptNodes>

const list = z.array(z.string()).max(MAX_NODES)
const stored = z.object({
  nodes: list,
  /** What `ROOM_NODES` said then, in place of which they are used; null where it was not set. */
  environment: list.nullable(),
})

type KeptNodesDependencies = Omit<KeepingDependencies, 'clock'> & {
  readonly config: Pick<RoomConfig, 'nodes' | 'nodesFrom'>
}

/**
 * The shared nodes that a client has set, kept for the next start of the program.
 * @param store holds JSON
 * @example const nodes = await createKeptNodes({ store, config, log }).read()
 */
export function createKeptNodes({ store, config, log }: KeptNodesDependencies) {
  const environment = config.nodesFrom === 'environment' ? config.nodes : null
  /** One after the other. */
  let writing: Promise<void> = Promise.resolve()

  return {
    /** Undefined when none are set, or the configured ones have been changed since. */
    async read(): Promise<readonly string[] | undefined> {
      const text = await store.read().catch(() => undefined)
      const { data } = stored.safeParse(parseJson(text ?? ''))
      if (!data || JSON.stringify(data.environment) !== JSON.stringify(environment)) return undefined
      const nodes = data.nodes.map(parseNode).filter((node) => node !== undefined)
      return nodes.length === data.nodes.length ? nodes : undefined
    },
    /** Undefined forgets them. Never rejects. */
    keep(nodes: readonly string[] | undefined): Promise<void> {
      writing = writing
        .then(() => (nodes ? store.write(`${JSON.stringify({ nodes, environment })}\n`) : store.remove()))
        .catch((cause: unknown) => log.warn('the shared nodes cannot be kept', { cause: String(cause) }))
      return writing
    },
  }
}
