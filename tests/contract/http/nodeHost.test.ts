import { startNodeHost } from '#support/hosts/hosts'
import { mediaSuite, QUICK_CASES } from './mediaSuite'
import { partCases } from './partCases'
import { uploadCases } from './uploadCases'

// Also what is read as it comes. The rest is the same code as in the app, and its wire is tried by itself.
mediaSuite('the Node host', startNodeHost, {}, [...QUICK_CASES, partCases, uploadCases])
