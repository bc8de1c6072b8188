import type { Environment } from '#core/environment'
import { readMediaConfig } from '#core/media/config'
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
    callbacks: { origins: [], secret: undefined },
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
    previewSize: 'fit',
    previewRedirect: false,
    metricsPort: undefined,
    ffmpegPath: undefined,
    shutdownSeconds: 10,
    logLevel: 'info',
  })
})

test('everything set', () => {
  const config = readMediaConfig({
    MEDIA_PORT: '9000',
    MEDIA_HOST: '0.0.0.0',
    DATA_DIR: '/data',
    MEDIA_SERVICE_TOKEN: 'abcDEF123-._~+/==',
    SESSION_TTL_SECONDS: '60',
    PUBLIC_BASE_URL: 'https://media.example.com/v1/',
    TRUST_PROXY: 'true',
    ALLOWED_ORIGINS: 'https://a.example, http://localhost:3000/',
    MAX_UPLOAD_BYTES: '3000000000',
    MAX_CLIP_SECONDS: '10',
    MAX_INPUT_SECONDS: '20',
    MAX_CONCURRENT_JOBS: '4',
    PREPARE_TIMEOUT_SECONDS: '30',
    CONVERT_TIMEOUT_SECONDS: '40',
    PREVIEW_SIZE: 'source',
    FFMPEG_PATH: '/opt/ffmpeg',
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
  S3_BUCKET: ['ab'],
  MEDIA_PORT: ['65536', '-1', '80.5', '0x50'],
  PREVIEW_REDIRECT: ['true', 'maybe'],
  MAX_STORE_BYTES: ['0'],
  MIN_FREE_BYTES: ['2 GB'],
  UPLOAD_IDLE_SECONDS: ['0'],
  MEDIA_SERVICE_TOKEN: ['short', 'has a space in it'],
  MEDIA_SERVICE_TOKENS: ['without-a-name'],
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

test('callbacks go to https origins, or to addresses of the own network that are named, and never without a secret', () => {
  const CALLBACK_SECRET = `whsec_${'A'.repeat(43)}=`
  const read = (CALLBACK_ORIGINS: string) =>
    readMediaConfig({ CALLBACK_SECRET, CALLBACK_ORIGINS }).callbacks.origins
  const allowed = [
    'https://app.example.com',
    'http://localhost:81',
    'http://127.0.0.1',
    'http://[::1]:82',
    'https://10.0.0.1',
  ]
  assert.equal(read(`${allowed.join(', ')}, https://B.example/`), [...allowed, 'https://b.example'])
  const metadata = [
    'http://169.254.169.254',
    'https://169.254.169.254',
    'https://[::ffff:169.254.169.254]',
    'https://[fe80::1]',
  ]
  const others = [
    'http://app.example.com',
    'http://8.8.8.8',
    'https://a.example/path',
    'ftp://localhost',
    '*',
    'https://0.0.0.0',
  ]
  for (const CALLBACK_ORIGINS of [...metadata, ...others])
    assert.match(
      refusal({ CALLBACK_SECRET, CALLBACK_ORIGINS }).join(),
      /^CALLBACK_ORIGINS=.*allowed is https origins/,
      CALLBACK_ORIGINS,
    )
  assert.match(refusal({ CALLBACK_ORIGINS: 'https://a.example' }).join(), /only with CALLBACK_SECRET/)
  const [problem = ''] = refusal({ CALLBACK_SECRET: 'too-short-to-sign' })
  assert.match(problem, /^CALLBACK_SECRET=\(not shown\): allowed is whsec_/)
})

test.run()
