/** Ports of earlier worlds that stay exposed. */
const MAX_EARLIER = 8

export type WorldPorts = {
  /** @param next undefined while there is no world */
  changeTo(next: number | undefined): void
  /** The present port first; none while there is no world. */
  leadingTo(): readonly number[]
}

/**
 * The ports that lead to the present world: its own and those of the room's earlier ones, because guests of other programs
 * ask for the port once and never again. No program that may have an earlier port now can be reached by it.
 */
export function createWorldPorts(): WorldPorts {
  let present: number | undefined
  let earlier: readonly number[] = []
  return {
    changeTo(next) {
      if (present !== undefined) earlier = [present, ...earlier.filter((port) => port !== present)]
      present = next
      earlier = earlier.filter((port) => port !== next).slice(0, MAX_EARLIER)
    },
    leadingTo: () => (present === undefined ? [] : [present, ...earlier]),
  }
}
