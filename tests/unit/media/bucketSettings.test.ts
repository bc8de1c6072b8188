import { type Environment, readSettings } from '#core/environment'
import { type BucketSettings, readBucketSettings } from '#core/media/config'
import { assert, suite } from '#support/runner/suite'
import { problemsOf } from '#support/values/failures'

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

const refused: Readonly<Record<string, readonly string[]>> = {
  S3_BUCKET: ['ab', 'a/b/c', 's3://bucket', 'arn:aws:s3:::bucket', 'b'.repeat(64), '.abc'],
  S3_ENDPOINT: ['127.0.0.1:9000', 'https://user@s3.example.com'],
  S3_REGION: ['eu west', 'r'.repeat(65)],
  S3_PREFIX: ['/media', 'a/../b', 'a//b', 'p'.repeat(201), 'a/.'],
}
for (const [name, values] of Object.entries(refused))
  for (const value of values)
    test(`${name}=${value} is refused, with a bucket or without`, () => {
      for (const env of [{ [name]: value }, { S3_BUCKET: 'abc', [name]: value }]) {
        const names = problemsOf(() => settingsOf(env)).map((problem) => problem.split('=')[0])
        assert.equal(names, [name])
      }
    })

/** @throws ConfigError */
function settingsOf(env: Environment): BucketSettings | undefined {
  const read = readSettings(env)
  const settings = readBucketSettings(read)
  read.finish()
  return settings
}

test.run()
