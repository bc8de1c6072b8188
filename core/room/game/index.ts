/** What other packages may use. @see core/room/README.md */

export { decodeAnnouncement, encodeAnnouncement } from './announcement'
export { legacyPing } from './legacyPing'
export { modernPing } from './modernPing'
export { raknetPing } from './raknetPing'
