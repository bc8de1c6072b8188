import type { Clock } from '../clock'
import type { ProbeNode } from './ports'

export type NodeHealth = {
  readonly hostname: string
  readonly port: number
  readonly protocol: string
  readonly status: 'ok' | 'failed' | 'unknown'
  readonly latencyMs: number | null
  readonly problem: string | null
}

const EVERY_MS = 60_000
const LIMIT_MS = 3000

/**
 * The health of the configured shared nodes by a real handshake with each, in parallel, at most once a minute.
 * @param nodes `scheme://host:port`
 */
export function createNodeHealth(
  nodes: readonly string[],
  { probe, clock }: { readonly probe: ProbeNode; readonly clock: Clock },
): () => Promise<NodeHealth[]> {
  let last: { readonly at: number; readonly result: Promise<NodeHealth[]> } | undefined

  return () => {
    if (!last || clock.now() - last.at >= EVERY_MS) {
      last = { at: clock.now(), result: Promise.all(nodes.map(check)) }
    }
    return last.result
  }

  async function check(url: string): Promise<NodeHealth> {
    const place = placeOf(url)
    const answer = await probe(url, LIMIT_MS).catch((error: unknown) => ({ problem: String(error) }))
    return 'problem' in answer
      ? { ...place, status: 'failed', latencyMs: null, problem: answer.problem }
      : {
          ...place,
          status: 'ok',
          latencyMs: answer.latencyMs,
          problem: answer.isSharedNode ? null : 'not a shared node',
        }
  }
}

function placeOf(url: string) {
  const [, protocol = '', hostname = '', port = '0'] = /^(\w+):\/\/(.+?):(\d+)(?:\/.*)?$/.exec(url) ?? []
  return { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port), protocol }
}
