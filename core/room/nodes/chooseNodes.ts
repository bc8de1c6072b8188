import type { Clock } from '@lantern-room/base/async'
import { within } from '@lantern-room/base/async'
import type { NetworkStatus } from '../networkStatus'
import type { CheckNode, NodeHealth } from './nodeHealth'
import { isList } from './nodes'

/** The shared nodes of a room that is opened. */
export type ChosenNodes = {
  readonly used: readonly string[]
  /** They do not live, while another one does. */
  readonly skipped: readonly { readonly url: string; readonly problem: string }[]
}

/** A node that is silent for so long is dead. Lists are fetched first, and may be slower. */
const SILENT_MS = 1500

/**
 * Measures the nodes before a room is opened, and leaves out the dead ones. When none lives, all are used: the network may
 * only be down for a moment, and goes on trying. A single node is not measured.
 */
export async function chooseNodes(
  nodes: readonly string[],
  { check, clock }: { readonly check: CheckNode; readonly clock: Clock },
): Promise<ChosenNodes> {
  if (nodes.length < 2) return { used: nodes, skipped: [] }
  const verdicts = new Map<string, NodeHealth>()
  const checks = nodes.map(async (url) => verdicts.set(url, await check(url)))
  await within(clock, SILENT_MS, Promise.all(checks), () => new Error('not all have answered')).catch(
    () => undefined,
  )
  if (![...verdicts.values()].some(({ status }) => status === 'ok')) return { used: nodes, skipped: [] }
  const skipped = nodes.flatMap((url) => {
    const problem = problemOf(url, verdicts.get(url))
    return problem === undefined ? [] : [{ url, problem }]
  })
  return { used: nodes.filter((url) => !skipped.some((node) => node.url === url)), skipped }
}

/** @returns undefined for a node that is used */
function problemOf(url: string, verdict: NodeHealth | undefined): string | undefined {
  if (verdict === undefined) return isList(url) ? undefined : 'no answer'
  return verdict.status === 'failed' ? (verdict.problem ?? 'no answer') : undefined
}

/** The nodes that are not used are shown, too, with the reason. */
export function withSkipped(status: NetworkStatus, { skipped }: ChosenNodes): NetworkStatus {
  const left = skipped.map(({ url, problem }) => ({
    url,
    state: 'failed' as const,
    latencyMs: undefined,
    problem: `not used, since others answered when the room was opened: ${problem}`,
  }))
  return left.length === 0 ? status : { ...status, nodes: [...status.nodes, ...left] }
}
