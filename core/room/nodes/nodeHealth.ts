import { z } from '@hono/zod-openapi'
import type { Clock } from '@lantern-room/base/async'
import { createRemembered } from '@lantern-room/base/async'
import { setNewest } from '@lantern-room/base/limits'
import type { ProbeNode } from '../ports'

export const nodeHealth = z.object({
  hostname: z.string(),
  port: z.int(),
  protocol: z.string(),
  status: z.enum(['ok', 'failed', 'unknown']),
  latencyMs: z.number().nullable(),
  problem: z.string().nullable(),
})

/** A shared node as its last check has found it: `latencyMs` in milliseconds, `problem` in a few words where it failed. */
export type NodeHealth = z.infer<typeof nodeHealth>

/** @param url `scheme://host:port` */
export type CheckNode = (url: string) => Promise<NodeHealth>

const CHECK_INTERVAL_MS = 60_000
const TIMEOUT_MS = 3000
/** Several times those of one room. */
const MAX_NODES = 128

type NodeHealthOptions = {
  readonly probe: ProbeNode
  readonly clock: Clock
}

/** Checks a shared node by a handshake, each at most once a minute: a result is the same for all who ask meanwhile. */
export function createNodeHealth({ probe, clock }: NodeHealthOptions): CheckNode {
  const checks = new Map<string, ReturnType<typeof createRemembered<NodeHealth>>>()

  return (url) => {
    const known = checks.get(url) ?? createRemembered(clock, CHECK_INTERVAL_MS, () => check(url))
    setNewest(checks, url, known, MAX_NODES)
    return known.get()
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
