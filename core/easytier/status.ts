/** What a network says of itself. */

/** How packets reach a member. `latencyMs` is the round trip. */
export type Path = {
  readonly kind: 'direct' | 'relay'
  readonly transport: 'tcp' | 'udp' | 'ws' | 'memory'
  readonly latencyMs: number | undefined
}

/** A shared node that was configured for this room. */
export type NodeStatus = {
  readonly url: string
  readonly state: 'connecting' | 'connected' | 'failed'
  readonly latencyMs: number | undefined
  /** Why it failed, in a few words. */
  readonly problem: string | undefined
}
