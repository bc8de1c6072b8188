/** The clients of the motion photo API. @see core/clients/README.md */

export { type CallbackSettings, readCallbackSettings } from './callbacks/callbackSettings'
export { Callbacks, type UploadOutcome } from './callbacks/callbacks'
export { readTold, TOLD_PREFIX, type Told, uploadIdOfTold } from './callbacks/delivery'
export type { PostText } from './callbacks/signedPost'
export { type Caller, type Client, clientNamed, clientOf, shownClient, uploadLimitOf } from './client'
export { type QuotaSettings, readClientQuotas } from './quotas/quotaSettings'
export { Quotas, removeOldQuotas } from './quotas/quotas'
export { readServiceTokens, type ServiceToken, unnamedToken } from './tokens'
export { Turns } from './turns/turns'
export { WAITING_PREFIX, type WaitingWork } from './turns/waitingWork'
