import { startOnS3, takenByS3 } from '#support/hosts/hostOnS3'
import { startNodeHost } from '#support/hosts/hosts'
import { suitesOnS3 } from '#support/store/suitesOnS3'
import { mediaSuite } from './mediaSuite'
import { s3StartCases } from './s3StartCases'

suitesOnS3('the Node host', (s3) => {
  s3StartCases(s3)
  const start = (settings: Record<string, string>) => startOnS3(s3(), startNodeHost, settings)
  // Fifty at once are tried with its disk; here each would ask the store as well.
  mediaSuite('the Node host with S3', start, { ...takenByS3, atOnce: 5 })
})
