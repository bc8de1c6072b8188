import {
  type Environment,
  parseFlag,
  parseList,
  parseOrigin,
  parseWebAddress,
  readSettings,
  type SettingReader,
} from '@lantern-room/base/settings'
import {
  readCallbackSettings,
  readClientQuotas,
  readServiceTokens,
  type ServiceToken,
} from '@lantern-room/clients'

export type MediaConfig = ReturnType<typeof readMediaConfig>
export type MediaLimits = MediaConfig['limits']

const MEBIBYTE = 1024 * 1024
const DAY_SECONDS = 86_400
/** A record that claims a longer life is damaged. */
export const MAX_SESSION_TTL_SECONDS = 365 * DAY_SECONDS

/**
 * Everything that can be configured in the media service.
 * @param moreTokens accepted beside those that are configured
 * @throws ConfigError naming every bad variable with its allowed values
 * @example readMediaConfig({ MAX_CLIP_SECONDS: '30' }).limits.maxClipSeconds // 30
 */
export function readMediaConfig(env: Environment, moreTokens: readonly ServiceToken[] = []) {
  const read = readSettings(env)
  const s3 = readBucketSettings(read)
  const tokens = readServiceTokens(read)
  const config = {
    port: read.integer('MEDIA_PORT', { fallback: 8000, min: 0, max: 65_535, unit: '0 = any free port' }),
    host: read.text('MEDIA_HOST', '127.0.0.1') ?? '127.0.0.1',
    /** Port for `/metrics` and `/health`; 0 = any free port, undefined = none. */
    metricsPort: read.parsed('MEDIA_METRICS_PORT', 'a port from 0 to 65535 (0 = any free port)', parsePort),
    metricsHost: read.text('MEDIA_METRICS_HOST', '127.0.0.1') ?? '127.0.0.1',
    /** Where sessions live, and where work is done; undefined = the host's own default folder. */
    dataDir: read.text('DATA_DIR'),
    /** Where sessions live instead; undefined = in `dataDir`. */
    s3,
    /** Empty = no token is needed. */
    tokens: [...tokens, ...moreTokens],
    /** What clients may use in a day. */
    clientQuotas: readClientQuotas(read, tokens),
    sessionTtlSeconds: read.integer('SESSION_TTL_SECONDS', {
      fallback: DAY_SECONDS,
      min: 1,
      max: MAX_SESSION_TTL_SECONDS,
      unit: 'seconds',
    }),
    /** Origin (and path prefix) that clients see, without a final slash. */
    publicBaseUrl: read.parsed(
      'PUBLIC_BASE_URL',
      'an http or https address such as https://media.example.com',
      parseWebAddress,
    ),
    trustProxy: read.flag('TRUST_PROXY', false),
    allowedOrigins: listed(
      read.parsed(
        'ALLOWED_ORIGINS',
        '* or origins such as https://app.example.com, separated by commas',
        (raw) => parseList(raw, (word) => (word === '*' ? word : parseOrigin(word))),
      ),
    ),
    callbacks: readCallbackSettings(read, tokens),
    limits: {
      maxUploadBytes: read.integer('MAX_UPLOAD_BYTES', {
        fallback: 500 * MEBIBYTE,
        min: 1024,
        max: 50 * 1024 * MEBIBYTE,
        unit: 'bytes',
      }),
      /** Most bytes that sessions and uploads may take together; undefined = no limit. */
      maxStoreBytes: read.parsed('MAX_STORE_BYTES', QUOTA, parseBytes),
      /** Bytes of the disk of `dataDir` that uploads must leave free; undefined = none. */
      minFreeBytes: read.parsed('MIN_FREE_BYTES', QUOTA, parseBytes),
      uploadIdleSeconds: seconds('UPLOAD_IDLE_SECONDS', 60, 3600),
      /** Longest clip, in seconds of the finished clip (after the speed). */
      maxClipSeconds: seconds('MAX_CLIP_SECONDS', 60, 3600),
      maxInputSeconds: seconds('MAX_INPUT_SECONDS', 600, 36_000),
      maxConcurrentJobs: read.integer('MAX_CONCURRENT_JOBS', { fallback: 2, min: 1, max: 256 }),
      prepareTimeoutSeconds: seconds('PREPARE_TIMEOUT_SECONDS', 300, 36_000),
      convertTimeoutSeconds: seconds('CONVERT_TIMEOUT_SECONDS', 120, 36_000),
    },
    /** A queue that this host shares with others; undefined = what no request waits for is prepared by the host that was asked. */
    queue: readQueueSettings(read),
    previewSize: read.choice('PREVIEW_SIZE', ['fit', 'source'], 'fit'),
    /** Whether clients read previews from the bucket, by a redirect. */
    previewRedirect:
      read.parsed('PREVIEW_REDIRECT', 'true or false; true only with S3_BUCKET', parseRedirect) ?? false,
    ffmpegPath: read.text('FFMPEG_PATH') ?? read.text('FFMPEG_BIN'),
    drainSeconds: read.integer('DRAIN_SECONDS', { fallback: 8, min: 0, max: 3600, unit: 'seconds' }),
    shutdownSeconds: seconds('SHUTDOWN_SECONDS', 10, 3600),
    logLevel: read.logLevel(),
  }
  read.finish()
  return config

  /** The disk has no addresses of its own. */
  function parseRedirect(raw: string): boolean | undefined {
    const flag = parseFlag(raw)
    return flag && !s3 ? undefined : flag
  }

  function seconds(name: string, fallback: number, max: number): number {
    return read.integer(name, { fallback, min: 1, max, unit: 'seconds' })
  }
}

/** @returns undefined where no queue is named; the other setting is checked all the same */
function readQueueSettings(read: SettingReader) {
  const url = read.parsed(
    'PREPARE_QUEUE_URL',
    'the http or https URL of a standard SQS queue, such as https://sqs.eu-central-1.amazonaws.com/123456789012/prepare; not of a FIFO queue',
    (raw) => (raw.endsWith('.fifo') ? undefined : parseWebAddress(raw)),
  )
  const jobs = read.parsed('PREPARE_QUEUE_JOBS', 'a whole number from 0 to 256; 0 = none', (raw) =>
    /^\d{1,3}$/.test(raw) && Number(raw) <= 256 ? Number(raw) : undefined,
  )
  return url === undefined ? undefined : { url, jobs }
}

/** `*` means every origin, which is also what an unset variable means. */
function listed(origins: readonly string[] | undefined): readonly string[] | undefined {
  return origins?.includes('*') ? undefined : origins
}

const QUOTA = 'a whole number of bytes from 1'

function parseBytes(raw: string): number | undefined {
  return /^[1-9]\d{0,15}$/.test(raw) ? Number(raw) : undefined
}

function parsePort(raw: string): number | undefined {
  return /^\d{1,5}$/.test(raw) && Number(raw) < 65_536 ? Number(raw) : undefined
}

/** A bucket of S3, or of a store that speaks like it. */
export type BucketSettings = NonNullable<ReturnType<typeof readBucketSettings>>

const MAX_PREFIX_LENGTH = 200

/** @returns undefined when no bucket is named; the other settings are checked all the same */
export function readBucketSettings(read: SettingReader) {
  const bucket = read.parsed('S3_BUCKET', 'the name of a bucket: 3 to 63 of A–Z a–z 0–9 . _ -', (raw) =>
    /^[A-Za-z0-9][A-Za-z0-9._-]{2,62}$/.test(raw) ? raw : undefined,
  )
  const settings = {
    /** Address of a store that is not Amazon's, without a final slash. */
    endpoint: read.parsed(
      'S3_ENDPOINT',
      'an http or https address such as https://s3.example.com',
      parseWebAddress,
    ),
    region: read.parsed('S3_REGION', 'the name of a region such as eu-central-1', (raw) =>
      /^[A-Za-z0-9-]{1,64}$/.test(raw) ? raw : undefined,
    ),
    /** Begins the name of everything that is stored, without a slash at its end. */
    prefix: read.parsed('S3_PREFIX', 'parts of A–Z a–z 0–9 . _ - with / between them', parsePrefix),
  }
  const machineRegion = read.text('AWS_REGION') ?? read.text('AWS_DEFAULT_REGION')
  const { endpoint, prefix, region = machineRegion } = settings
  return bucket === undefined ? undefined : { bucket, endpoint, region, prefix }
}

/** Where browsers reach the bucket by addresses that it has signed. */
export function bucketOrigin(settings: BucketSettings | undefined): string | undefined {
  if (settings === undefined) return undefined
  return settings.endpoint === undefined ? 'https://*.amazonaws.com' : new URL(settings.endpoint).origin
}

function parsePrefix(raw: string): string | undefined {
  const prefix = raw.replace(/\/$/, '')
  const isPart = (part: string) => /^[A-Za-z0-9._-]+$/.test(part) && part !== '.' && part !== '..'
  return prefix.length <= MAX_PREFIX_LENGTH && prefix.split('/').every(isPart) ? prefix : undefined
}
