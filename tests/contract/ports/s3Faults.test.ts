import { s3IsPlain } from '../../support/s3'
import { suite } from '../../support/suite'
import { suitesOnS3 } from '../../support/suitesOnS3'
import { faultCases } from './s3/faultCases'

if (s3IsPlain) suitesOnS3('faults', faultCases)
else {
  const test = suite('S3 for faults')
  test.skip('every test', 'a proxy can stand before an S3_ENDPOINT of http only')
  test.run()
}
