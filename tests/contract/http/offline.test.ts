import { startOfflineHost } from '#support/hosts/hosts'
import { mediaSuite } from './mediaSuite'
import { offlineTraits } from './offlineTraits'

mediaSuite('serverless-offline', startOfflineHost, offlineTraits)
