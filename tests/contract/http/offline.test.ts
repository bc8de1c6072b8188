import { startOfflineHost } from '#support/hosts/hosts'
import type { HostTraits } from './contract'
import { convertAnswerCases } from './convertCases'
import { frameCases } from './frameCases'
import { mediaSuite, QUICK_CASES } from './mediaSuite'
import { partCases } from './partCases'
import { photoCases } from './photoCases'
import { uploadCases } from './uploadCases'

/** What serverless-offline does by itself, before the functions are asked. */
const offlineTraits: HostTraits = {
  noRanges: 'serverless-offline cuts ranges out of whole answers by itself',
  noOrigins: 'serverless-offline allows every origin by itself',
  readsBodies: 'serverless-offline refuses types it cannot read and loses a body of null by itself',
  bodyLimit: 10 * 1024 * 1024,
}

// Every function, and every kind of body and answer that passes the gateway. What a choice of a form means is the same code as in the app.
const CASES = [...QUICK_CASES, partCases, uploadCases, convertAnswerCases, frameCases, photoCases]
mediaSuite('serverless-offline', startOfflineHost, offlineTraits, CASES)
