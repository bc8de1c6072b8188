import { S3Client } from '@aws-sdk/client-s3'
import { isKey, keyParts, prefixFolder } from '../disk/objectKey'

/** Which bucket, and how it is reached. */
export type BucketOptions = {
  readonly bucket: string
  /** Prefix of every key in the bucket, like a folder: `media` stores `media/sessions/…`. @default none */
  readonly prefix?: string | undefined
  /** `https://…` of a store that is not Amazon's; the bucket is then part of the path, not of the host's name. @default Amazon's */
  readonly endpoint?: string | undefined
  /** @default what the AWS settings of this machine say; `us-east-1` with an `endpoint` */
  readonly region?: string | undefined
  /** @default the usual search through environment, profile and role */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  /** @default 4 attempts; 3 s to connect, 10 s of silence, 5 min of work */
  readonly patience?: Patience | undefined
}

/**
 * Time limits of one attempt; 5xx, resets and timeouts are retried with growing pauses. They count silence: a slow
 * connection is not a failure.
 */
export type Patience = {
  readonly attempts: number
  readonly connectMs: number
  readonly silenceMs: number
  /** For work that the store does before it answers: joining parts, copying gigabytes. */
  readonly workMs: number
}

/** A bucket and how its objects are named. */
export type Bucket = ReturnType<typeof openBucket>

const PATIENCE: Patience = { attempts: 4, connectMs: 3000, silenceMs: 10_000, workMs: 300_000 }
/** Each open preview holds one connection while its viewer reads. */
const MAX_SOCKETS = 1024

export function openBucket(settings: BucketOptions) {
  const { patience = PATIENCE } = settings
  const folder = settings.prefix === undefined ? '' : `${keyParts(settings.prefix).join('/')}/`
  return {
    client: createClient(settings, patience, patience.silenceMs),
    /** For requests that take the store a long time. */
    patientClient: createClient(settings, patience, patience.workMs),
    name: settings.bucket,
    /** An object's key in the bucket. @throws ServiceError `internal` for a malformed key */
    objectName(key: string): string {
      return keyParts(folder + key).join('/')
    },
    /** The beginning of an object's name for the beginning of a key. */
    namePrefix(prefix: string): string {
      prefixFolder(prefix)
      return folder + prefix
    },
    /** The key for a name in the bucket; undefined for objects of other programs. */
    keyOf(name: string): string | undefined {
      const key = name.startsWith(folder) ? name.slice(folder.length) : ''
      return isKey(key) ? key : undefined
    },
  }
}

function createClient(
  { endpoint, region, credentials }: BucketOptions,
  { attempts, connectMs }: Patience,
  silenceMs: number,
): S3Client {
  const agent = { maxSockets: MAX_SOCKETS }
  return new S3Client({
    ...(endpoint && { endpoint, forcePathStyle: true, region: 'us-east-1' }),
    ...(region && { region }),
    ...(credentials && { credentials }),
    // Other stores refuse the checksums that Amazon's accepts; a body is protected by its signature.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // `Expect: 100-continue` would open a new connection for each large part, and wait six seconds where the store
    // does not know it.
    expectContinueHeader: false,
    retryMode: 'standard',
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: connectMs,
      // Also ends a response whose reader pauses; the rest is requested when it reads on.
      socketTimeout: silenceMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
}
