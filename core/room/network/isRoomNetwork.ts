/**
 * The names that rooms give their networks: open ones by the code's first half, private ones a hash of it all. The last one
 * is that of our own probe of a node.
 */
const ROOM_NETWORK = /^(scaffolding-mc-[0-9A-Z]{4}-[0-9A-Z]{4}|private-name-[0-9a-f]{64}|probe-[0-9a-f]{24})$/

export function isRoomNetwork(name: string): boolean {
  return ROOM_NETWORK.test(name)
}
