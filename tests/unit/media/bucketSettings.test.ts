import { ConfigError, type Environment, readSettings } from '#core/environment'
import { type BucketSettings, readBucketSettings } from '#core/media/bucketSettings'
import { assert, suite } from '#support/runner/suite'

const test = suite('settings of a bucket')

test('a bucket, of Amazon or of another store', () => {
  const amazon = settingsOf({ S3_BUCKET: 'my.media-1', AWS_REGION: 'eu-west-1' })
  assert.equal(amazon, { bucket: 'my.media-1', endpoint: undefined, region: 'eu-west-1', prefix: undefined })
  const other = settingsOf({
    S3_BUCKET: 'Media_2',
    S3_ENDPOINT: 'http://127.0.0.1:9000/',
    S3_PREFIX: 'team/media/',
    S3_REGION: 'auto',
    AWS_REGION: 'eu-west-1',
  })
  assert.equal(other, {
    bucket: 'Media_2',
    endpoint: 'http://127.0.0.1:9000',
    prefix: 'team/media',
    region: 'auto',
  })
  assert.is(settingsOf({ S3_BUCKET: 'abc', AWS_DEFAULT_REGION: 'us-west-2' })?.region, 'us-west-2')
})

test('without a bucket the other settings of S3 mean nothing, but are checked', () => {
  assert.is(settingsOf({ S3_ENDPOINT: 'http://127.0.0.1:9000', S3_REGION: 'auto' }), undefined)
})

test('the longest and the shortest values are accepted', () => {
  assert.is(settingsOf({ S3_BUCKET: 'b'.repeat(63) })?.bucket.length, 63)
  assert.is(settingsOf({ S3_BUCKET: 'abc', S3_PREFIX: 'p'.repeat(200) })?.prefix?.length, 200)
  assert.is(settingsOf({ S3_BUCKET: 'abc', S3_REGION: 'r'.repeat(64) })?.region?.length, 64)
})

for (const [name, value] of [
  ['S3_BUCKET', 'ab'],
  ['S3_BUCKET', 'a/b/c'],
  ['S3_BUCKET', 's3://bucket'],
  ['S3_BUCKET', 'arn:aws:s3:::bucket'],
  ['S3_ENDPOINT', '127.0.0.1:9000'],
  ['S3_ENDPOINT', 'https://user@s3.example.com'],
  ['S3_REGION', 'eu west'],
  ['S3_PREFIX', '/media'],
  ['S3_PREFIX', 'a/../b'],
  ['S3_PREFIX', 'a//b'],
  ['S3_PREFIX', 'p'.repeat(201)],
  ['S3_BUCKET', 'b'.repeat(64)],
  ['S3_BUCKET', '.abc'],
  ['S3_REGION', 'r'.repeat(65)],
  ['S3_PREFIX', 'a/.'],
] as const)
  test(`${name}=${value} is refused, with a bucket or without`, () => {
    for (const env of [{ [name]: value }, { S3_BUCKET: 'abc', [name]: value }])
      assert.throws(
        () => settingsOf(env),
        (error: unknown) =>
          error instanceof ConfigError &&
          error.problems.length === 1 &&
          error.problems[0]?.startsWith(`${name}=`) === true,
      )
  })

/** @throws ConfigError */
function settingsOf(env: Environment): BucketSettings | undefined {
  const read = readSettings(env)
  const settings = readBucketSettings(read)
  read.finish()
  return settings
}
