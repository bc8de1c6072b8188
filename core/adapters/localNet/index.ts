/** What other packages may use. @see core/adapters/README.md */

export { createLocalNet, hereAddresses, isPortFree } from './localNet'
