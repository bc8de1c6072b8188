import { randomUUID } from 'node:crypto'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import type { S3 } from '#support/store/s3'
import { fillBucket, OBJECTS, sweepCounting } from '#support/store/sweptBucket'

export function sweepCases(s3: () => S3): void {
  const test = suite('the sweep of a bucket', { timeoutMs: 120_000 })
  const folder = folderOfSuite('lantern-sweep')

  test('reads nothing and removes a thousand objects a call, in one of two stages of a bucket', async () => {
    const stage = `test-${randomUUID()}`
    const other = `${stage}/sessions`
    await fillBucket(s3(), stage, { live: 10, expired: 250 })
    await fillBucket(s3(), other, { live: 1, expired: 5 })
    const counted = await sweepCounting(s3(), { prefix: stage, folder: await folder, lateMs: 5 })
    assert.equal(counted.swept, { sessions: 250, uploads: 0 })
    assert.equal(counted.others, [])
    // Four lanes, of which one goes around, for sessions and for uploads; the check objects, what waits, days of quotas, and callbacks.
    assert.ok(counted.lists <= 17, `${counted.lists} lists`)
    // One is for the check object, one for the records, and one for a thousand others.
    assert.is(counted.deletes, 3)
    const { KeyCount } = await s3().client.send(
      new ListObjectsV2Command({ Bucket: s3().bucket, Prefix: `${stage}/` }),
    )
    assert.is(KeyCount, (10 + 6) * OBJECTS)
  })
  test.run()
}
