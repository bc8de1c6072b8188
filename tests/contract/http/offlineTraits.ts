import type { HostTraits } from './contract'

/** What serverless-offline does by itself, before the functions are asked. */
export const offlineTraits: HostTraits = {
  noRanges: 'serverless-offline cuts ranges out of whole answers by itself',
  noOrigins: 'serverless-offline allows every origin by itself',
  readsBodies: 'serverless-offline refuses types it cannot read and loses a body of null by itself',
  bodyLimit: 10 * 1024 * 1024,
  // Each runs in a thread of its own, which loads everything anew.
  atOnce: 3,
}
