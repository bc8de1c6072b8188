/** The clients of the motion photo API. @see core/clients/README.md */

export { type CallbackSettings, readCallbackSettings } from './callbackSettings'
export { type Caller, type Client, clientNamed, clientOf, shownClient, uploadLimitOf } from './client'
export { type QuotaSettings, readClientQuotas } from './quotas/quotaSettings'
export { Quotas, removeOldQuotas } from './quotas/quotas'
export { readServiceTokens, type ServiceToken, unnamedToken } from './tokens'
