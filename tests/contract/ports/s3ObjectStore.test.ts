import { suitesOnS3 } from '#support/store/suitesOnS3'
import { objectStoreSuite } from './objectStoreSuite'
import { bucketCases } from './s3/bucketCases'
import { openStore } from './s3/openStore'
import { presignCases } from './s3/presignCases'

suitesOnS3('the object store', (s3) => {
  presignCases(s3)
  bucketCases(s3)
  objectStoreSuite('S3', () => openStore(s3()))
})
