import { startOfflineHost } from '#support/hosts/hosts'
import { convertAnswerCases } from './convertCases'
import { frameCases } from './frameCases'
import { mediaSuite, QUICK_CASES } from './mediaSuite'
import { offlineTraits } from './offlineTraits'
import { partCases } from './partCases'
import { photoCases } from './photoCases'
import { uploadCases } from './uploadCases'

// Every function, and every kind of body and answer that passes the gateway. What a choice of a form means is the same code as in the app.
const CASES = [...QUICK_CASES, partCases, uploadCases, convertAnswerCases, frameCases, photoCases]
mediaSuite('serverless-offline', startOfflineHost, offlineTraits, CASES)
