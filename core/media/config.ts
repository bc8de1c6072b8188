import {
  type Environment,
  parseFlag,
  parseList,
  parseOrigin,
  parseWebAddress,
  readSettings,
} from '../environment'
import type { LogLevel } from '../log'
import { type BucketSettings, readBucketSettings } from './bucketSettings'
import { readServiceTokens, type ServiceToken } from './client'

/** Everything that can be configured in the media service. */
export type MediaConfig = {
  readonly port: number
  readonly host: string
  /** Port on 127.0.0.1 for `/metrics` and `/health`; 0 = any free port, undefined = none. */
  readonly metricsPort: number | undefined
  /** Where sessions live, and where work is done; undefined = the host's own default folder. */
  readonly dataDir: string | undefined
  /** Where sessions live instead; undefined = in `dataDir`. */
  readonly s3: BucketSettings | undefined
  /** Empty = no token is needed. */
  readonly tokens: readonly ServiceToken[]
  readonly sessionTtlSeconds: number
  /** Origin (and path prefix) that clients see, without a final slash. */
  readonly publicBaseUrl: string | undefined
  readonly trustProxy: boolean
  /** undefined = every origin. */
  readonly allowedOrigins: readonly string[] | undefined
  readonly limits: MediaLimits
  readonly previewSize: 'fit' | 'source'
  /** Whether clients read previews from the bucket, by a redirect. */
  readonly previewRedirect: boolean
  readonly ffmpegPath: string | undefined
  /** How long running requests may take when the host is told to stop. */
  readonly shutdownSeconds: number
  readonly logLevel: LogLevel
}

export type MediaLimits = {
  readonly maxUploadBytes: number
  /** Most bytes that sessions and uploads may take together; undefined = no limit. */
  readonly maxStoreBytes: number | undefined
  /** Bytes of the disk of `dataDir` that uploads must leave free; undefined = none. */
  readonly minFreeBytes: number | undefined
  /** An upload of which nothing has arrived for so long is given up. */
  readonly uploadIdleSeconds: number
  /** Longest clip, in seconds of the finished clip (after the speed). */
  readonly maxClipSeconds: number
  /** Longest preview; the rest of a longer video is cut off. */
  readonly maxInputSeconds: number
  readonly maxConcurrentJobs: number
  readonly prepareTimeoutSeconds: number
  readonly convertTimeoutSeconds: number
}

const MEBIBYTE = 1024 * 1024
const DAY_SECONDS = 86_400
/** A record that claims a longer life is damaged. */
export const MAX_SESSION_TTL_SECONDS = 365 * DAY_SECONDS

/** @throws ConfigError naming every bad variable with its allowed values */
export function readMediaConfig(env: Environment): MediaConfig {
  const read = readSettings(env)
  const s3 = readBucketSettings(read)
  const config: MediaConfig = {
    port: read.integer('MEDIA_PORT', { fallback: 8000, min: 0, max: 65_535, unit: '0 = any free port' }),
    host: read.text('MEDIA_HOST', '127.0.0.1') ?? '127.0.0.1',
    metricsPort: read.parsed('MEDIA_METRICS_PORT', 'a port from 0 to 65535 (0 = any free port)', parsePort),
    dataDir: read.text('DATA_DIR'),
    s3,
    tokens: readServiceTokens(read),
    sessionTtlSeconds: read.integer('SESSION_TTL_SECONDS', {
      fallback: DAY_SECONDS,
      min: 1,
      max: MAX_SESSION_TTL_SECONDS,
      unit: 'seconds',
    }),
    publicBaseUrl: read.parsed(
      'PUBLIC_BASE_URL',
      'an http or https address such as https://media.example.com',
      parseWebAddress,
    ),
    trustProxy: read.flag('TRUST_PROXY', false),
    allowedOrigins: read.parsed(
      'ALLOWED_ORIGINS',
      '* or origins such as https://app.example.com, separated by commas',
      parseOrigins,
    ),
    limits: {
      maxUploadBytes: read.integer('MAX_UPLOAD_BYTES', {
        fallback: 500 * MEBIBYTE,
        min: 1024,
        max: 50 * 1024 * MEBIBYTE,
        unit: 'bytes',
      }),
      maxStoreBytes: read.parsed('MAX_STORE_BYTES', QUOTA, parseBytes),
      minFreeBytes: read.parsed('MIN_FREE_BYTES', QUOTA, parseBytes),
      uploadIdleSeconds: seconds('UPLOAD_IDLE_SECONDS', 60, 3600),
      maxClipSeconds: seconds('MAX_CLIP_SECONDS', 60, 3600),
      maxInputSeconds: seconds('MAX_INPUT_SECONDS', 600, 36_000),
      maxConcurrentJobs: read.integer('MAX_CONCURRENT_JOBS', { fallback: 2, min: 1, max: 256 }),
      prepareTimeoutSeconds: seconds('PREPARE_TIMEOUT_SECONDS', 300, 36_000),
      convertTimeoutSeconds: seconds('CONVERT_TIMEOUT_SECONDS', 120, 36_000),
    },
    previewSize: read.choice('PREVIEW_SIZE', ['fit', 'source'], 'fit'),
    previewRedirect:
      read.parsed('PREVIEW_REDIRECT', 'true or false; true only with S3_BUCKET', parseRedirect) ?? false,
    ffmpegPath: read.text('FFMPEG_PATH') ?? read.text('FFMPEG_BIN'),
    shutdownSeconds: seconds('SHUTDOWN_SECONDS', 10, 3600),
    logLevel: read.logLevel(),
  }
  read.finish()
  // `*` means every origin, which is also what an unset variable means.
  return config.allowedOrigins?.includes('*') ? { ...config, allowedOrigins: undefined } : config

  /** The disk has no addresses of its own. */
  function parseRedirect(raw: string): boolean | undefined {
    const flag = parseFlag(raw)
    return flag && !s3 ? undefined : flag
  }

  function seconds(name: string, fallback: number, max: number): number {
    return read.integer(name, { fallback, min: 1, max, unit: 'seconds' })
  }
}

const QUOTA = 'a whole number of bytes from 1'

function parseBytes(raw: string): number | undefined {
  return /^[1-9]\d{0,15}$/.test(raw) ? Number(raw) : undefined
}

function parsePort(raw: string): number | undefined {
  return /^\d{1,5}$/.test(raw) && Number(raw) < 65_536 ? Number(raw) : undefined
}

function parseOrigins(raw: string): readonly string[] | undefined {
  return parseList(raw, (word) => (word === '*' ? word : parseOrigin(word)))
}
