import { suitesOnS3 } from '#support/store/suitesOnS3'
import { bucketTroubleCases } from './s3/bucketTroubleCases'
import { largeAnswerCases } from './s3/largeAnswerCases'
import { sharedBucketCases } from './s3/sharedBucketCases'
import { sweepCases } from './s3/sweepCases'

// One S3 for all of them: its start costs as much as most of what is tried on it.
suitesOnS3('flows of the media service', (s3) => {
  for (const declare of [sharedBucketCases, sweepCases, bucketTroubleCases, largeAnswerCases]) declare(s3)
})
