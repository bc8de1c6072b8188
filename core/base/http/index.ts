/** What other packages may use. @see core/base/README.md */

export { bearerAuth } from './bearerAuth'
export { baseUrl, clientAddress, clientSignal } from './client'
export { crossOrigin } from './crossOrigin'
export { failureOf, HTTP_STATUS } from './errorResponse'
export { answerWithEvents, wantsEvents } from './eventStream'
export { answerRange, matchesETag } from './ranges'
export { requestLog } from './requestLog'
export { createTokenAttempts } from './tokenAttempts'
export { invalid, refuseInvalid } from './validation'
export {
  manifestResponse,
  plainPage,
  serviceWorkerResponse,
  type WebPage,
  webPageResponse,
  workerResponse,
} from './webPage'
