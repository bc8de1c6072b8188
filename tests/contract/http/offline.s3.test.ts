import { startOnS3, takenByS3 } from '#support/hosts/hostOnS3'
import { startOfflineHost } from '#support/hosts/hosts'
import { suitesOnS3 } from '#support/store/suitesOnS3'
import { mediaSuite } from './mediaSuite'
import { offlineTraits } from './offlineTraits'

suitesOnS3('serverless-offline', (s3) => {
  const start = (settings: Record<string, string>) => startOnS3(s3(), startOfflineHost, settings)
  mediaSuite('serverless-offline with S3', start, { ...offlineTraits, ...takenByS3 })
})
