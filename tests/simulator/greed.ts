import type { Greed } from '#support/room/greedyMember'

/** What a greedy member of the simulator asks for, in each round. */
export const greedyKinds = ['greedy', 'renamer'] as const

export type GreedyKind = (typeof greedyKinds)[number]

/** More than a share of each, and no more than a simulated second can bear. */
export const GREED: Readonly<Record<GreedyKind, Greed>> = {
  greedy: { players: 12, connections: 12, streams: 70, flows: 70, renames: 40 },
  renamer: { players: 0, connections: 0, streams: 0, flows: 0, renames: 80 },
}
