import { startOnS3, takenByS3 } from '../../support/hostOnS3'
import { startNodeHost } from '../../support/hosts'
import { suitesOnS3 } from '../../support/suitesOnS3'
import { mediaSuite } from './mediaSuite'
import { s3StartCases } from './s3StartCases'

suitesOnS3('the Node host', (s3) => {
  s3StartCases(s3)
  mediaSuite('the Node host with S3', (settings) => startOnS3(s3(), startNodeHost, settings), takenByS3)
})
