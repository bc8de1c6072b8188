/** What other packages may use. @see core/adapters/README.md */

export { keepAnswers } from './keptAnswers'
export { createNodeTransports } from './nodeTransports'
export { openRelayListeners } from './relayListeners'
