/** Ports on which a host may serve the room protocol: other programs take no lower one from its hostname. */
export const ROOM_PORT_BOUNDS = { min: 1025, max: 65_535 } as const
