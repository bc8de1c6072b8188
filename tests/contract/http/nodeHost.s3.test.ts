import { startOnS3, takenByS3 } from '#support/hosts/hostOnS3'
import { startNodeHost } from '#support/hosts/hosts'
import { suitesOnS3 } from '#support/store/suitesOnS3'
import { convertCases } from './convertCases'
import { mediaSuite, QUICK_CASES } from './mediaSuite'
import { progressCases } from './progressCases'
import { s3StartCases } from './s3StartCases'
import { uploadCases } from './uploadCases'

// What a store has a part in. The rest is the same code as with the disk, whose contract the S3 store keeps.
const CASES = [...QUICK_CASES, uploadCases, progressCases, convertCases]

suitesOnS3('the Node host', (s3) => {
  s3StartCases(s3)
  const start = (settings: Record<string, string>) => startOnS3(s3(), startNodeHost, settings)
  // Fifty at once are tried with its disk; here each would ask the store as well.
  mediaSuite('the Node host with S3', start, { ...takenByS3, atOnce: 5 }, CASES)
})
