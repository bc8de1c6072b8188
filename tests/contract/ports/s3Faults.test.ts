import { suite } from '#support/runner/suite'
import { s3IsPlain } from '#support/store/s3'
import { suitesOnS3 } from '#support/store/suitesOnS3'
import { faultCases } from './s3/faultCases'

if (s3IsPlain) suitesOnS3('faults', faultCases)
else {
  const test = suite('S3 for faults')
  test.skip('every test', 'a proxy can stand before an S3_ENDPOINT of http only')
  test.run()
}
