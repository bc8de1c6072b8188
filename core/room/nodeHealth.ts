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

const CHECK_INTERVAL_MS = 60_000
const TIMEOUT_MS = 3000

/**
 * Checks the configured shared nodes by a handshake with each, in parallel, at most once a minute.
 * @param nodes `scheme://host:port`
 */
export function createNodeHealth(
  nodes: readonly string[],
  { probe, clock }: { readonly probe: ProbeNode; readonly clock: Clock },
): () => Promise<NodeHealth[]> {
  let last: { readonly at: number; readonly result: Promise<NodeHealth[]> } | undefined

  return () => {
    if (!last || clock.now() - last.at >= CHECK_INTERVAL_MS) {
      last = { at: clock.now(), result: Promise.all(nodes.map(check)) }
    }
    return last.result
  }

  async function check(url: string): Promise<NodeHealth> {
    const address = addressOf(url)
    const answer = await probe(url, TIMEOUT_MS).catch(() => ({ problem: 'the check failed' }))
    return 'problem' in answer
      ? { ...address, status: 'failed', latencyMs: null, problem: answer.problem }
      : {
          ...address,
          status: 'ok',
          latencyMs: answer.latencyMs,
          problem: answer.isSharedNode ? null : 'not a shared node',
        }
  }
}

function addressOf(url: string) {
  const [, protocol = '', hostname = '', port = '0'] = /^(\w+):\/\/(.+?):(\d+)(?:\/.*)?$/.exec(url) ?? []
  return { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port), protocol }
}
