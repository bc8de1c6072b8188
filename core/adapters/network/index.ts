/** What other packages may use. @see core/adapters/README.md */

export { isLoopbackOnly, reachableAddresses } from './networkInterfaces'
export { isOwnConnection } from './ownConnections'
export { postText } from './postText'
