/** What other packages may use. @see core/game/README.md */

export { decodeAnnouncement, encodeAnnouncement } from './announcement'
export { endPointOf, type Game, isVerified } from './game'
export { GameList } from './gameList'
export { legacyPing } from './legacyPing'
export { findLocalServices, type LocalService, type VoicePorts } from './localServices'
export { modernPing } from './modernPing'
export { createProbeHere, type ProbeHere } from './probeHere'
export { raknetPing } from './raknetPing'
export { World, type WorldDependencies, WorldGone } from './world'
export type { KnownWorld } from './worldChoice'
export type { LocalWorld } from './worldEntries'
export { createWorldSearch } from './worldSearch'
