/** What other packages may use. @see core/adapters/README.md */

export { createBedrockFinder } from './bedrockFinder'
export { createLanAnnouncer } from './lanAnnouncer'
export { createLanListener } from './lanListener'
export { testMulticast } from './testMulticast'
