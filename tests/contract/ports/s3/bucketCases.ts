import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { keysIn } from '#support/store/keysIn'
import { type S3, s3IsOwn } from '#support/store/s3'
import { noise, text } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { bytesOf, present, refusal } from '../expected'
import { type OpenStore, openStore, type StoreOptions } from './openStore'

const contentType = 'video/mp4'

/** What is true of this adapter and no other. */
export function bucketCases(s3: () => S3): void {
  const test = suite('the S3 object store and its bucket', { timeoutMs: 60_000 })
  const own = test.skipUnless(s3IsOwn, 'this S3 is not ours to make buckets in')
  let under: OpenStore

  test.before.each(async () => {
    under = await openStore(s3())
  })
  test.after.each(async () => {
    const remains = await under.remains()
    await under.close()
    assert.equal(remains, [])
  })

  /** What a start with these settings says. */
  const refused = async (options: StoreOptions): Promise<string> => {
    const other = await openStore(s3(), options)
    const error = await refusal(other.store.check(), 'unavailable')
    await closeRefused(other)
    assert.ok(!error.detail.includes('\n'))
    assert.match(error.detail, /S3_BUCKET/)
    assert.ok(error.cause instanceof Error)
    return error.detail
  }
  /** Where nothing could be stored, there is nothing to clear in the bucket. */
  const closeRefused = async ({ store, sibling, folder }: OpenStore) => {
    for (const one of [store, sibling]) one.close()
    await removeFolders(folder)
  }
  const unused = (prefix: string) => `${prefix}-${randomUUID()}`

  test('objects lie under their prefix, with their type, and without a slash before them', async () => {
    await under.store.putBytes('sessions/1/preview.mp4', text('x'), { contentType })
    const { client, bucket } = s3()
    const Key = `${under.prefix}/sessions/1/preview.mp4`
    assert.is((await client.send(new HeadObjectCommand({ Bucket: bucket, Key }))).ContentType, contentType)
    await under.store.copy('sessions/1/preview.mp4', 'second', { contentType: 'image/gif' })
    const second = { Bucket: bucket, Key: `${under.prefix}/second` }
    assert.is((await client.send(new HeadObjectCommand(second))).ContentType, 'image/gif')
  })

  test('what others store beside or between is neither listed nor touched', async () => {
    const { client, bucket } = s3()
    const names = ['/', '/sessions/', '/sessions/a name', '/@x', 'x/sessions/1', '/sessions//1']
    for (const name of names) {
      const object = { Bucket: bucket, Key: under.prefix + name }
      await client.send(new PutObjectCommand({ ...object, Body: text('theirs') }))
    }
    await under.store.putBytes('sessions/1', text('ours'), { contentType })
    assert.equal(await keysIn(under.store), ['sessions/1'])
    for (const name of names)
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: under.prefix + name }))
  })

  test('2,500 keys are deleted in one call', async () => {
    const keys = Array.from({ length: 2500 }, (_, n) => `many/${n}`)
    for (const n of [0, 999, 1000, 1999, 2000, 2499])
      await under.store.putBytes(`many/${n}`, text('x'), { contentType })
    await under.store.putBytes('many-others', text('x'), { contentType })
    await under.store.delete(keys)
    assert.equal(await keysIn(under.store), ['many-others'])
  })

  test('a large file goes in parts and comes back whole, in ranges across them too', async () => {
    const parted = await openStore(s3(), { prefix: under.prefix, partBytes: 5 * 1024 * 1024 })
    const bytes = noise(16_000_001)
    const path = `${parted.folder}/film`
    await writeFile(path, bytes)
    await parted.store.putFile('film', path, { contentType })
    equalBytes(present(await under.store.get('film')), bytes)
    const { body, size } = present(await under.store.open('film', { start: 5_242_879, end: 10_485_760 }))
    assert.is(size, bytes.length)
    equalBytes(await bytesOf(body), bytes.subarray(5_242_879, 10_485_761))
    assert.is(await under.store.copy('film', 'second', { contentType }), true)
    equalBytes(present(await under.store.get('second')), bytes)
    assert.equal(await parted.remains(), [])
    await parted.close()
  })

  test('wrong credentials, and a key that nobody has', async () => {
    const { accessKeyId } = s3().credentials
    for (const credentials of [
      { accessKeyId, secretAccessKey: 'wrong' },
      { accessKeyId: unused('nobody'), secretAccessKey: 'wrong' },
    ])
      assert.match(await refused({ credentials }), /credentials are wrong.*AWS_ACCESS_KEY_ID/)
  })

  own('a bucket that may not be written, and one that may not be cleared', async () => {
    for (const Action of ['s3:PutObject', 's3:DeleteObject']) {
      const bucket = unused('denied')
      await s3().client.send(new CreateBucketCommand({ Bucket: bucket }))
      const statement = { Effect: 'Deny', Principal: '*', Action, Resource: `arn:aws:s3:::${bucket}/*` }
      const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
      await s3().client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }))
      assert.match(await refused({ bucket }), /may not be used with these credentials/)
      const other = await openStore(s3(), { bucket })
      const work =
        Action === 's3:PutObject'
          ? other.store.putBytes('a', text('x'), { contentType })
          : other.store.delete(['a'])
      const { detail } = await refusal(work, 'unavailable')
      assert.not.match(detail, /denied-/)
      await closeRefused(other)
    }
  })

  own('what a rule of the bucket removes is gone, and the rest stays', async () => {
    const bucket = unused('lifecycle')
    await s3().client.send(new CreateBucketCommand({ Bucket: bucket }))
    const store = await openStore(s3(), { bucket, prefix: undefined })
    for (const key of ['sessions/1/preview.mp4', 'uploads/1', 'others/1'])
      await store.store.putBytes(key, text('x'), { contentType })
    const file = present(await store.store.checkOut('sessions/1/preview.mp4'))
    const Rules = ['sessions/', 'uploads/'].map((Prefix) => ({
      ID: Prefix,
      Status: 'Enabled' as const,
      Filter: { Prefix },
      Expiration: { Days: 1 },
    }))
    const rules = { Bucket: bucket, LifecycleConfiguration: { Rules } }
    await s3().client.send(new PutBucketLifecycleConfigurationCommand(rules))
    for (const key of ['sessions/1/preview.mp4', 'uploads/1'])
      while ((await store.store.head(key)) !== undefined) await sleep(100)
    assert.is(await store.store.get('sessions/1/preview.mp4'), undefined)
    assert.is(await store.store.checkOut('sessions/1/preview.mp4'), undefined)
    assert.is((await store.store.head('others/1'))?.size, 1)
    await file.release()
    await store.close()
  })
  test.run()
}
