/** As the game sends its announcements: from any port, past the routers between the parts of a LAN. */
export const GAME_SENDER = { sourcePort: 0, maxHops: 4 } as const
