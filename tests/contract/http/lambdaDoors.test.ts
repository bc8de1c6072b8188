import { restApi } from '#support/hosts/lambdaEvents'
import { startLambdaHost } from '#support/hosts/lambdaHost'
import { mediaSuite } from './mediaSuite'

// serverless-offline tries what is buffered, and the Node host fifty requests at once.
mediaSuite(
  'a REST API, streamed',
  (settings) => startLambdaHost(settings, { door: restApi, responseMode: 'stream' }),
  { atOnce: 5 },
)
