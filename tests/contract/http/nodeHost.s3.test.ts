import { startOnS3, takenByS3 } from '#support/hosts/hostOnS3'
import { startNodeHost } from '#support/hosts/hosts'
import { suitesOnS3 } from '#support/store/suitesOnS3'
import { cleanupCases } from './cleanupCases'
import { mediaSuite } from './mediaSuite'
import { previewCases } from './previewCases'
import { progressCases } from './progressCases'
import { s3StartCases } from './s3StartCases'
import { uploadCases } from './uploadCases'

// What a store has a part in. The rest is the same code as with the disk, whose contract the S3 store keeps.
const CASES = [uploadCases, progressCases, previewCases, cleanupCases]

suitesOnS3('the Node host', (s3) => {
  s3StartCases(s3)
  const start = (settings: Record<string, string>) => startOnS3(s3(), startNodeHost, settings)
  mediaSuite('the Node host with S3', start, takenByS3, CASES)
})
