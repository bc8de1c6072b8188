import { restApi } from '#support/hosts/lambdaEvents'
import { startLambdaHost } from './lambdaHost'
import { mediaSuite, QUICK_CASES } from './mediaSuite'

// serverless-offline tries every case with what is buffered.
mediaSuite(
  'a REST API, streamed',
  (settings) => startLambdaHost(settings, { door: restApi, responseMode: 'stream' }),
  {},
  QUICK_CASES,
)
