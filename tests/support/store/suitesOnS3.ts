import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { assert, suite } from '../runner/suite'
import { openS3, type S3, s3IsOwn, s3Missing } from './s3'

/**
 * Declares suites that share one S3, started before the first and ended after the last. Where none can be had, all
 * of them are one skipped test.
 * @param declare is given a function, because the S3 is there only when the first suite runs
 */
export function suitesOnS3(name: string, declare: (s3: () => S3) => void): void {
  let s3: S3 | undefined
  const started = () => {
    if (s3 === undefined) throw new Error('There is no S3: it did not start.')
    return s3
  }
  const first = suite(`S3 for ${name}`, { timeoutMs: 150_000 })
  if (s3Missing !== undefined) {
    first.skip('every test', s3Missing)
    first.run()
    return
  }
  first('it starts', async () => {
    s3 = await openS3()
  })
  first.run()

  declare(started)

  const last = suite(`S3 after ${name}`)
  last('no upload is left unfinished, and it stops', async () => {
    const { client, bucket } = started()
    try {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
      if (s3IsOwn) assert.equal(Uploads, [])
    } finally {
      await started().stop()
    }
  })
  last.run()
}
