import type { Environment } from '@lantern-room/base/settings'
import { readMediaConfig } from '#internal/media/config'
import { assert, suite } from '#support/runner/suite'
import { problemsOf } from '#support/values/failures'

const test = suite('the media configuration')
const refusal = (env: Environment) => problemsOf(() => readMediaConfig(env))

test('nothing set: the documented defaults', () => {
  assert.equal(readMediaConfig({}), {
    port: 8000,
    host: '127.0.0.1',
    dataDir: undefined,
    s3: undefined,
    tokens: [],
    clientQuotas: new Map(),
    callbacks: { everyone: undefined, byName: new Map() },
    sessionTtlSeconds: 86_400,
    publicBaseUrl: undefined,
    trustProxy: false,
    allowedOrigins: undefined,
    limits: {
      maxUploadBytes: 524_288_000,
      maxStoreBytes: undefined,
      minFreeBytes: undefined,
      uploadIdleSeconds: 60,
      maxClipSeconds: 60,
      maxInputSeconds: 600,
      maxConcurrentJobs: 2,
      prepareTimeoutSeconds: 300,
      convertTimeoutSeconds: 120,
    },
    queue: undefined,
    previewSize: 'fit',
    previewRedirect: false,
    metricsPort: undefined,
    ffmpegPath: undefined,
    shutdownSeconds: 10,
    metricsHost: '127.0.0.1',
    drainSeconds: 8,
    logLevel: 'info',
  })
})

test('numbers, words, addresses and lists are read', () => {
  const config = readMediaConfig({
    MEDIA_PORT: '9000',
    PUBLIC_BASE_URL: 'https://media.example.com/v1/',
    TRUST_PROXY: 'true',
    ALLOWED_ORIGINS: 'https://a.example, http://localhost:3000/',
    MAX_UPLOAD_BYTES: '3000000000',
    CONVERT_TIMEOUT_SECONDS: '40',
    PREVIEW_SIZE: 'source',
    LOG_LEVEL: 'WARN',
    PREVIEW_REDIRECT: 'true',
    S3_BUCKET: 'abc',
  })
  assert.equal([config.port, config.publicBaseUrl], [9000, 'https://media.example.com/v1'])
  assert.equal(config.allowedOrigins, ['https://a.example', 'http://localhost:3000'])
  const { maxUploadBytes, convertTimeoutSeconds } = config.limits
  assert.equal([maxUploadBytes, convertTimeoutSeconds], [3_000_000_000, 40])
  assert.equal([config.previewSize, config.logLevel], ['source', 'warn'])
  assert.equal([config.trustProxy, config.s3?.bucket, config.previewRedirect], [true, 'abc', true])
})

test('an empty variable is an unset one, and * is every origin', () => {
  const config = readMediaConfig({ MEDIA_PORT: '', TRUST_PROXY: ' ', ALLOWED_ORIGINS: '*' })
  assert.equal(config, readMediaConfig({}))
})

test('FFMPEG_BIN is the other name of FFMPEG_PATH', () => {
  assert.is(readMediaConfig({ FFMPEG_BIN: '/b' }).ffmpegPath, '/b')
  assert.is(readMediaConfig({ FFMPEG_BIN: '/b', FFMPEG_PATH: '/a' }).ffmpegPath, '/a')
})

const refused: Readonly<Record<string, readonly string[]>> = {
  MEDIA_PORT: ['65536', '-1', '80.5', '0x50'],
  PREVIEW_REDIRECT: ['true', 'maybe'],
  MAX_STORE_BYTES: ['0'],
  MIN_FREE_BYTES: ['2 GB'],
  UPLOAD_IDLE_SECONDS: ['0'],
  MEDIA_SERVICE_TOKEN: ['short', 'has a space in it'],
  SESSION_TTL_SECONDS: ['0'],
  PUBLIC_BASE_URL: ['media.example.com', 'ftp://media.example.com', 'https://media.example.com/?x'],
  TRUST_PROXY: ['maybe'],
  ALLOWED_ORIGINS: ['https://a.example/path', 'a.example', ','],
  MAX_UPLOAD_BYTES: ['500MB'],
  MAX_CLIP_SECONDS: ['0'],
  MAX_INPUT_SECONDS: ['ten'],
  MAX_CONCURRENT_JOBS: ['0'],
  PREPARE_TIMEOUT_SECONDS: ['1e9'],
  CONVERT_TIMEOUT_SECONDS: ['-5'],
  PREVIEW_SIZE: ['small'],
  LOG_LEVEL: ['verbose'],
}
for (const [name, values] of Object.entries(refused))
  for (const value of values)
    test(`${name}=${value} is refused by name, with what is allowed`, () => {
      const [problem = '', ...others] = refusal({ [name]: value })
      assert.equal(others, [])
      assert.ok(problem.startsWith(`${name}=`), problem)
      assert.match(problem, /allowed is .+\.$/)
    })

test('all problems are reported together', () => {
  const problems = refusal({ MEDIA_PORT: 'x', PREVIEW_SIZE: 'x', LOG_LEVEL: 'x', DATA_DIR: '/fine' })
  const names = problems.map((problem) => problem.split('=')[0])
  assert.equal(names, ['MEDIA_PORT', 'PREVIEW_SIZE', 'LOG_LEVEL'])
})

test('a token is never repeated', () => {
  assert.not.match(refusal({ MEDIA_SERVICE_TOKEN: 'my secret token' }).join(), /secret token/)
  assert.not.match(refusal({ MEDIA_SERVICE_TOKENS: 'app:my secret' }).join(), /my secret/)
})

const bucketOf = (env: Environment) => readMediaConfig(env).s3

test('a bucket, of Amazon or of another store', () => {
  const amazon = bucketOf({ S3_BUCKET: 'my.media-1', AWS_REGION: 'eu-west-1' })
  assert.equal(amazon, { bucket: 'my.media-1', endpoint: undefined, region: 'eu-west-1', prefix: undefined })
  const other = bucketOf({
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
  assert.is(bucketOf({ S3_BUCKET: 'abc', AWS_DEFAULT_REGION: 'us-west-2' })?.region, 'us-west-2')
})

test('without a bucket the other settings of S3 mean nothing, but are checked', () => {
  assert.is(bucketOf({ S3_ENDPOINT: 'http://127.0.0.1:9000', S3_REGION: 'auto' }), undefined)
})

test('the longest and the shortest values of buckets are accepted', () => {
  assert.is(bucketOf({ S3_BUCKET: 'b'.repeat(63) })?.bucket.length, 63)
  assert.is(bucketOf({ S3_BUCKET: 'abc', S3_PREFIX: 'p'.repeat(200) })?.prefix?.length, 200)
  assert.is(bucketOf({ S3_BUCKET: 'abc', S3_REGION: 'r'.repeat(64) })?.region?.length, 64)
})

const refusedOfBuckets: Readonly<Record<string, readonly string[]>> = {
  S3_BUCKET: ['ab', 'a/b/c', 's3://bucket', 'arn:aws:s3:::bucket', 'b'.repeat(64), '.abc'],
  S3_ENDPOINT: ['127.0.0.1:9000', 'https://user@s3.example.com'],
  S3_REGION: ['eu west', 'r'.repeat(65)],
  PREPARE_QUEUE_URL: [
    'prepare',
    'sqs://host/prepare',
    'https://sqs.eu-central-1.amazonaws.com/1/prepare.fifo',
  ],
  PREPARE_QUEUE_JOBS: ['-1', '1.5', '257', 'all'],
  S3_PREFIX: ['/media', 'a/../b', 'a//b', 'p'.repeat(201), 'a/.'],
}
for (const [name, values] of Object.entries(refusedOfBuckets))
  for (const value of values)
    test(`${name}=${value} is refused, with a bucket or without`, () => {
      for (const env of [{ [name]: value }, { S3_BUCKET: 'abc', [name]: value }]) {
        const names = refusal(env).map((problem) => problem.split('=')[0])
        assert.equal(names, [name])
      }
    })

test.run()
